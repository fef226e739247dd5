import { newRun } from '../../mixins/indexing/runs.ts';
import type { Accepted, SearchItem } from '../../models/api.ts';
import type { Run } from '../../models/job.ts';
import type { Segment, TranscriptView } from '../../models/transcript.ts';
import { content, expectRefused, until, type Answer, type ErrorBody } from './support/client.ts';
import { startTestProgram, type TestProgram } from './support/program.ts';
import { serveRecordings, type TranscribedRecording } from './support/recordings.ts';

/** A segment whose words take 0.4 s each. */
function spoken(id: string, start: number, text: string, more: Partial<Segment> = {}): Segment {
  const words = text.split(' ').map((word, index) => ({
    text: word,
    start: start + index * 0.4,
    end: start + index * 0.4 + 0.3,
    confidence: 0.9,
  }));
  return {
    id,
    text,
    start,
    end: start + words.length * 0.4,
    speaker: null,
    language: 'en',
    words,
    timingPrecision: 'word',
    ...more,
  };
}

const lecture = (): Segment[] => [
  spoken('s1', 0, 'welcome to the lecture about volcanoes', { speaker: 'Ann' }),
  spoken('s2', 10, 'molten rock below the ground is called magma', { speaker: 'Ann' }),
  spoken('s3', 20, 'when it reaches the surface we say lava', { speaker: 'Ann' }),
  spoken('s4', 65, 'and where are the glaciers near volcanoes', { speaker: 'Bob' }),
  spoken('s5', 70, 'und wo sind die Gletscher', { speaker: 'Bob', language: 'de' }),
];

const long = (): Segment[] =>
  Array.from({ length: 8000 }, (_, index) =>
    spoken(`s${index}`, index * 5.4, `segment number ${index} of a very long recording with some words`),
  );
const slides = [
  {
    text: 'Agenda: obsidian',
    location: { source: 'slide' as const, startSeconds: 5, endSeconds: 30 },
    group: 'slide 1',
  },
];
const paused: Run = {
  ...newRun('00000000-0000-4000-8000-000000000001', 1, 0),
  stage: 'embedding',
  phase: 'paused',
  state: 'awaiting_source_access',
};

/** Recordings for the tests, by kind. */
const recordings = {
  lecture: Array.from({ length: 12 }, () => ({ segments: lecture() })),
  long: [{ segments: long() }],
  silent: [{ segments: null }],
  withSlides: [{ segments: lecture(), slides }],
  paused: [{ segments: lecture(), fields: { run: paused } }],
} satisfies { [kind: string]: TranscribedRecording[] };
const left = new Map<string, Accepted[]>();

let program: TestProgram;
beforeAll(async () => {
  program = await startTestProgram();
  const placed = await serveRecordings(program, Object.values(recordings).flat());
  for (const [kind, each] of Object.entries(recordings)) left.set(kind, placed.splice(0, each.length));
});
afterAll(() => program.end());

const pathOf = (assetId: string): string => `${content}/assets/${assetId}/transcript`;

/** The next indexed recording of a kind. */
async function taken(kind: keyof typeof recordings = 'lecture'): Promise<Accepted> {
  const next = left.get(kind)?.shift();
  if (next === undefined) throw new Error(`too few recordings: ${kind}`);
  if (kind !== 'paused') await program.standard.reaches(next.jobId, 'ready');
  return next;
}

function read(assetId: string): Promise<Answer<TranscriptView>> {
  return program.standard.ask<TranscriptView>('GET', pathOf(assetId));
}

function patch<T = ErrorBody>(
  assetId: string,
  ifMatch: string,
  segments: { id: string; text: string }[],
  headers: Record<string, string> = {},
): Promise<Answer<T>> {
  return program.standard.ask<T>('PATCH', pathOf(assetId), {
    body: { segments },
    headers: { 'If-Match': ifMatch, ...headers },
  });
}

async function correct(assetId: string, ifMatch: string, segments: { id: string; text: string }[]): Promise<Accepted> {
  const answer = await patch<Accepted>(assetId, ifMatch, segments);
  expect(answer.status).toBe(202);
  await program.standard.reaches(answer.body.jobId, 'ready');
  return answer.body;
}

