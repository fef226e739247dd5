import { fuzzedFormats } from './formats.ts';
import { expectNoFailures, mutations, timeoutMs, tryMutations } from './trial.ts';

/*
 * Randomly changed files: a few in every test run, thousands in `npm run test:fuzz`. Each ends as text or with an error
 * code in time, and the reader continues with the next. A failure reports the seed of the file, which is also kept;
 * PLY_FUZZ_SEED repeats it.
 */

describe.each(fuzzedFormats)('mutated files of format $name', (format) => {
  it(
    `end as text or with an error code (${mutations} mutations)`,
    async () => expectNoFailures(await tryMutations(format)),
    timeoutMs,
  );
});
