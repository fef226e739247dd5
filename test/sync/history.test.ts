import fc from 'fast-check';
import type { SourceEntry } from '../../adapters/sources/port.ts';
import type { Asset } from '../../models/asset.ts';
import type { SyncSummary } from '../../models/connector.ts';
import { testApp } from '../support/app.ts';
import { sourceFile } from '../support/source-double.ts';
import { readersOf, syncWorld, type SyncWorld } from './world.ts';

/*
 * Random histories of a source, with syncs that crash at any point, against a simple model of the expected library and
 * summary.
 */

const names = ['a.txt', 'b.txt', 'c.md', 'é.txt', '\u{e000}.txt', '\u{1f600}.txt'].map((name) => `s3:h/b/${name}`);
const contents = ['A', 'B', 'C', 'D', 'readers unknown'];

interface Edit {
  kind: 'put' | 'take' | 'rename' | 'swap';
  name: string;
  other: string;
  content: string;
  version: number;
  principals: string[] | null;
}

interface Step {
  edits: Edit[];
  /** For each crash: the number of batches before it, whether it follows the last batch, and the page size. */
  crashes: { batches: number; isAfterBatch: boolean }[];
  pageSize: number;
}

const edit: fc.Arbitrary<Edit> = fc.record({
  kind: fc.constantFrom('put', 'put', 'take', 'take', 'rename', 'swap'),
  name: fc.constantFrom(...names),
  other: fc.constantFrom(...names),
  content: fc.constantFrom(...contents),
  version: fc.constantFrom(1, 1, 1, 2),
  principals: fc.constantFrom(null, null, ['p'], ['p', 'q']),
});
const step: fc.Arbitrary<Step> = fc.record({
  edits: fc.array(edit, { minLength: 1, maxLength: 3 }),
  crashes: fc.array(fc.record({ batches: fc.nat(3), isAfterBatch: fc.boolean() }), { maxLength: 3 }),
  pageSize: fc.constantFrom(1, 2, 10),
});

function entry(name: string, content: string, version: number, principals: string[] | null): SourceEntry {
  return sourceFile(name, content, {
    sourceVersion: `"${content}-${version}"`,
    contentId: content === 'readers unknown' ? null : content,
    principals,
  });
}

function change(files: Map<string, SourceEntry>, { kind, name, other, content, version, principals }: Edit): void {
  const [one, two] = [files.get(name), files.get(other)];
  const put = (to: string, from: SourceEntry): void =>
    void files.set(to, {
      ...sourceFile(to, ''),
      ...{ sourceVersion: from.sourceVersion, contentId: from.contentId, principals: from.principals },
    });
  if (kind === 'put') files.set(name, entry(name, content, version, principals));
  if (kind === 'take') files.delete(name);
  if (kind === 'rename' && one !== undefined && name !== other) {
    files.delete(name);
    put(other, one);
  }
  if (kind === 'swap' && one !== undefined && two !== undefined) {
    put(name, two);
    put(other, one);
  }
}

interface Expected {
  summary: SyncSummary;
  /** By external id: asset id (null: any new one), version, whether it is missing, revision, and readers. */
  files: Map<string, [id: string | null, version: string, isMissing: boolean, revision: number, readers: string]>;
}

const extension = (name: string): string => name.slice(name.lastIndexOf('.'));