async function found(assetId: string, query: string, more: object = {}): Promise<SearchItem[]> {
  return (
    await program.standard.search({
      query,
      ...more,
      filter: { assetIds: [assetId], ...('filter' in more ? (more.filter as object) : {}) },
    })
  ).items;
}

describe('a transcript', () => {
  it('has its revision as the ETag', async () => {
    const { assetId } = await taken();
    const { status, headers, body } = await read(assetId);
    expect([status, headers.get('etag'), headers.get('content-type')]).toEqual([
      200,
      '"1"',
      'application/json; charset=utf-8',
    ]);
    expect(body).toEqual({ revision: 1, warnings: [], segments: lecture() });
    expect(Object.keys(body.segments[0] ?? {})).toEqual([
      'id',
      'text',
      'start',
      'end',
      'speaker',
      'language',
      'words',
      'timingPrecision',
    ]);
    const head = await fetch(`${program.url}${pathOf(assetId)}`, {
      method: 'HEAD',
      headers: { Authorization: `ApiKey ${program.standard.key}`, 'X-Organization-Id': program.organizationId },
    });
    expect([head.status, head.headers.get('etag'), await head.text()]).toEqual([200, '"1"', '']);
  });

  it('does not exist for documents, unfinished recordings and other organizations', async () => {
    const document = await program.standard.indexed(program.source.put('a.txt', 'a document'));
    expectRefused(await program.standard.ask('GET', pathOf(document.assetId)), [409, 'transcript_not_ready']);
    expectRefused(await patch(document.assetId, '"1"', []), [409, 'transcript_not_ready']);
    const waiting = await taken('paused');
    expectRefused(await program.standard.ask('GET', pathOf(waiting.assetId)), [409, 'transcript_not_ready']);
    expectRefused(await patch(waiting.assetId, '1', []), [409, 'transcript_not_ready']);
    const { assetId } = await taken();
    const other = program.standard.as((await program.admin.createOrganization('Other')).id);
    expectRefused(await other.ask('GET', pathOf(assetId)), [404, 'asset_not_found']);
    expectRefused(await other.ask('PATCH', pathOf(assetId), { body: { segments: [] }, headers: { 'If-Match': '1' } }), [
      404,
      'asset_not_found',
    ]);
  });

  it('of a recording without speech is empty, with a warning', async () => {
    const { assetId } = await taken('silent');
    expect((await read(assetId)).body).toMatchObject({
      revision: 1,
      segments: [],
      warnings: [{ code: 'indexed_nothing' }],
    });
    expectRefused(await patch(assetId, '1', [{ id: 's1', text: 'x' }]), [400, 'invalid_segment_ids']);
  });

  it('of twelve hours is returned completely', async () => {
    const { assetId } = await taken('long');
    const { body } = await read(assetId);
    expect(body.segments).toHaveLength(8000);
    expect(body.segments[7999]).toEqual(long()[7999]);
    const [item] = await found(assetId, '"number 7000"');
    expect(item?.location.startSeconds).toBeGreaterThan(37_000);
  });
});

describe('a search of speech', () => {
  it('finds passages with times, speaker, language and playback position', async () => {
    const { assetId } = await taken();
    const [magma] = await found(assetId, 'magma');
    expect(magma).toMatchObject({
      kind: 'audio',
      speaker: 'Ann',
      language: 'en',
      location: { startSeconds: 0, endSeconds: 23.2, timingPrecision: 'word' },
    });
    // "magma" is the eighth word of the segment at 10 s.
    expect(magma?.location.playFromSeconds).toBeCloseTo(10 + 7 * 0.4 - 1.5, 2);
    expect((await found(assetId, 'lava'))[0]?.location).toEqual({
      ...magma?.location,
      playFromSeconds: expect.closeTo(20 + 7 * 0.4 - 1.5, 2),
    });
    expect((await found(assetId, 'lecture volcanoes'))[0]?.location.playFromSeconds).toBe(0);
    const [german] = await found(assetId, 'Gletscher', { filter: { language: 'de' } });
    expect(german).toMatchObject({
      speaker: 'Bob',
      language: 'de',
      location: { startSeconds: 70, playFromSeconds: 70.1 },
    });
    expect(await found(assetId, 'magma', { filter: { speaker: 'Bob' } })).toEqual([]);
    const [grouped] = await found(assetId, 'volcanoes', { group: 'file' });
    expect(grouped?.moments?.map(({ location }) => location.startSeconds)).toEqual([0, 65]);
  });

  it('distinguishes slides from speech', async () => {
    const { assetId } = await taken('withSlides');
    expect((await found(assetId, 'obsidian'))[0]?.location).toEqual({
      source: 'slide',
      startSeconds: 5,
      endSeconds: 30,
      playFromSeconds: 5,
      timingPrecision: 'segment',
    });
    const { revision } = await correct(assetId, '1', [{ id: 's2', text: 'molten rock is called basalt' }]);
    expect((await found(assetId, 'obsidian'))[0]).toMatchObject({ revision });
  });
});

