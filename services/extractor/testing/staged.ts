import type { Studio } from '../../../media/testing/recordings.ts';
import { openSourceServer, type TestSource } from './source.ts';
import { openStage, type TestStage } from './stage.ts';

/** What tests of recordings work with; there from the first test on. */
export interface Staged {
  readonly stage: TestStage;
  readonly source: TestSource;
}

/**
 * Opens the stage and a source before the tests of the describe block that this is called in, and closes them after
 * these with the studio that makes the recordings.
 */
export function staged(studio: Studio, settings: { [variable: string]: string } = {}): Staged {
  let opened: Staged | null = null;
  beforeAll(async () => {
    opened = { stage: await openStage(settings), source: await openSourceServer() };
  });
  afterAll(async () => {
    await opened?.stage.close();
    await opened?.source.close();
    studio.close();
  });
  const there = (): Staged => {
    if (opened === null) throw new Error('the stage is not open yet');
    return opened;
  };
  return {
    get stage() {
      return there().stage;
    },
    get source() {
      return there().source;
    },
  };
}
