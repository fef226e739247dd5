import { ask, startStage, type Stage } from './testing/stage.ts';

const asset = { externalId: 'handbook', filename: 'handbook.pdf', kind: 'document', sourceUrl: 'https://files.example.com/handbook.pdf', sourceVersion: '"v1"' };
const accepted = { assetId: 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa', jobId: 'bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb', revision: 1 };

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
    expect(stage.calls.at(-1)).toMatchObject({ action: 'registrar.register', input: { asset: { ...asset, language: 'multi', principals: null }, caller: { keyScope: 'standard' } } });
  });
});
