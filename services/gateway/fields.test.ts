import { ask, played, startStage, type Stage } from './testing/stage.ts';

const api = '/api/content/v1';
const asset = {
  externalId: 'a',
  filename: 'a.txt',
  kind: 'document',
  sourceUrl: 'https://files.example.com/a.txt',
  sourceVersion: '"1"',
};

describe('the first invalid field', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await startStage();
  });
  afterAll(() => stage.stop());
  const fieldsOf = async (method: string, path: string, body: unknown): Promise<unknown> => {
    const { body: answer } = await ask(stage, method, api + path, { body });
    return typeof answer === 'object' && answer !== null && 'fields' in answer ? answer.fields : answer;
  };

  it.each<[string, unknown, (string | number)[]]>([
    ['the first missing one', {}, ['body', 'externalId']],
    ['the schema’s order, not the body’s', { sourceVersion: 1, externalId: 1 }, ['body', 'externalId']],
    ['a known one before an unknown one', { zebra: 1, ...asset, kind: 'x' }, ['body', 'kind']],
    ['an unknown one by its name', { ...asset, zebra: 1, apple: 2 }, ['body', 'zebra']],
    [
      'an unknown one inside',
      { ...asset, sourceAccess: { url: asset.sourceUrl, x: 1 } },
      ['body', 'sourceAccess', 'x'],
    ],
    ['an extension that is not indexed', { ...asset, filename: 'a.doc', sourceUrl: 'x' }, ['body', 'filename']],
    ['a position in a list', { ...asset, principals: ['a', 'b', ''] }, ['body', 'principals', 2]],
    ['a key with a dot', { ...asset, metadata: { 'a.b': null } }, ['body', 'metadata', 'a.b']],
    ['half of a surrogate pair', '{"externalId":"\\ud800"}', ['body', 'externalId']],
    ['a NUL', { ...asset, externalId: 'a\0' }, ['body', 'externalId']],
    ['a body that is a list', '[]', ['body']],
    ['a body that is no JSON', '{"a":', ['body']],
  ])('is %s', async (_, body, fields) => {
    expect(await fieldsOf('POST', '/assets', body)).toEqual(fields);
  });

  it('is the body if none was sent', async () => {
    expect(await fieldsOf('POST', '/search', undefined)).toEqual(['body']);
  });

  it('is the filter for its metadata, and the parameter as documented', async () => {
    expect(await fieldsOf('POST', '/search', { query: 'x', filter: { metadata: { a: { b: 1 } } } })).toEqual([
      'body',
      'filter',
      'metadata',
    ]);
    expect(await fieldsOf('POST', '/search', { query: 'x', offset: 201 })).toEqual(['body', 'offset']);
    expect(await fieldsOf('POST', '/search', '{"query":"x","limit":1e400}')).toEqual(['body', 'limit']);
    for (const list of ['assets', 'activity', 'collections'])
      expect(await fieldsOf('GET', `/${list}?offset=1000001`, undefined)).toEqual(['query', 'offset']);
  });

  it('is reported for each item of an import', async () => {
    await ask(stage, 'POST', `${api}/imports`, {
      body: { assets: [asset, { ...asset, filename: 'x' }, 7, { externalId: 'd' }] },
    });
    expect(stage.calls.at(-1)).toMatchObject({
      action: 'registrar.import',
      input: {
        items: [
          { asset: { externalId: 'a' } },
          { externalId: 'a', code: 'validation_error', fields: ['body', 'assets', 1, 'filename'] },
          { externalId: null, fields: ['body', 'assets', 2] },
          { externalId: 'd', fields: ['body', 'assets', 3, 'filename'] },
        ],
      },
    });
    expect((await ask(stage, 'POST', `${api}/imports`, { body: { assets: [] } })).body).toMatchObject({
      fields: ['body', 'assets'],
      detail: 'body.assets must have at least 1 entry.',
    });
    expect(await fieldsOf('POST', '/imports', { assets: Array(101).fill(asset) })).toEqual(['body', 'assets']);
  });

  it('refuses a registration if the plan lacks one of its features', async () => {
    const both = { ...asset, metadata: { a: 1 }, principals: ['a'] };
    const key = played.labelled;
    expect((await ask(stage, 'POST', `${api}/assets`, { body: { ...asset, metadata: { a: 1 } }, key })).status).toBe(
      202,
    );
    expect((await ask(stage, 'POST', `${api}/assets`, { body: both, key })).body).toMatchObject({
      code: 'not_included_in_plan',
      detail: expect.stringContaining('permissions'),
    });
    await ask(stage, 'POST', `${api}/imports`, { body: { assets: [both] }, key });
    expect(stage.calls.at(-1)).toHaveProperty('input.items', [
      { externalId: 'a', code: 'not_included_in_plan', detail: expect.stringContaining('permissions') },
    ]);
  });

  it('refuses features that the plan lacks', async () => {
    for (const [method, path, body] of [
      ['POST', '/assets', { ...asset, principals: ['a'] }],
      ['PUT', '/assets/aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa/permissions', { mode: 'restricted', principals: [] }],
    ] as const) {
      expect((await ask(stage, method, api + path, { body, key: played.planned })).body).toMatchObject({
        code: 'not_included_in_plan',
      });
    }
    expect(
      (
        await ask(stage, 'PUT', `${api}/assets/aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa/permissions`, {
          body: { mode: 'open' },
          key: played.planned,
        })
      ).status,
    ).toBe(200);
    for (const method of ['PUT', 'PATCH']) {
      expect(
        (await ask(stage, method, `${api}/settings`, { body: { requireAcl: true }, key: played.planned })).body,
      ).toMatchObject({ code: 'not_included_in_plan' });
      for (const requireAcl of [false, null])
        expect(
          (
            await ask(stage, method, `${api}/settings`, {
              body: { requireAcl, extractContentFromVideoFrames: true },
              key: played.planned,
            })
          ).status,
        ).toBe(200);
    }
  });

  it('is reported as valid JSON text, even with an invalid name', async () => {
    expect(await fieldsOf('POST', '/search', '{"query":"x","a\\ud800":1}')).toEqual(['body', 'a\ufffd']);
    const { body } = await ask(stage, 'POST', `${api}/assets`, {
      body: JSON.stringify(asset).replace('}', ',"metadata":{"\\udc00":1}}'),
    });
    expect(body).toMatchObject({ fields: ['body', 'metadata', '\ufffd'], field: 'body.metadata.\ufffd' });
    expect(JSON.stringify(body)).not.toMatch(/\\ud[89a-f]/i);
  });

  it('rounds a time up to a millisecond', async () => {
    for (const [fraction, milliseconds] of [
      ['00.5891Z', 589.1],
      ['00.589Z', 589],
      ['00.5890000Z', 589],
      ['00.000000001Z', 0.000001],
      ['00.9999+00:00', 999.9],
    ] as const) {
      await ask(stage, 'POST', `${api}/search`, {
        body: { query: 'x', filter: { createdBefore: `2026-01-01T00:00:${fraction}` } },
      });
      expect(stage.calls.at(-1)).toMatchObject({
        input: { request: { filter: { createdBefore: Date.UTC(2026, 0, 1) + Math.ceil(milliseconds) } } },
      });
    }
  });

  it('has ids in lower case, and no minus zero', async () => {
    await ask(stage, 'GET', `${api}/jobs/AAAAAAAA-AAAA-4AAA-8AAA-AAAAAAAAAAAA`);
    expect(stage.calls.at(-1)).toMatchObject({ input: { jobId: 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa' } });
    await ask(stage, 'POST', `${api}/search`, { body: '{"query":"x","offset":-0}' });
    expect(stage.calls.at(-1)).toMatchObject({ input: { request: { offset: 0 } } });
  });
});
