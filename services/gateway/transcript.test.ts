import { ask, played, startStage, headersWith, type Stage } from './testing/stage.ts';

const path = '/api/content/v1/assets/aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa/transcript';
const accepted = { assetId: 'a', jobId: 'j', revision: 2 };

describe('a response from the blobs', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await startStage();
  });
  afterAll(() => stage.stop());
  const at = (key: string | null, revision = 3): void =>
    void stage.acts.set('registrar.readTranscript', () => ({ revision, warnings: [{ code: 'a', detail: 'b' }], key }));

  it.each([0, 1, 2, 7, 40])('is a list of its %d lines, with its ETag', async (count) => {
    const segments = Array.from({ length: count }, (_, index) => ({
      id: `s${index}`,
      text: 'a, b\nc "ü" \u2028',
      words: [],
    }));
    stage.stored.set('key', segments.map((segment) => `${JSON.stringify(segment)}\n`).join(''));
    at('key');
    const { status, headers, body } = await ask(stage, 'GET', path);
    expect([status, headers.get('etag'), headers.get('content-type')]).toEqual([
      200,
      '"3"',
      'application/json; charset=utf-8',
    ]);
    expect(body).toEqual({ revision: 3, warnings: [{ code: 'a', detail: 'b' }], segments });
  });

  it('is empty if nothing is stored', async () => {
    at(null);
    expect((await ask(stage, 'GET', path)).body).toMatchObject({ segments: [] });
  });

  it('is of the next revision if the previous one was removed meanwhile, or 404 if all are', async () => {
    stage.stored.set('new', '{"id":"n"}\n');
    let asked = 0;
    stage.acts.set('registrar.readTranscript', () => ({
      revision: ++asked,
      warnings: [],
      key: asked === 1 ? 'old' : 'new',
    }));
    expect((await ask(stage, 'GET', path)).body).toEqual({ revision: 2, warnings: [], segments: [{ id: 'n' }] });
    at('old');
    expect((await ask(stage, 'GET', path)).status).toBe(500);
  });

  it('is complete for a slow client, without buffering', async () => {
    stage.stored.set('long', `${JSON.stringify({ id: 's', text: 'x'.repeat(1000) })}\n`.repeat(3000));
    at('long');
    const response = await fetch(stage.url + path, { headers: headersWith(played.standard) });
    await new Promise((resolve) => setTimeout(resolve, 300));
    const body = (await response.json()) as { segments: unknown[] };
    expect(body.segments).toHaveLength(3000);
  });

  it('closes the blob if the client disconnects', async () => {
    at('long');
    const leaving = new AbortController();
    await fetch(stage.url + path, { headers: headersWith(played.standard), signal: leaving.signal });
    leaving.abort();
    expect((await ask(stage, 'GET', path.replace('aaaa', 'bbbb'))).status).toBe(200);
    expect(stage.log.filter((line) => !line.includes('BlobNotFound'))).toEqual([]);
  });
});

describe('If-Match', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await startStage();
    stage.acts.set('registrar.correctTranscript', () => accepted);
  });
  afterAll(() => stage.stop());
  const send = (headers: { [name: string]: string }, body: unknown = { segments: [] }): ReturnType<typeof ask> =>
    ask(stage, 'PATCH', path, { body, headers });

  it.each([
    ['"12"', 12],
    ['12', 12],
    ['W/"12"', 12],
    ['"0"', 0],
  ])('%s names revision %d', async (sent, revision) => {
    expect((await send({ 'If-Match': sent }, { segments: [{ id: 's', text: '' }] })).status).toBe(202);
    expect(stage.calls.at(-1)).toMatchObject({
      action: 'registrar.correctTranscript',
      input: { revision, edits: [{ id: 's', text: '' }] },
    });
  });

  it.each(['', '*', '"*"', 'x', '"1', '1"', '-1', '1.5', '"1", "2"', '1234567890123456'])(
    '%j is refused before the body',
    async (sent) => {
      expect(await send({ 'If-Match': sent }, { surprising: 1 })).toMatchObject({
        status: 422,
        body: { code: 'validation_error', fields: ['header', 'If-Match'], field: 'header.If-Match' },
      });
    },
  );

  it('is required, and checked before the Idempotency-Key', async () => {
    expect(await send({ 'Idempotency-Key': 'x'.repeat(256) })).toMatchObject({
      status: 422,
      body: { fields: ['header', 'If-Match'] },
    });
    expect(await send({ 'If-Match': '1', 'Idempotency-Key': 'x'.repeat(256) })).toMatchObject({
      status: 422,
      body: { fields: ['header', 'Idempotency-Key'] },
    });
  });
});