function expectedOf(
  before: readonly Asset[],
  source: ReadonlyMap<string, SourceEntry>,
  organizationId: string,
): Expected {
  const knownReaders = ({ principals }: SourceEntry): string => (principals ?? [`org:${organizationId}`]).join(' ');
  const summary: SyncSummary = { new: 0, changed: 0, unchanged: 0, reauthorized: 0, moved: 0, removed: 0, failed: 0 };
  const files: Expected['files'] = new Map();
  const known = new Map(before.map((asset) => [asset.externalId, asset]));
  const absent = before.filter(({ externalId }) => !source.has(externalId));
  const fresh = [...source.values()].filter(({ externalId }) => !known.has(externalId));
  const movedIds = new Set<string>();
  for (const file of source.values()) {
    const asset = known.get(file.externalId);
    if (asset !== undefined) {
      const isSame =
        asset.sourceVersion === file.sourceVersion ||
        (file.contentId !== null && asset.synced?.contentId === file.contentId);
      const isGranted = readersOf(asset) !== knownReaders(file);
      summary[isSame ? (isGranted ? 'reauthorized' : 'unchanged') : 'changed'] += 1;
      files.set(file.externalId, [
        asset._id,
        file.sourceVersion,
        false,
        asset.latestRevision + (isSame ? 0 : 1),
        knownReaders(file),
      ]);
      continue;
    }
    const alike = absent.filter(({ synced }) => file.contentId !== null && synced?.contentId === file.contentId);
    const [only] = alike;
    const isOne =
      only !== undefined &&
      alike.length === 1 &&
      fresh.filter(({ contentId }) => contentId === file.contentId).length === 1;
    if (isOne && extension(only.externalId) === extension(file.externalId)) {
      summary.moved += 1;
      movedIds.add(only._id);
      // Readers change only with a source that has permissions now, or had them before.
      files.set(file.externalId, [only._id, file.sourceVersion, false, only.latestRevision, knownReaders(file)]);
    } else {
      summary.new += 1;
      files.set(file.externalId, [null, file.sourceVersion, false, 1, knownReaders(file)]);
    }
  }
  for (const asset of absent.filter(({ _id }) => !movedIds.has(_id))) {
    if (asset.sourceMissingSince === null) summary.removed += 1;
    files.set(asset.externalId, [asset._id, asset.sourceVersion, true, asset.latestRevision, readersOf(asset)]);
  }
  return { summary, files };
}

/** Runs a process that claims the sync and crashes as given. */
async function runUntilCrash(world: SyncWorld, { batches, isAfterBatch }: Step['crashes'][number]): Promise<void> {
  let left = batches;
  await world.crashAfter({
    apply: async (batch) => {
      if (left-- > 0) return world.apply(batch);
      if (isAfterBatch) await world.apply(batch);
      throw new Error('crash');
    },
  });
}

async function play(world: SyncWorld, { edits, crashes, pageSize }: Step): Promise<void> {
  for (const each of edits) change(world.source.files, each);
  world.source.pageSize = pageSize;
  const expected = expectedOf(await world.library(), world.source.files, (await world.connector()).organizationId);
  await world.request();
  for (const crash of crashes) await runUntilCrash(world, crash);
  const { sync, requestedAt } = await world.connector();
  const { lastSummary, lastError } =
    sync === null && requestedAt === null ? await world.connector() : await world.sync();
  await world.allReady();
  expect(lastError).toBeNull();
  expect(lastSummary).toEqual(expected.summary);
  const library = await world.library();
  const held = library.map((asset) => [
    asset.externalId,
    [
      expected.files.get(asset.externalId)?.[0] === null ? null : asset._id,
      asset.sourceVersion,
      asset.sourceMissingSince !== null,
      asset.latestRevision,
      readersOf(asset),
    ],
  ]);
  expect(new Map(held as [string, unknown][])).toEqual(expected.files);
  expect(library.length).toBe(expected.files.size);
  expect(await world.candidates()).toBe(0);
}

it('the library matches the source, and syncs count correctly, after crashes at any point', async () => {
  const app = await testApp();
  let run = 0;
  try {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 9, size: 'max' }), async (steps) => {
        run += 1;
        const world = await syncWorld({ _id: `connector-${run}`, organizationId: `organization-${run}` }, app);
        for (const each of steps) await play(world, each);
      }),
      { numRuns: Number(process.env['PLY_TEST_RUNS'] ?? 150), interruptAfterTimeLimit: 60_000 },
    );
  } finally {
    await app.close();
  }
});
