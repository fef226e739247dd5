import { HttpDouble } from '../support/http-double.ts';
import { startTestProgram, type TestProgram } from './support/program.ts';

/** Takes every request, and answers none. */
class Silent extends HttpDouble {
  protected override answer(): Promise<void> {
    return Promise.resolve();
  }
}

describe('models behind servers that take requests and never answer', () => {
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

  it('are down, and told so in time: the program is ready without them', async () => {
    const before = performance.now();
    const report: unknown = await (await fetch(`${program.url}/health/ready`)).json();
    // Probes of clusters wait five seconds, and hear of one part after the other no sooner than after five and a half.
    expect(performance.now() - before).toBeLessThan(5000);
    expect(report).toMatchObject({ ready: true, parts: { embeddings: { state: 'down' }, speech: { state: 'down' } } });
  });

  it('leave a search to its words', async () => {
    const before = performance.now();
    expect(
      (await program.standard.ask('POST', '/api/content/v1/search', { body: { query: 'a lighthouse' } })).status,
    ).toBe(200);
    // Far from the half minute after which the gateway gives an action up.
    expect(performance.now() - before).toBeLessThan(20_000);
  });
});
