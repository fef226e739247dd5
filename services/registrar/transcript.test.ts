import { derivedKey } from '../../mixins/blocks/blocks.ts';
import { assetFolder } from '../../mixins/blobs/derived.ts';
import { complete, newRun } from '../../mixins/indexing/runs.ts';
import * as transitions from '../../mixins/work/transitions.ts';
import { readTranscript as readSegments, writeTranscript } from '../../mixins/transcript/transcript.ts';
import type { Caller } from '../../models/api.ts';
import type { Asset } from '../../models/asset.ts';
import type { Run } from '../../models/job.ts';
import { derivedNames, type Segment } from '../../models/transcript.ts';
import { testAsset } from '../../test/support/asset.ts';
import { testApp, type TestApp } from '../../test/support/app.ts';
import { embedRevision } from '../embedder/embed-revision.ts';
import { reindex } from './jobs.ts';
import { writeMetadata } from './attributes.ts';
import { startRun } from './register.ts';
import { Registrar, type OrganizationRecords } from './registrar.ts';
import { correctTranscript, readTranscript, type Correction } from './transcript.ts';

const organizationId = '6e3ad0c8-0000-4000-8000-00000000000a';
const caller: Caller = {
  accountId: 'account',
  organizationId,
  keyId: 'key',
  keyPrefix: 'ply_test',
  keyLabel: 'test',
  keyScope: 'standard',
  requestId: 'request',
};
const segments: Segment[] = ['the pump leaks', 'call the plumber'].map((text, i) => ({
  id: `s${i + 1}`,
  text,
  start: i * 10,
  end: i * 10 + 5,
  speaker: null,
  language: 'en',
  words: [{ text: text.slice(0, 3), start: i * 10, end: i * 10 + 1, confidence: 1 }],
  timingPrecision: 'word',
}));

