import fc from 'fast-check';
import type { Accepted } from '../../models/api.ts';
import type { Segment } from '../../models/transcript.ts';
import type { TestProgram } from '../api/support/program.ts';
import { placeRecordings } from '../api/support/recordings.ts';
import { TestFile } from './file.ts';
import { anyReader } from './readers.ts';
import { anyStep, World } from './world.ts';

/** Passages of the files of each organization. */
const sizes = [1, 1, 1, 2, 3, 1];
const recordings = 2;

/** What the organizations of a test need of a program. */
export type Surface = Pick<TestProgram, 'admin' | 'standard' | 'source'>;

/** Lays the recordings of an organization down. */
export type PlaceRecordings = (organizationId: string, word: string) => Promise<Accepted[]>;

/** How much is done. */
export interface Extent {
  runs: number;
  seed: number;
}

function heard(word: string): Segment[] {
  return [
    {
      id: 's1',
      text: `the ${word} is here`,
      start: 0,
      end: 2,
      speaker: null,
      language: 'en',
      words: [],
      timingPrecision: 'segment',
    },
  ];
}

/** Recordings of a program that is stopped for it and started again, as if they had been transcribed. */
export function recordingsOf(program: TestProgram): PlaceRecordings {
  return (organizationId, word) =>
    placeRecordings(
      { ...program, organizationId },
      Array.from({ length: recordings }, (_, place) => ({
        segments: heard(word),
        fields: { externalId: `recording-${place}`, externalKey: `recording-${place}` },
      })),
    );
}

/**
 * Organizations whose files have the same names, ids of their own and texts, some of them recordings that were
 * transcribed.
 */
export async function openWorlds(
  program: Surface,
  place: PlaceRecordings,
  word: string,
  organizations: number,
): Promise<World[]> {
  const worlds: World[] = [];
  for (let made = 0; made < organizations; made += 1) {
    const { id: organizationId } = await program.admin.createOrganization(`permissions ${word} ${made}`);
    const placed = await place(organizationId, word);
    const client = program.standard.as(organizationId);
    for (const { jobId } of placed) await client.reaches(jobId, 'ready');
    const around = { client, source: program.source, word };
    const files = [
      ...sizes.map((size, at) => new TestFile(around, `file-${at}`, size, null)),
      ...placed.map((each, at) => new TestFile(around, `recording-${at}`, 1, each)),
    ];
    worlds.push(new World({ client, files, word }));
  }
  return worlds;
}

/** The counter of hits that the passage index gave and the records forbade. */
export async function permissionDrops(metricsUrl: string): Promise<string | undefined> {
  return /^ply_permission_drops_total (\d+)/m.exec(await (await fetch(`${metricsUrl}/metrics`)).text())?.[1];
}

/**
 * Lets the worlds live through random lives side by side, one after another on the same files. Answers how many answers
 * were judged.
 */
export async function runLives(
  worlds: readonly World[],
  { runs, seed }: Extent,
): Promise<{ stormy: number; quiet: number }> {
  const script = fc.array(anyStep, { minLength: 1, maxLength: 6 });
  const life = fc.record({
    scripts: fc.array(script, { minLength: sizes.length + recordings, maxLength: sizes.length + recordings }),
    readers: fc.array(anyReader, { minLength: 4, maxLength: 8 }),
  });
  const lives = fc.tuple(...worlds.map(() => life));
  let run = 0;
  for (const each of fc.sample(lives, { numRuns: runs, seed })) {
    run += 1;
    try {
      await Promise.all(worlds.map((world, place) => world.live(each[place]!.scripts, each[place]!.readers)));
    } catch (error) {
      // A life begins where the one before ended, so there is no shorter way to the same fault than these numbers.
      throw new Error(`life ${run} with seed ${seed}`, { cause: error });
    }
  }
  return worlds.reduce((sum, { judged }) => ({ stormy: sum.stormy + judged.stormy, quiet: sum.quiet + judged.quiet }), {
    stormy: 0,
    quiet: 0,
  });
}
