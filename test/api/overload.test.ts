import { content, expectRefused, type Answer, type ErrorBody } from './support/client.ts';
import { startTestProgram, type TestProgram } from './support/program.ts';

describe('a program with too much to do', () => {
  let program: TestProgram;
  beforeAll(async () => {
    program = await startTestProgram({ PLY_SEARCH_SLOTS: '2', PLY_REQUEST_SLOTS: '400' });
    const file = program.source.put('light.txt', 'The harbour light is green.');
    await program.standard.indexed(file);
  });
  afterAll(() => program.end());

  const search = (): Promise<Answer<ErrorBody>> =>
    program.standard.ask('POST', `${content}/search`, { body: { query: 'harbour light' } });
  /** The answers that were refused, after checking each. */
  function refusedOf(answers: readonly Answer<ErrorBody>[]): Answer<ErrorBody>[] {
    const refused = answers.filter(({ status }) => status !== 200);
    for (const answer of refused) {
      expectRefused(answer, [503, 'content_service_unavailable']);
      expect([answer.headers.get('retry-after'), answer.body.retryable]).toEqual(['1', true]);
    }
    return refused;
  }
  async function shed(by: string): Promise<number> {
    const text = await (await fetch(`${program.metricsUrl}/metrics`)).text();
    return Number(new RegExp(`^ply_requests_shed_total\\{by="${by}"\\} (\\d+)$`, 'm').exec(text)?.[1]);
  }

  it('refuses searches beyond its slots and their reserve with 503 and Retry-After, answers the others, and is back at once', async () => {
    const answers = await Promise.all(Array.from({ length: 300 }, search));
    const refused = refusedOf(answers);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.length).toBeLessThanOrEqual(298);
    expect((await shed('searcher')) + (await shed('gateway'))).toBe(refused.length);
    for (let times = 0; times < 5; times++) expect((await search()).status).toBe(200);
  });

  it('refuses any request when too many are in progress, but still reports its health', async () => {
    const before = await shed('gateway');
    const list = (): Promise<Answer<ErrorBody>> => program.standard.ask('GET', `${content}/activity`);
    const asked = Array.from({ length: 2000 }, list);
    const health = await fetch(`${program.url}/health/ready`);
    const refused = refusedOf(await Promise.all(asked));
    expect(health.status).toBe(200);
    expect(refused.length).toBeGreaterThan(0);
    expect((await shed('gateway')) - before).toBe(refused.length);
    expect((await list()).status).toBe(200);
  });
});
