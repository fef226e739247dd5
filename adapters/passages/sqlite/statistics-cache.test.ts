import { StatisticsCache } from './statistics-cache.ts';
import { IndexedLibrary } from './testing/indexed-library.ts';

it('counts of stems are read again where reading them failed', () => {
  const library = new IndexedLibrary();
  library.publish('a', [{ stems: 'pump' }, { stems: 'pump valve' }]);
  let isFailing = true;
  const cache = new StatisticsCache({
    ...library.connection,
    lists(sql, ...values) {
      if (isFailing) throw new Error('the disk failed');
      return library.connection.lists(sql, ...values);
    },
  });
  const counts = (): unknown => [...cache.get('organization', ['pump', 'valve', 'none'], 1).counts];
  expect(counts).toThrow('the disk failed');
  isFailing = false;
  expect(counts()).toEqual([
    ['pump', 2],
    ['valve', 1],
    ['none', 0],
  ]);
  library.connection.close();
});
