import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { content } from '../api/support/client.ts';
import { startTestProgram, type TestProgram } from '../api/support/program.ts';
import { CollectorDouble, paths, attributeOf } from '../support/collector-double.ts';

const collector = new CollectorDouble();
const canary = 'CanaryOfTheTrace';
const printModules = {
  NODE_OPTIONS: `--import=${pathToFileURL(join(import.meta.dirname, 'loaded-modules.mjs')).href}`,
};
const modulesIn = (program: TestProgram): string[] =>
  readFileSync(program.logFile, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('loaded '));
let program: TestProgram;
beforeAll(async () => {
  const url = await collector.start();
  program = await startTestProgram({
    ...printModules,
    PLY_OTLP_URL: `${url}/`,
    PLY_STOP_TIMEOUT: '20',
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=of-the-collector',
  });
});
afterAll(async () => {
  await program.end();
  await collector.stop();
});

describe('traces', () => {
  it('contain a search with its actions and store operations, in the trace of the client', async () => {
    const [traceId, parentId] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];
    const { status, headers } = await program.standard.ask('POST', `${content}/search?principals=${canary}`, {
      body: { query: canary },
      headers: { traceparent: `00-${traceId}-${parentId}-01`, 'X-Request-Id': 'of the search' },
    });
    expect(status).toBe(200);
    const spans = await collector.trace(traceId, (found) =>
      found.some(({ parentSpanId }) => parentSpanId === parentId),
    );
    const route = `POST ${content}/search`;
    expect(paths(spans)).toEqual(
      expect.arrayContaining([
        route,
        `${route} > counters take`,
        `${route} > searcher.search`,
        expect.stringMatching(/ > searcher\.search > passages retrieve_[a-z]+$/),
      ]),
    );
    const [root] = spans.filter(({ name }) => name === route);
    if (root === undefined) throw new Error('the request has no span');
    expect(
      ['http.request.method', 'http.route', 'http.response.status_code', 'ply.request.id', 'ply.organization.id'].map(
        (name) => attributeOf(root, name),
      ),
    ).toEqual(['POST', `${content}/search`, 200, headers.get('X-Request-Id'), program.organizationId]);
    expect(root.kind).toBe(2);
    // Spans are within their parents.
    const within = spans.filter(({ name }) => name.startsWith('passages '));
    for (const step of within) {
      expect(BigInt(step.startTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(root.startTimeUnixNano) - 1_000_000n);
      expect(BigInt(step.endTimeUnixNano)).toBeLessThanOrEqual(BigInt(root.endTimeUnixNano) + 1_000_000n);
    }
    expect(collector.headers.authorization).toBe('of-the-collector');
  });

  it('link a registration to its job and stages', async () => {
    const { standard, source } = program;
    const { jobId, assetId } = await standard.register({
      filename: 'a.txt',
      ...source.put('a.txt', `${canary} stands in this file.`),
    });
    await standard.reaches(jobId, 'ready');
    const traceId = jobId.replaceAll('-', '');
    const spans = await collector.trace(traceId, (found) => found.some(({ name }) => name === 'job'));
    expect(paths(spans)).toEqual(
      expect.arrayContaining([
        'job',
        'job > embedding',
        'job > extracting',
        'job > embedding > passages publish',
        'job > embedding > records update',
        'job > extracting > blobs write',
      ]),
    );
    const [job, extracting] = ['job', 'extracting'].map((name) => spans.find((span) => span.name === name));
    if (job === undefined || extracting === undefined) throw new Error('the job has no spans');
    expect(
      ['ply.job.id', 'ply.asset.id', 'ply.organization.id', 'ply.state'].map((name) => attributeOf(job, name)),
    ).toEqual([jobId, assetId, program.organizationId, 'ready']);
    expect(attributeOf(extracting, 'ply.outcome')).toBe('done');

    const action = collector.spans.find(
      (span) => span.name === 'registrar.register' && attributeOf(span, 'ply.job.id') === jobId,
    );
    expect(action?.links).toEqual([expect.objectContaining({ traceId, spanId: job.spanId })]);
    const registration = await collector.trace(action?.traceId ?? '', (found) =>
      found.some(({ name }) => name === `POST ${content}/assets`),
    );
    expect(paths(registration)).toContain(`POST ${content}/assets > registrar.register`);
  });

  it('contain cancelled and superseded jobs, and are counted', async () => {
    const { standard, source } = program;
    const ended = async (jobId: string): Promise<unknown[]> => {
      const spans = await collector.trace(jobId.replaceAll('-', ''), (found) =>
        found.some(({ name }) => name === 'job'),
      );
      return spans.filter(({ name }) => name === 'job').map((span) => attributeOf(span, 'ply.state'));
    };
    // A silent source keeps the jobs in their stage.
    const { release, ...held } = source.hold('held.txt', canary);
    const cancelled = await standard.register({ filename: 'held.txt', ...held });
    expect((await standard.ask('POST', `${content}/jobs/${cancelled.jobId}/cancel`)).status).toBe(202);
    expect(await ended(cancelled.jobId)).toEqual(['cancelled']);
    const replaced = await standard.register({
      externalId: 'replaced',
      filename: 'held.txt',
      ...held,
      sourceVersion: '1',
    });
    const next = await standard.register({ externalId: 'replaced', filename: 'held.txt', ...held, sourceVersion: '2' });
    expect(await ended(replaced.jobId)).toEqual(['cancelled']);
    expect((await standard.ask('POST', `${content}/jobs/${next.jobId}/cancel`)).status).toBe(202);
    release();
    const counted = await (await fetch(`${program.metricsUrl}/metrics`)).text();
    expect(counted).toContain('ply_jobs_ended_total{state="cancelled",code="none"} 3');
  });

  it('are not recorded if the client opts out, and ignore invalid headers', async () => {
    const asked = async (traceparent: string): Promise<void> =>
      expect(
        (await program.standard.ask('GET', `${content}/jobs/${randomUUID()}`, { headers: { traceparent } })).status,
      ).toBe(404);
    await asked('00-11111111111111111111111111111111-2222222222222222-00');
    await asked('00-00000000000000000000000000000000-3333333333333333-01');
    await collector.trace(collector.spans[0]?.traceId ?? '', () =>
      collector.spans.some((span) => attributeOf(span, 'http.response.status_code') === 404),
    );
    expect(
      collector.spans.filter(
        ({ traceId, parentSpanId }) => /^(1{32}|0{32})$/.test(traceId) || parentSpanId === '3'.repeat(16),
      ),
    ).toEqual([]);
  });

  it('contain no queries, file texts, addresses or keys', () => {
    expect(collector.received.length).toBeGreaterThan(5000);
    expect(
      ['CanaryOfTheTrace', 'a.txt', 'ply_standard_', 'http://'].filter((secret) => collector.received.includes(secret)),
    ).toEqual([]);
  });

  it('do not delay requests or the stop while the collector is unavailable, and are counted', async () => {
    collector.status = 503;
    for (let round = 0; round < 10; round++)
      expect((await program.standard.ask('GET', `${content}/assets`)).status).toBe(200);
    await collector.stop();
    for (let round = 0; round < 10; round++)
      expect((await program.standard.ask('GET', `${content}/assets`)).status).toBe(200);
    const lost = async (): Promise<number> =>
      Number(
        /^ply_trace_spans_total\{outcome="failed"\} (\d+)$/m.exec(
          await (await fetch(`${program.metricsUrl}/metrics`)).text(),
        )?.[1] ?? 0,
      );
    const deadline = Date.now() + 60_000;
    while ((await lost()) === 0 && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 200));
    expect(await lost()).toBeGreaterThan(0);
    expect(readFileSync(program.logFile, 'utf8')).toContain('"msg":"traces are not delivered"');
    await program.standard.ask('GET', `${content}/assets`);
    const began = performance.now();
    await program.process.stop();
    expect(performance.now() - began).toBeLessThan(19_000);
  });
});

describe('the tracing library', () => {
  it('is only loaded if tracing is on', async () => {
    expect(modulesIn(program)).not.toEqual([]);
    const off = await startTestProgram(printModules);
    try {
      expect((await off.standard.ask('GET', `${content}/assets`)).status).toBe(200);
      expect(modulesIn(off)).toEqual([]);
      expect(await (await fetch(`${off.metricsUrl}/metrics`)).text()).not.toContain('ply_trace_spans_total');
    } finally {
      await off.end();
    }
  });
});
