import fc from 'fast-check';
import { metadataOf, textOfMetadata } from './metadata.ts';

it('metadata is written as lines, with numbers, flags and lists', () => {
  expect(metadataOf('author: Ada\nyear: 1871\n\nfinal: true\ntags: ["a", 1]\nnote: see: there\nempty:')).toEqual({
    author: 'Ada',
    year: 1871,
    final: true,
    tags: ['a', 1],
    note: 'see: there',
    empty: '',
  });
});

it('what is shown is read as what it was', () => {
  const simple = fc.oneof(fc.string(), fc.integer(), fc.boolean());
  fc.assert(
    fc.property(fc.dictionary(fc.stringMatching(/^[a-z]\w{0,8}$/), fc.oneof(simple, fc.array(simple))), (metadata) => {
      expect(metadataOf(textOfMetadata(metadata))).toEqual({ ...metadata });
    }),
  );
});
