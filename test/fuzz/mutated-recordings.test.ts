import { openStudio } from '../../media/testing/recordings.ts';
import { skipWithReason } from '../support/servers.ts';
import { recordingFormats } from './recordings.ts';
import { expectNoFailures, mutations, timeoutMs, tryMutations } from './trial.ts';

/*
 * Randomly changed recordings: each ends as sound or with an error code in time, and the next one is read. Seeds are as
 * in mutated-files.test.ts.
 */

const studio = await openStudio();
if ('unavailable' in studio) skipWithReason('mutated recordings', studio.unavailable);
else {
  afterAll(() => studio.close());
  describe.each(recordingFormats(studio))('mutated recordings of format $name', (format) => {
    it(
      `end as sound or with an error code (${mutations} mutations)`,
      async () => expectNoFailures(await tryMutations(format)),
      timeoutMs,
    );
  });
}
