import { join } from 'node:path';
import { tmpdir } from 'node:os';
import type { Listener } from '../mixins/http/listener.ts';
import { Listeners } from '../mixins/http/listeners.ts';
import { Metrics } from '../mixins/metrics.ts';
import { reportParts } from './measured/parts.ts';
import type { Readiness } from './health.ts';
import { metricsListener } from './metrics-listener.ts';

describe('the metrics listener', () => {
  let listener: Listener;
  let port: number;
  let readiness: Readiness;
  const open = async (metrics: Metrics, failed: (error: unknown) => void): Promise<[Listener, number]> => {
    const opened = metricsListener({
      listeners: new Listeners(),
      metrics,
      readiness: async () => readiness,
      host: '127.0.0.1',
      port: 0,
      failed,
    });
    return [opened, (await opened.start()).port];
  };
  beforeAll(async () => {
    [listener, port] = await open(new Metrics(), () => undefined);
  });
  afterAll(() => listener.stop(0));

  const get = (path: string): Promise<Response> => fetch(`http://127.0.0.1:${port}${path}`);

  it('reports that the process is alive, regardless of its stores', async () => {
    readiness = { ready: false, parts: { records: { state: 'down' } } };
    expect((await get('/health/live')).status).toBe(200);
  });

  it('reports whether the process is ready, and which part is not', async () => {
    readiness = { ready: false, parts: { records: { state: 'down', detail: 'connect ECONNREFUSED' } } };
    const refused = await get('/health/ready');
    expect([refused.status, await refused.json()]).toEqual([503, readiness]);
    readiness = { ready: true, parts: { records: { state: 'up' } } };
    const ready = await get('/health/ready?verbose');
    expect([ready.status, await ready.json()]).toEqual([200, readiness]);
  });

  it('has metrics in the format of Prometheus', async () => {
    const response = await get('/metrics');
    expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=/);
    expect(await response.text()).toContain('# TYPE ply_permission_drops_total counter');
  });

  it('has metrics without a data folder, and reports failures', async () => {
    const metrics = new Metrics();
    const failures: unknown[] = [];
    reportParts(metrics, async () => readiness, join(tmpdir(), 'ply-is-not-there', 'deeper'));
    const [other, otherPort] = await open(metrics, (error) => failures.push(error));
    try {
      const scrape = (): Promise<Response> => fetch(`http://127.0.0.1:${otherPort}/metrics`);
      const response = await scrape();
      expect(response.status).toBe(200);
      expect(Number(/^ply_data_free_bytes (\S+)$/m.exec(await response.text())?.[1])).toBeGreaterThan(0);
      expect(failures).toEqual([]);
      const broken = new Error('this metric is broken');
      metrics.registry.registerMetric(
        Object.assign(metrics.gauge('ply_broken', 'Breaks.', []), { collect: () => Promise.reject(broken) }),
      );
      expect((await scrape()).status).toBe(500);
      expect(failures).toEqual([broken]);
    } finally {
      await other.stop(0);
    }
  });

  it('has no other paths', async () => {
    expect((await get('/')).status).toBe(404);
  });
});
