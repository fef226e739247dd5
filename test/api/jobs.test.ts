import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Accepted, JobView } from '../../models/api.ts';
import { buildCompoundFile } from '../../formats/testing/compound.ts';
import { buildDocx, paragraph } from '../../formats/testing/office.ts';
import { buildPdf } from '../../formats/testing/pdf.ts';
import { content, expectRefused, until } from './support/client.ts';
import { startTestProgram, type TestProgram } from './support/program.ts';
import type { SourceFile } from './support/source.ts';

let program: TestProgram;
beforeAll(async () => {
  program = await startTestProgram({ PLY_MAX_DOCUMENT_BYTES: '3000000' });
});
afterAll(() => program.end());

const instant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
const unknown = '00000000-0000-4000-8000-000000000000';

/** The sequence of states that a job is observed in until the given one. */
async function statesUntil(accepted: Accepted, last: string): Promise<JobView[]> {
  const seen: JobView[] = [];
  await until(
    () => program.standard.job(accepted.jobId),
    (job) => {
      seen.push(job);
      return job.state === last;
    },
  );
  return seen;
}

async function found(word: string): Promise<string[]> {
  const { items } = await program.standard.search({ query: word });
  return items.map((item) => item.assetId);
}

describe('a job', () => {
  it('has exactly the documented fields, and passes the stages until it is ready', async () => {
    const reference = program.source.hold('plain.txt', 'the kingfisher dives');
    const accepted = await program.standard.register({ filename: 'plain.txt', ...reference });
    const working = await program.standard.reaches(accepted.jobId, 'extracting');
    expect(working).toEqual({
      jobId: accepted.jobId,
      assetId: accepted.assetId,
      revision: 1,
      state: 'extracting',
      stage: 'extracting',
      progress: expect.any(Number),
      errorCode: null,
      retryAt: null,
      attempt: 1,
      createdAt: expect.stringMatching(instant),
      updatedAt: expect.stringMatching(instant),
    });
    expect(await found('kingfisher')).toEqual([]);
    reference.release();
    const seen = await statesUntil(accepted, 'ready');
    expect(seen.at(-1)).toMatchObject({
      state: 'ready',
      stage: 'embedding',
      progress: 100,
      errorCode: null,
      retryAt: null,
      attempt: 1,
    });
    for (const { state, stage } of seen) expect([stage, 'queued', 'ready']).toContain(state);
    expect(await program.standard.asset(accepted.assetId)).toMatchObject({
      state: 'ready',
      activeRevision: 1,
      latestRevision: 1,
      revisionState: 'ready',
      warnings: [],
      contentSha256: createHash('sha256').update('the kingfisher dives').digest('hex'),
      latestJob: {
        jobId: accepted.jobId,
        state: 'ready',
        stage: 'embedding',
        progress: 100,
        errorCode: null,
        attempt: 1,
      },
    });
    expect(await found('kingfisher')).toEqual([accepted.assetId]);
  });

  it('is not found by an unknown or invalid id', async () => {
    expectRefused(await program.standard.ask('GET', `${content}/jobs/${unknown}`), [404, 'job_not_found']);
    expectRefused(await program.standard.ask('GET', `${content}/jobs/12`), [
      422,
      'validation_error',
      ['path', 'jobId'],
    ]);
    expectRefused(await program.standard.ask('POST', `${content}/jobs/${unknown}/cancel`), [404, 'job_not_found']);
    expectRefused(await program.standard.ask('GET', `${content}/assets/${unknown}/jobs`), [404, 'asset_not_found']);
  });

  it.each<[string, string, string | Uint8Array, string]>([
    ['text that is not UTF-8', 'latin.txt', Uint8Array.from([0x63, 0x61, 0x66, 0xe9]), 'text_encoding_must_be_utf8'],
    ['Markdown that is not UTF-8', 'latin.md', Uint8Array.from([0xff, 0xfe, 0x41, 0x00]), 'text_encoding_must_be_utf8'],
    ['CSV that is not UTF-8', 'latin.csv', Uint8Array.from([0x61, 0x2c, 0xe9, 0x0a]), 'text_encoding_must_be_utf8'],
    ['a PDF without text', 'scan.pdf', buildPdf([{}, {}]), 'ocr_required'],
    ['a broken PDF', 'broken.pdf', '%PDF-1.7\nnothing', 'document_unreadable'],
    ['a Word file that is none', 'broken.docx', 'plain words', 'document_unreadable'],
    [
      'a protected Word file',
      'locked.docx',
      buildCompoundFile(['EncryptionInfo', 'EncryptedPackage']),
      'document_encrypted',
    ],
    [
      'a Word file of an older format under a new name',
      'old.docx',
      buildCompoundFile(['WordDocument', '1Table']),
      'document_unreadable',
    ],
    ['a file that is too large', 'large.txt', 'x'.repeat(3_000_001), 'source_too_large'],
  ])('fails for good with %s', async (_, filename, body, code) => {
    const accepted = await program.standard.register({ filename, ...program.source.put(filename, body) });
    const job = await program.standard.reaches(accepted.jobId, 'failed');
    expect(job).toMatchObject({ errorCode: code, attempt: 1, retryAt: null, stage: 'extracting' });
    expect(await program.standard.asset(accepted.assetId)).toMatchObject({
      state: 'failed',
      revisionState: 'failed',
      activeRevision: null,
      latestJob: { state: 'failed', errorCode: code },
    });
    expectRefused(await program.standard.ask('POST', `${content}/jobs/${accepted.jobId}/cancel`), [
      409,
      'job_not_cancellable',
    ]);
  });

  it.each<[string, Partial<SourceFile>]>([
    ['another ETag', { etag: '"other"' }],
    ['no ETag', { etag: null }],
    ['a weak ETag', { etag: 'W/"registered"' }],
    ['an ETag without quotes', { etag: 'registered' }],
  ])('fails with source_version_changed where the source has %s', async (name, change) => {
    const file = `${name.replaceAll(' ', '-')}.txt`;
    const reference = program.source.put(file, 'changed', { etag: '"registered"' });
    program.source.change(file, change);
    const { jobId } = await program.standard.register(reference);
    expect(await program.standard.reaches(jobId, 'failed')).toMatchObject({ errorCode: 'source_version_changed' });
  });

  it('compares a digest with the content regardless of the ETag', async () => {
    const reference = program.source.put('digest.txt', 'an exact content', { etag: '"any"' });
    const digest = createHash('sha256').update('an exact content').digest('hex');
    const good = await program.standard.register({ ...reference, sourceVersion: `sha256:${digest}` });
    const bad = await program.standard.register({ ...reference, sourceVersion: `sha256:${'0'.repeat(64)}` });
    expect(await program.standard.reaches(good.jobId, 'ready')).toMatchObject({ errorCode: null });
    expect(await program.standard.reaches(bad.jobId, 'failed')).toMatchObject({ errorCode: 'source_version_changed' });
  });

  it.each([401, 403, 404, 410, 301, 302, 307])('waits for access if the source responds with %d', async (status) => {
    const file = `refusing-${status}.txt`;
    const reference = program.source.put(file, '', {
      status,
      headers: { Location: `${program.source.url}/elsewhere.txt` },
    });
    program.source.put('elsewhere.txt', 'elsewhere', { etag: reference.sourceVersion });
    const { assetId, jobId } = await program.standard.register(reference);
    expect(await program.standard.reaches(jobId, 'awaiting_source_access')).toMatchObject({
      errorCode: 'source_access_denied',
      stage: 'extracting',
      retryAt: null,
    });
    expect(await program.standard.asset(assetId)).toMatchObject({
      state: 'awaiting_source_access',
      revisionState: 'awaiting_source_access',
    });
    expect(program.source.count(file)).toBe(1);
    expect(program.source.count('elsewhere.txt')).toBe(0);
    expectRefused(
      await program.standard.ask('POST', `${content}/assets/${assetId}/reindex`, {
        headers: { 'Idempotency-Key': file },
      }),
      [409, 'asset_busy'],
    );
    expect(await program.standard.get(202, 'POST', `${content}/jobs/${jobId}/cancel`)).toEqual({
      jobId,
      state: 'cancelled',
    });
  });

  it('is retried after a temporary failure', async () => {
    const reference = program.source.put('flaky.txt', 'flaky words', { status: 503 });
    const accepted = await program.standard.register(reference);
    const seen: JobView[] = [];
    await until(
      () => program.standard.job(accepted.jobId),
      (job) => {
        seen.push(job);
        if (job.attempt >= 3 && job.state === 'retry_scheduled') program.source.change('flaky.txt', { status: 200 });
        return job.state === 'ready';
      },
    );
    const waiting = seen.filter((job) => job.state === 'retry_scheduled');
    expect(waiting.length).toBeGreaterThan(0);
    for (const job of waiting) {
      expect(job).toMatchObject({
        errorCode: 'source_unreachable',
        retryAt: expect.stringMatching(instant),
        stage: 'extracting',
      });
      expect(Date.parse(job.retryAt ?? '')).toBeGreaterThanOrEqual(Date.parse(job.updatedAt));
    }
    for (const job of seen) if (job.state !== 'retry_scheduled') expect(job.retryAt).toBeNull();
    expect(seen.at(-1)).toMatchObject({ attempt: 1, errorCode: null });
  });

  it('is retried if the connection breaks', async () => {
    const reference = program.source.put('short.txt', 'short', {
      headers: { 'Content-Length': '500', Connection: 'close' },
    });
    const accepted = await program.standard.register(reference);
    // Several attempts may precede the observed wait.
    const { asked, job } = await until(
      async () => {
        const before = program.source.count('short.txt');
        return {
          asked: before,
          job: await program.standard.job(accepted.jobId),
          isStill: () => program.source.count('short.txt') === before,
        };
      },
      ({ job: { state }, isStill }) => state === 'retry_scheduled' && isStill(),
    );
    expect(job).toMatchObject({ errorCode: 'source_unreachable', attempt: asked + 1 });
    await program.standard.get(202, 'POST', `${content}/jobs/${accepted.jobId}/cancel`);
  });

  it('is ready with a warning if there is no text', async () => {
    for (const [filename, body] of [
      ['empty.txt', ''],
      ['blank.md', '\n \n'],
      ['empty.html', '<html><body></body></html>'],
      ['empty.csv', ''],
      ['empty.docx', buildDocx(paragraph(''))],
    ] as const) {
      const accepted = await program.standard.indexed({ filename, ...program.source.put(filename, body) });
      const asset = await program.standard.asset(accepted.assetId);
      expect({ filename, codes: asset.warnings?.map((warning) => warning.code), state: asset.state }).toEqual({
        filename,
        codes: ['indexed_nothing'],
        state: 'ready',
      });
    }
  });

  it('has a warning if contentSha256 differs from the content', async () => {
    const { assetId } = await program.standard.indexed({
      ...program.source.put('mismatch.txt', 'mismatching'),
      contentSha256: 'a'.repeat(64),
    });
    const asset = await program.standard.asset(assetId);
    expect(asset.warnings).toEqual([{ code: 'content_digest_differs', detail: expect.any(String) }]);
    expect(asset.contentSha256).toBe(createHash('sha256').update('mismatching').digest('hex'));
  });
});

