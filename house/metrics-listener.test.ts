import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { Metrics } from '../mixins/metrics.ts';
import { tellParts } from './measured/parts.ts';
import type { Readiness } from './health.ts';
import { listenForMetrics, type MetricsListener } from './metrics-listener.ts';

describe("the operator's listener", () => {
  let listener: MetricsListener;
  let readiness: Readiness;
  beforeAll(async () => {
    listener = await listenForMetrics(new Metrics(), async () => readiness, '127.0.0.1', 0, () => undefined);
  });
  afterAll(() => listener.close());

  const get = (path: string): Promise<Response> => fetch(`http://127.0.0.1:${listener.port}${path}`);

  it('says that the process lives, whatever its stores do', async () => {
    readiness = { ready: false, parts: { records: { state: 'down' } } };
    expect((await get('/health/live')).status).toBe(200);
  });

  it('says whether the process is ready, and which part is not', async () => {
    readiness = { ready: false, parts: { records: { state: 'down', detail: 'connect ECONNREFUSED' } } };
    const refused = await get('/health/ready');
    expect([refused.status, await refused.json()]).toEqual([503, readiness]);
    readiness = { ready: true, parts: { records: { state: 'up' } } };
    const ready = await get('/health/ready?verbose');
    expect([ready.status, await ready.json()]).toEqual([200, readiness]);
  });

  it('tells the metrics in the form of Prometheus', async () => {
    const told = await get('/metrics');
    expect(told.headers.get('content-type')).toMatch(/^text\/plain; version=/);
    expect(await told.text()).toContain('# TYPE ply_permission_drops_total counter');
  });

  it('tells them also where the data folder is not there yet, and says why where it cannot', async () => {
    const metrics = new Metrics();
    const failures: unknown[] = [];
    tellParts(metrics, async () => readiness, join(tmpdir(), 'ply-is-not-there', 'deeper'));
    const other = await listenForMetrics(metrics, async () => readiness, '127.0.0.1', 0, (error) => failures.push(error));
    try {
      const scrape = (): Promise<Response> => fetch(`http://127.0.0.1:${other.port}/metrics`);
      const told = await scrape();
      expect(told.status).toBe(200);
      expect(Number(/^ply_data_free_bytes (\S+)$/m.exec(await told.text())?.[1])).toBeGreaterThan(0);
      expect(failures).toEqual([]);
      const broken = new Error('this figure cannot be had');
      metrics.registry.registerMetric(Object.assign(metrics.gauge('ply_broken', 'Breaks.', []), { collect: () => Promise.reject(broken) }));
      expect((await scrape()).status).toBe(500);
      expect(failures).toEqual([broken]);
    } finally {
      await other.close();
    }
  });

  it('has nothing else', async () => {
    expect((await get('/')).status).toBe(404);
  });
});