describe('correcting a transcript', () => {
  let test: TestApp;
  let registrar: Registrar;
  let records: OrganizationRecords;
  let jobs: number;

  beforeEach(async () => {
    test = await testApp();
    registrar = new Registrar(
      test.app,
      () => Promise.resolve(),
      () => undefined,
    );
    records = registrar.of(organizationId);
    jobs = 0;
    await records.assets.insert(
      testAsset({ organizationId, kind: 'audio', run: { ...newRun('first', 1, 0), stage: 'embedding' } }),
    );
    await writeTranscript(test.app.blobs, keyOf(1), segments);
    await worked();
  });
  afterEach(() => test.close());

  const keyOf = (revision: number, name: string = derivedNames.transcript): string =>
    derivedKey(organizationId, 'asset', revision, name);
  const present = (): Promise<Asset> => registrar.present(organizationId, 'asset');

  /** Does the embedding of the asset's run, like a worker. */
  async function worked(): Promise<Asset> {
    const write = async (asset: Asset, { filter, change }: transitions.Transition): Promise<Asset> => {
      const written = await records.assets.update(asset._id, filter, change);
      if (written === null) throw new Error('the transition was refused');
      return written;
    };
    const claimed = await write(
      await present(),
      transitions.claim(await present(), { owner: 'worker', held: 1 }, test.app.records.time(), 30_000),
    );
    const { facts, outbox } = await embedRevision(test.app, {
      asset: claimed,
      signal: new AbortController().signal,
      progress: () => undefined,
      setFailureOutbox: () => undefined,
    });
    const ready = await write(claimed, complete(claimed, facts, outbox, test.app.records.time()));
    await registrar.drain(ready);
    return present();
  }

  function correct(
    revision: number,
    edits: Correction['edits'],
    jobId = `job-${++jobs}`,
  ): ReturnType<typeof correctTranscript> {
    return correctTranscript(registrar, caller, 'asset', { revision, edits, jobId });
  }

  async function texts(revision: number, name?: string): Promise<string[]> {
    const all: string[] = [];
    for await (const segment of readSegments(test.app.blobs, keyOf(revision, name))) all.push(segment.text);
    return all;
  }

  async function derived(): Promise<string[]> {
    const folder = assetFolder(organizationId, 'asset');
    const names: string[] = [];
    for await (const { key } of test.app.blobs.list(folder)) names.push(key.slice(folder.length));
    return names.sort();
  }

  it('leaves the corrected text, and that before the first correction, only in the new revision', async () => {
    expect(await correct(1, [{ id: 's1', text: 'the valve leaks' }])).toEqual({
      assetId: 'asset',
      jobId: 'job-1',
      revision: 2,
    });
    expect((await present()).run).toMatchObject({ purpose: 'correct', stage: 'embedding', state: 'queued' });
    expect(await readTranscript(registrar, caller, 'asset', false, null)).toMatchObject({ revision: 1, key: keyOf(1) });
    const asset = await worked();
    expect(asset).toMatchObject({ activeRevision: 2, outbox: [] });
    expect(await derived()).toEqual(['2/transcript.ndjson', '2/uncorrected.ndjson']);
    await correct(2, [{ id: 's2', text: 'call Joe' }]);
    await worked();
    expect(await derived()).toEqual(['3/transcript.ndjson', '3/uncorrected.ndjson']);
    expect([await texts(3), await texts(3, derivedNames.uncorrected)]).toEqual([
      ['the valve leaks', 'call Joe'],
      segments.map(({ text }) => text),
    ]);
  });

  it('charges nothing, and keeps the facts of the content', async () => {
    const before = await records.assets.update(
      'asset',
      {},
      { set: { 'facts.sha256': 'digest', 'facts.duplicateOf': 'twin' } },
    );
    expect(before).not.toBeNull();
    await correct(1, []);
    const claimed = { ...(await present()), run: { ...(await present()).run } };
    const { outbox, facts } = await embedRevision(test.app, {
      asset: claimed,
      signal: new AbortController().signal,
      progress: () => undefined,
      setFailureOutbox: () => undefined,
    });
    expect(outbox).toEqual([]);
    expect(facts).toMatchObject({ sha256: 'digest', duplicateOf: 'twin', passages: 1 });
  });

  it('of many concurrent ones is accepted once; the texts of the others are removed', async () => {
    const answers = await Promise.allSettled(
      Array.from({ length: 8 }, (_, i) => correct(1, [{ id: 's1', text: `variant ${i}` }])),
    );
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const answer of answers)
      if (answer.status === 'rejected') expect(answer.reason).toMatchObject({ type: 'revision_conflict' });
    const { run } = await present();
    expect(await derived()).toEqual(['1/transcript.ndjson', `2/correction-${run.jobId}.ndjson`]);
  });

  it('is not affected by changes of the document other than its text', async () => {
    const { assets } = records;
    let interfered = 0;
    const interfering = new Registrar(
      {
        ...test.app,
        blobs: {
          ...test.app.blobs,
          write: async (key, body) => {
            const bytes = await test.app.blobs.write(key, body);
            interfered += 1;
            await writeMetadata(registrar, caller, 'asset', { interfered });
            return bytes;
          },
        },
      },
      () => Promise.resolve(),
      () => undefined,
    );
    expect(
      await correctTranscript(interfering, caller, 'asset', {
        revision: 1,
        edits: [{ id: 's1', text: 'x' }],
        jobId: 'job',
      }),
    ).toMatchObject({ revision: 2 });
    expect(interfered).toBe(1);
    expect((await assets.get('asset'))?.metadata).toEqual({ interfered: 1 });
  });

  it('with the same job again is the same correction', async () => {
    const first = await correct(1, [{ id: 's1', text: 'x' }], 'same');
    expect(await correct(1, [{ id: 's1', text: 'x' }], 'same')).toEqual(first);
    await worked();
    await correct(2, [{ id: 's1', text: 'y' }]);
    expect(await correct(1, [{ id: 's1', text: 'x' }], 'same')).toEqual(first);
  });

  it('that crashed between its two writes leaves nothing behind once its revision number is used', async () => {
    await test.app.blobs.write(keyOf(2, 'correction-dead.ndjson'), Buffer.from('{}\n'));
    await correct(1, [{ id: 's1', text: 'second try' }]);
    await worked();
    await correct(2, []);
    await worked();
    expect(await derived()).toEqual(['3/transcript.ndjson', '3/uncorrected.ndjson']);
    expect(await texts(3)).toEqual(['second try', 'call the plumber']);
  });

  it('is based on a waiting one, whether its text was adopted yet or not', async () => {
    await correct(1, [{ id: 's1', text: 'one' }]);
    await correct(2, [{ id: 's2', text: 'two' }]);
    // As after a worker that crashed before it wrote the index.
    await test.app.blobs.write(keyOf(3), test.app.blobs.read(keyOf(3, 'correction-job-2.ndjson')));
    await test.app.blobs.remove(keyOf(3, 'correction-job-2.ndjson'));
    await correct(3, [{ id: 's2', text: 'three' }]);
    await worked();
    expect(await texts(4)).toEqual(['one', 'three']);
    await expect(correct(3, [])).rejects.toMatchObject({ type: 'revision_conflict' });
  });

  async function put(run: Partial<Run>): Promise<void> {
    const asset = await present();
    const started = await startRun(
      registrar,
      records.assets,
      records.archive,
      asset,
      `run-${asset.latestRevision + 1}`,
      {},
      0,
      run,
    );
    expect(started).not.toBeNull();
  }

  it('accepts the active revision too where a later one failed, or has the same text', async () => {
    await put({ state: 'cancelled', phase: 'ended' });
    expect(await correct(1, [{ id: 's1', text: 'one' }])).toMatchObject({ revision: 3 });
    await worked();
    await put({ state: 'failed', phase: 'ended' });
    expect(await correct(4, [{ id: 's1', text: 'two' }])).toMatchObject({ revision: 5 });
    await worked();
    await put({ purpose: 'reembed', stage: 'embedding' });
    expect(await correct(5, [{ id: 's2', text: 'three' }])).toMatchObject({ revision: 7 });
    await worked();
    expect(await texts(7)).toEqual(['two', 'three']);
  });

  it('is refused while the recording is read again', async () => {
    await correct(1, [{ id: 's1', text: 'corrected' }]);
    await worked();
    await reindex(registrar, caller, 'asset', 'again');
    await expect(correct(3, [])).rejects.toMatchObject({ type: 'transcript_not_ready' });
    await expect(correct(2, [])).rejects.toMatchObject({ type: 'revision_conflict' });
    expect(await readTranscript(registrar, caller, 'asset', false, null)).toMatchObject({ revision: 2 });
  });

  it('is kept by re-embedding', async () => {
    await correct(1, [{ id: 's1', text: 'the valve leaks' }]);
    await worked();
    await put({ purpose: 'reembed', stage: 'embedding' });
    await worked();
    expect(await texts(3)).toEqual(['the valve leaks', 'call the plumber']);
    expect(await derived()).toEqual(['3/transcript.ndjson', '3/uncorrected.ndjson']);
  });

  it('that empties every segment is reported as an empty recording, until a segment has words again', async () => {
    await correct(
      1,
      segments.map(({ id }) => ({ id, text: '' })),
    );
    expect((await worked()).facts).toMatchObject({ passages: 0, warnings: [{ code: 'indexed_nothing' }] });
    await correct(2, [{ id: 's2', text: 'words again' }]);
    expect((await worked()).facts).toMatchObject({ passages: 1, warnings: [] });
  });
});
