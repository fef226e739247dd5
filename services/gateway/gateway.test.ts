import { routeTable } from './table.ts';
import { ask, headersWith, played, startStage, type Stage } from './testing/stage.ts';

const asset = {
  externalId: 'handbook',
  filename: 'handbook.pdf',
  kind: 'document',
  sourceUrl: 'https://files.example.com/handbook.pdf',
  sourceVersion: '"v1"',
};
const accepted = {
  assetId: 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa',
  jobId: 'bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb',
  revision: 1,
};

describe('the gateway', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await startStage();
    stage.acts.set('registrar.register', () => accepted);
  });
  afterAll(() => stage.stop());

  it('registers a file', async () => {
    const answer = await ask(stage, 'POST', '/api/content/v1/assets', { body: asset });
    expect(answer.body).toEqual(accepted);
    expect(answer.status).toBe(202);
    expect(stage.calls.at(-1)).toMatchObject({
      action: 'registrar.register',
      input: { asset: { ...asset, language: 'multi', principals: null }, caller: { keyScope: 'standard' } },
    });
  });

  it.each(routeTable.map(({ method, path }) => [method, path]))(
    'serves %s %s by its own alias',
    async (method, path) => {
      const sent = path.replace(/\{(\w+)\}/g, accepted.assetId);
      const { status } = await ask(stage, method, sent, { key: played.admin });
      expect([404, 405]).not.toContain(status);
      expect(stage.log.join('')).not.toContain('was reached by another path');
    },
  );

  it('does not run the method of an OPTIONS request', async () => {
    const response = await fetch(`${stage.url}/api/content/v1/assets`, {
      method: 'OPTIONS',
      headers: { ...headersWith(played.standard), origin: 'https://a.example', 'access-control-request-method': 'GET' },
    });
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([405, null]);
  });

  it('responds in full to conditional requests without validators', async () => {
    const response = await ask(stage, 'GET', '/api/content/v1/assets', { headers: { 'if-none-match': '*' } });
    expect([response.status, response.body]).toEqual([200, {}]);
  });

  it('authenticates before it looks for the action', async () => {
    await stage.broker.destroyService('searcher');
    const unknown = await ask(stage, 'GET', '/api/content/v1/tuning/pins', { key: 'ply_unknown' });
    expect([unknown.status, unknown.body]).toEqual([401, expect.objectContaining({ code: 'invalid_api_key' })]);
    const known = await ask(stage, 'GET', '/api/content/v1/tuning/pins');
    expect([known.status, known.body]).toEqual([
      503,
      expect.objectContaining({ code: 'content_service_unavailable', retryable: true }),
    ]);
  });
});
