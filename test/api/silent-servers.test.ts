import { HttpDouble } from '../support/http-double.ts';
import { startTestProgram, type TestProgram } from './support/program.ts';

/** Accepts requests and never responds. */
class Silent extends HttpDouble {
  protected override answer(): Promise<void> {
    return Promise.resolve();
  }
}

describe('model servers that never respond', () => {
  const silent = new Silent();
  let program: TestProgram;
  beforeAll(async () => {
    const url = await silent.start();
    program = await startTestProgram({ PLY_EMBEDDINGS_URL: url, PLY_SPEECH_URL: url });
  });
  afterAll(async () => {
    await program.end();
    await silent.stop();
  });

  it('are reported as down, and the program is ready without them', async () => {
    const before = performance.now();
    const report: unknown = await (await fetch(`${program.url}/health/ready`)).json();
    // Probes have a timeout of five seconds, and parts are checked one after another.
    expect(performance.now() - before).toBeLessThan(5000);
    expect(report).toMatchObject({ ready: true, parts: { embeddings: { state: 'down' }, speech: { state: 'down' } } });
  });

  it('leave search by words', async () => {
    const before = performance.now();
    expect(
      (await program.standard.ask('POST', '/api/content/v1/search', { body: { query: 'a lighthouse' } })).status,
    ).toBe(200);
    // Far below the gateway's timeout of 30 seconds.
    expect(performance.now() - before).toBeLessThan(20_000);
  });
});
