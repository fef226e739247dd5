import fc from 'fast-check';
import type { Accepted } from '../../models/api.ts';
import type { Segment } from '../../models/transcript.ts';
import type { TestProgram } from '../api/support/program.ts';
import { serveRecordings } from '../api/support/recordings.ts';
import { TestFile } from './file.ts';
import { anyReader } from './readers.ts';
import { anyStep, World } from './world.ts';

/** Passages of the files of each organization. */
const sizes = [1, 1, 1, 2, 3, 1];
const recordings = 2;

/** What the organizations need of a program. */
export type Surface = Pick<TestProgram, 'admin' | 'standard' | 'source'>;

/** Writes the recordings of an organization into the stores. */
export type WriteRecordings = (organizationId: string, word: string) => Promise<Accepted[]>;

/** The number of runs. */
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

/** Writes recordings into the stores of a program, which is restarted for it. */
export function recordingsOf(program: TestProgram): WriteRecordings {
  return (organizationId, word) =>
    serveRecordings(
      { ...program, organizationId },
      Array.from({ length: recordings }, (_, index) => ({
        segments: heard(word),
        fields: { externalId: `recording-${index}`, externalKey: `recording-${index}` },
      })),
    );
}

/** Organizations with equal names and texts of files but different ids; some are transcribed recordings. */
export async function openWorlds(
  program: Surface,
  writeRecordings: WriteRecordings,
  word: string,
  organizations: number,
): Promise<World[]> {
  const worlds: World[] = [];
  for (let made = 0; made < organizations; made += 1) {
    const { id: organizationId } = await program.admin.createOrganization(`permissions ${word} ${made}`);
    const placed = await writeRecordings(organizationId, word);
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

/** The counter of hits that the passage index returned although they are forbidden. */
export async function permissionDrops(metricsUrl: string): Promise<string | undefined> {
  return /^ply_permission_drops_total (\d+)/m.exec(await (await fetch(`${metricsUrl}/metrics`)).text())?.[1];
}

/**
 * Runs random changes in all worlds concurrently, one run after another on the same files. Returns the number of
 * checked responses.
 */
export async function runChanges(
  worlds: readonly World[],
  { runs, seed }: Extent,
): Promise<{ duringChanges: number; atRest: number }> {
  const script = fc.array(anyStep, { minLength: 1, maxLength: 6 });
  const organizationRun = fc.record({
    scripts: fc.array(script, { minLength: sizes.length + recordings, maxLength: sizes.length + recordings }),
    readers: fc.array(anyReader, { minLength: 4, maxLength: 8 }),
  });
  const anyRun = fc.tuple(...worlds.map(() => organizationRun));
  let run = 0;
  for (const each of fc.sample(anyRun, { numRuns: runs, seed })) {
    run += 1;
    try {
      await Promise.all(worlds.map((world, index) => world.run(each[index]!.scripts, each[index]!.readers)));
    } catch (error) {
      // A run starts where the previous one ended, so a failure cannot be shrunk.
      throw new Error(`run ${run} with seed ${seed}`, { cause: error });
    }
  }
  return worlds.reduce(
    (sum, { checked }) => ({
      duringChanges: sum.duringChanges + checked.duringChanges,
      atRest: sum.atRest + checked.atRest,
    }),
    {
      duringChanges: 0,
      atRest: 0,
    },
  );
}
