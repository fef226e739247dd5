import { readOptions } from './options.ts';

describe('the command line of judges', () => {
  it('names a suite, and what is run of it', () => {
    expect(readOptions(['azurite'])).toEqual({ suite: 'azurite', source: null, only: null, part: null });
    expect(readOptions(['s3-tests', '--source', 'a folder', '--only', 'copy'])).toMatchObject({
      source: 'a folder',
      only: 'copy',
    });
    expect(readOptions(['mint', '--part', '2/4'])).toMatchObject({ suite: 'mint', part: { number: 2, of: 4 } });
  });

  it.each([
    [[], 'name a suite'],
    [['another'], 'name a suite'],
    [['mint', 'azurite'], 'name a suite'],
    [['azurite', '--part', '1/2'], 'only mint'],
    [['mint', '--part', '3/2'], 'a part is'],
    // A part of a selection would be kept, and stand on the page with the other parts.
    [['mint', '--part', '1/2', '--only', 'copy'], 'cannot be combined'],
    [['azurite', '--onyl', 'copy'], '--onyl'],
  ])('is refused with a reason: %j', (words, reason) => {
    expect(() => readOptions(words)).toThrow(reason);
  });
});