describe('a correction', () => {
  it('is indexed as the next revision without a source, and replaced words are not found', async () => {
    const { assetId } = await taken();
    const accepted = await patch<Accepted>(assetId, '"1"', [
      { id: 's2', text: 'molten rock below the ground is called pumice' },
      { id: 's4', text: '' },
    ]);
    expect(accepted).toMatchObject({ status: 202, body: { assetId, revision: 2 } });
    await program.standard.reaches(accepted.body.jobId, 'ready');
    const { headers, body } = await read(assetId);
    expect(headers.get('etag')).toBe('"2"');
    const [s1, s2, s3, s4, s5] = lecture();
    expect(body).toEqual({
      revision: 2,
      warnings: [],
      segments: [
        s1,
        { ...s2, text: 'molten rock below the ground is called pumice', words: [], timingPrecision: 'segment' },
        s3,
        { ...s4, text: '', words: [], timingPrecision: 'segment' },
        s5,
      ],
    });
    expect(await found(assetId, 'magma')).toEqual([]);
    expect(await found(assetId, 'glaciers')).toEqual([]);
    const [pumice] = await found(assetId, 'pumice');
    expect(pumice).toMatchObject({
      revision: 2,
      location: { startSeconds: 0, endSeconds: 23.2, timingPrecision: 'segment' },
    });
    // Estimated from its share of the characters in the segment, which is 3.2 s long.
    expect(pumice?.location.playFromSeconds).toBeCloseTo(10 + (39 / 45) * 3.2 - 1.5, 1);
    expect(await program.standard.asset(assetId)).toMatchObject({
      activeRevision: 2,
      latestRevision: 2,
      state: 'ready',
      sourceVersion: '"1"',
    });
  });

  it('keeps the words of unchanged segments, and uses the last of several texts', async () => {
    const { assetId } = await taken();
    await correct(assetId, '1', [
      { id: 's1', text: lecture()[0]?.text ?? '' },
      { id: 's3', text: 'first' },
      { id: 's3', text: 'second' },
    ]);
    const { segments } = (await read(assetId)).body;
    expect(segments[0]).toEqual(lecture()[0]);
    expect(segments[2]).toMatchObject({ text: 'second', words: [] });
  });

  it('is accepted once of ten concurrent ones; the others conflict', async () => {
    const { assetId } = await taken();
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        patch<Accepted & ErrorBody>(assetId, '"1"', [{ id: 's2', text: `variant number${index}` }]),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([202, ...Array<number>(9).fill(412)]);
    for (const { status, body } of answers) if (status === 412) expect(body.code).toBe('revision_conflict');
    const won = answers.findIndex(({ status }) => status === 202);
    await program.standard.reaches(answers[won]?.body.jobId ?? '', 'ready');
    expect((await read(assetId)).body.segments[1]?.text).toBe(`variant number${won}`);
  });

  it('may be based on one that is not indexed yet, by its revision', async () => {
    const { assetId } = await taken();
    const first = (await patch<Accepted>(assetId, '1', [{ id: 's1', text: 'first change' }])).body;
    expectRefused(await patch(assetId, '1', [{ id: 's2', text: 'late change' }]), [412, 'revision_conflict']);
    const second = await correct(assetId, String(first.revision), [{ id: 's2', text: 'second change' }]);
    expect(second.revision).toBe(3);
    expect((await read(assetId)).body.segments.slice(0, 2).map(({ text }) => text)).toEqual([
      'first change',
      'second change',
    ]);
    expect(['ready', 'cancelled']).toContain((await program.standard.job(first.jobId)).state);
  });

  it('is made once with an Idempotency-Key', async () => {
    const { assetId } = await taken();
    const headers = { 'Idempotency-Key': 'correction' };
    const first = await patch<Accepted>(assetId, '1', [{ id: 's1', text: 'once' }], headers);
    const again = await patch<Accepted>(assetId, '1', [{ id: 's1', text: 'once' }], headers);
    expect([again.status, again.body, again.headers.get('idempotency-replayed')]).toEqual([202, first.body, 'true']);
    expectRefused(await patch(assetId, '1', [{ id: 's1', text: 'twice' }], headers), [409, 'idempotency_conflict']);
  });

  it('that is cancelled does not change the transcript, which can be corrected again', async () => {
    const { assetId } = await taken();
    const { jobId } = (await patch<Accepted>(assetId, '1', [{ id: 's1', text: 'never' }])).body;
    const cancelled = await program.standard.ask('POST', `${content}/jobs/${jobId}/cancel`);
    if (cancelled.status !== 202) return expectRefused(cancelled, [409, 'job_not_cancellable']);
    expect((await read(assetId)).body).toEqual({ revision: 1, warnings: [], segments: lecture() });
    const { revision } = await correct(assetId, '"1"', [{ id: 's1', text: 'after all' }]);
    expect(revision).toBe(3);
  });

  it.each<[string, string, number, string, (string | number)[] | null]>([
    ['a missing header', '', 422, 'validation_error', ['header', 'If-Match']],
    ['an asterisk', '*', 422, 'validation_error', ['header', 'If-Match']],
    ['a word', 'abc', 422, 'validation_error', ['header', 'If-Match']],
    ['an open quote', '"1', 422, 'validation_error', ['header', 'If-Match']],
    ['a list', '"1", "2"', 422, 'validation_error', ['header', 'If-Match']],
    ['an earlier revision', '"0"', 412, 'revision_conflict', null],
    ['a later revision', '7', 412, 'revision_conflict', null],
  ])('with %s in If-Match is refused', async (_, ifMatch, status, code, fields) => {
    const { assetId } = (shared ??= await taken());
    expectRefused(await patch(assetId, ifMatch, []), fields === null ? [status, code] : [status, code, fields]);
  });
  let shared: Accepted | undefined;

  it('must respect the limits and existing segments', async () => {
    const { assetId } = (shared ??= await taken());
    const edits = (count: number): { id: string; text: string }[] =>
      Array.from({ length: count }, (_, index) => ({ id: `x${index}`, text: 'x' }));
    expectRefused(await patch(assetId, '1', edits(10_001)), [422, 'validation_error', ['body', 'segments']]);
    expectRefused(await patch(assetId, '1', edits(10_000)), [400, 'invalid_segment_ids']);
    expectRefused(
      await patch(assetId, '1', [
        { id: 's1', text: 'x' },
        { id: 's2', text: 'x'.repeat(20_001) },
      ]),
      [422, 'validation_error', ['body', 'segments', 1, 'text']],
    );
    expectRefused(
      await patch(assetId, '1', [
        { id: 's1', text: 'x' },
        { id: 'unknown', text: 'x' },
      ]),
      [400, 'invalid_segment_ids'],
    );
    expectRefused(await patch(assetId, '9', [{ id: 'unknown', text: 'x' }]), [412, 'revision_conflict']);
    expect((await read(assetId)).body).toEqual({ revision: 1, warnings: [], segments: lecture() });
    const longest = '\u{1F600}'.repeat(10_000) + ' y'.repeat(5000);
    await correct(assetId, 'W/"1"', [{ id: 's1', text: longest }]);
    expect((await read(assetId)).body.segments[0]?.text).toBe(longest);
  });

  it('survives a kill after the response', async () => {
    const { assetId } = await taken();
    const { jobId } = (await patch<Accepted>(assetId, '1', [{ id: 's2', text: 'corrected before the end' }])).body;
    await program.process.kill();
    await program.start();
    await program.standard.reaches(jobId, 'ready');
    expect((await read(assetId)).body.segments[1]?.text).toBe('corrected before the end');
    const removal = await program.standard.get<Accepted>(202, 'DELETE', `${content}/assets/${assetId}`);
    expectRefused(await patch(assetId, '2', []), [404, 'asset_not_found']);
    await until(
      () => program.standard.ask('GET', `${content}/jobs/${removal.jobId}`),
      ({ status }) => status === 404,
    );
  });
});
