import { openStudio } from '../../media/testing/recordings.ts';
import { skipLoudly } from '../support/servers.ts';
import { recordingFormats } from './recordings.ts';
import { judge, mutations, patience, tryMutations } from './trial.ts';

/*
 * Recordings that were changed at random: each ends as sound or with a code, within its time, and the next one is read.
 * Seeds are as in mutated-files.test.ts.
 */

const studio = await openStudio();
if ('unavailable' in studio) skipLoudly('mutated recordings', studio.unavailable);
else {
  afterAll(() => studio.close());
  describe.each(recordingFormats(studio))('mutated recordings of format $name', (format) => {
    it(`end as sound or with a code, ${mutations} of them`, async () => judge(await tryMutations(format)), patience);
  });
}