describe('cancelling a job', () => {
  async function neverReady(accepted: Accepted, word: string): Promise<void> {
    await pause(400);
    expect(await program.standard.job(accepted.jobId)).toMatchObject({
      state: 'cancelled',
      errorCode: null,
      retryAt: null,
    });
    expect(await program.standard.asset(accepted.assetId)).toMatchObject({
      activeRevision: null,
      revisionState: 'cancelled',
    });
    expect(await found(word)).toEqual([]);
    expectRefused(await program.standard.ask('POST', `${content}/jobs/${accepted.jobId}/cancel`), [
      409,
      'job_not_cancellable',
    ]);
  }

  it('during extraction stops it permanently, whatever the worker still does', async () => {
    const reference = program.source.hold('cancelled.txt', 'wagtail words');
    const accepted = await program.standard.register(reference);
    await program.standard.reaches(accepted.jobId, 'extracting');
    expect(await program.standard.get(202, 'POST', `${content}/jobs/${accepted.jobId}/cancel`)).toEqual({
      jobId: accepted.jobId,
      state: 'cancelled',
    });
    reference.release();
    await neverReady(accepted, 'wagtail');
  });

  it('at any time after its registration either stops it or is too late', async () => {
    const outcomes: string[] = [];
    // The words differ too much for spelling correction: a file that is not ready must not be found.
    const words = [
      'bittern',
      'dunlin',
      'whimbrel',
      'garganey',
      'fulmar',
      'ptarmigan',
      'shoveler',
      'moorhen',
      'kestrel',
      'guillemot',
      'lapwing',
      'siskin',
    ];
    for (const [index, word] of words.entries()) {
      const delay = index * 10;
      const accepted = await program.standard.register(program.source.put(`${word}.txt`, `some ${word} words`));
      await pause(delay);
      const answer = await program.standard.ask<{ state?: string; code?: string }>(
        'POST',
        `${content}/jobs/${accepted.jobId}/cancel`,
      );
      outcomes.push(String(answer.status));
      const { state } = await program.standard.job(accepted.jobId);
      expect({ status: answer.status, state }).toEqual(
        answer.status === 202 ? { status: 202, state: 'cancelled' } : { status: 409, state: 'ready' },
      );
      await pause(60);
      expect((await program.standard.job(accepted.jobId)).state).toBe(state);
      expect(await found(word)).toEqual(state === 'ready' ? [accepted.assetId] : []);
    }
    expect(outcomes).toContain('202');
  });

  it('that waits for its next attempt stops it', async () => {
    const reference = program.source.put('later.txt', 'sandpiper', { status: 500 });
    const accepted = await program.standard.register(reference);
    await program.standard.reaches(accepted.jobId, 'retry_scheduled');
    await program.standard.get(202, 'POST', `${content}/jobs/${accepted.jobId}/cancel`);
    program.source.change('later.txt', { status: 200 });
    const reads = program.source.count('later.txt');
    await neverReady(accepted, 'sandpiper');
    expect(program.source.count('later.txt')).toBeLessThanOrEqual(reads + 1);
  });

  it('twice concurrently cancels it once', async () => {
    const reference = program.source.hold('twice.txt', 'twice');
    const { jobId } = await program.standard.register(reference);
    const answers = await Promise.all(
      [1, 2, 3].map(() => program.standard.ask('POST', `${content}/jobs/${jobId}/cancel`)),
    );
    reference.release();
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 409, 409]);
  });
});
