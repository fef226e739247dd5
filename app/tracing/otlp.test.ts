import { randomUUID } from 'node:crypto';
import { until } from '../../test/api/support/client.ts';
import { testApp, type TestApp } from '../../test/support/app.ts';
import { CollectorDouble, attributeOf } from '../../test/support/collector-double.ts';
import { openTracing } from './open.ts';
import { jobSpan, parseTraceparent } from './span.ts';

const ids = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'] as const;

describe('a traceparent', () => {
  it('is parsed if it is well formed', () => {
    const [traceId, spanId] = ids;
    for (const [text, traceFlags] of [
      [`00-${traceId}-${spanId}-01`, 1],
      [`00-${traceId}-${spanId}-00`, 0],
      [`00-${traceId}-${spanId}-03`, 1],
      [`cc-${traceId}-${spanId}-01-what-comes`, 1],
    ] as const) {
      expect(parseTraceparent(text)).toEqual({ traceId, spanId, traceFlags });
    }
  });

  it.each([
    '',
    'x',
    `ff-${ids[0]}-${ids[1]}-01`,
    `00-${ids[0]}-${ids[1]}-01-more`,
    `00-${'0'.repeat(32)}-${ids[1]}-01`,
    `00-${ids[0]}-${'0'.repeat(16)}-01`,
    `00-${ids[0].toUpperCase()}-${ids[1]}-01`,
    `00-${ids[0]}-${ids[1]}-01, 00-${ids[0]}-${ids[1]}-01`,
  ])('is as good as none where it is %j', (text) => {
    expect(parseTraceparent(text)).toBeNull();
  });
});

describe('traces', () => {
  const collector = new CollectorDouble();
  let url = '';
  beforeAll(async () => {
    url = await collector.start();
  });
  afterAll(() => collector.stop());

  const opened = async (settings: { [variable: string]: string }): Promise<TestApp> =>
    testApp({ PLY_OTLP_URL: url, ...settings });

  it('are off without a collector or a share', async () => {
    for (const settings of [{ PLY_OTLP_URL: '' }, { PLY_TRACE_RATIO: '0' }]) {
      const test = await opened(settings);
      expect((await openTracing(test.app)).isOn).toBe(false);
      await test.close();
    }
  });

  it('are a share of the requests and jobs, the same in each process; all steps of one, or none', async () => {
    const test = await opened({ PLY_TRACE_RATIO: '0.25' });
    // Two processes of one deployment. They count in metrics of their own.
    const other = await opened({ PLY_TRACE_RATIO: '0.25' });
    const [first, second] = [await openTracing(test.app), await openTracing(other.app)];
    const jobs = Array.from({ length: 2000 }, () => randomUUID());
    const taken = jobs.filter((jobId) => first.stage(jobId, 'extracting', {}) !== null);
    expect(taken.length).toBeGreaterThan(400);
    expect(taken.length).toBeLessThan(600);
    expect(jobs.filter((jobId) => second.stage(jobId, 'embedding', {}) !== null)).toEqual(taken);
    const requests = jobs.filter(
      (jobId) => first.request('GET', `00-${jobId.replaceAll('-', '')}-${ids[1]}-01`, {}) !== null,
    );
    expect(requests).toEqual(taken);
    // What another process takes is taken, whatever its id says.
    const notTaken = jobs.find((jobId) => !taken.includes(jobId)) ?? '';
    const received = second.received(`00-${notTaken.replaceAll('-', '')}-${ids[1]}-01`);
    received?.startChild('searcher.search', {}).end(false);
    for (const jobId of jobs.slice(0, 100))
      first.job({ jobId, createdAt: Date.now() - 10, hasFailed: false, attributes: {} });
    await Promise.all([first.stop(5000), second.stop(5000)]);
    expect(
      collector.spans
        .filter(({ name }) => name === 'job')
        .map((span) => [attributeOf(span, 'ply.job.id'), span.traceId, span.spanId]),
    ).toEqual(
      jobs
        .slice(0, 100)
        .filter((jobId) => taken.includes(jobId))
        .map((jobId) => [jobId, jobSpan(jobId)?.traceId, jobSpan(jobId)?.spanId]),
    );
    expect(collector.spans.find(({ name }) => name === 'searcher.search')).toMatchObject({
      parentSpanId: ids[1],
      kind: 2,
    });
    await Promise.all([test.close(), other.close()]);
  });

  it('are delivered within the time limit', async () => {
    const test = await opened({ PLY_OTLP_URL: 'http://127.0.0.1:9' });
    const tracing = await openTracing(test.app);
    tracing.background('sync', {})?.end(true);
    const began = performance.now();
    await tracing.stop(200);
    expect(performance.now() - began).toBeLessThan(4000);
    const { registry } = test.app.metrics;
    expect(
      await until(
        () => registry.metrics(),
        (text) => text.includes('ply_trace_spans_total{outcome="failed"} 1'),
      ),
    ).toContain('outcome="failed"');
    await test.close();
  });
});
