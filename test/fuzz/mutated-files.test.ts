import { fuzzedFormats } from './formats.ts';
import { judge, mutations, patience, tryMutations } from './trial.ts';

/*
 * Files that were changed at random, a few in every run of the tests and thousands in `npm run test:fuzz`. Each ends as
 * text or with a code, within its time, and the reader goes on with the next. The seed of a file that fails is told;
 * PLY_FUZZ_SEED makes it again, and the file itself is kept.
 */

describe.each(fuzzedFormats)('mutated files of format $name', (format) => {
  it(`end as text or with a code, ${mutations} of them`, async () => judge(await tryMutations(format)), patience);
});
