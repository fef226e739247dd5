import { tmpdir } from 'node:os';
import { StoreUnavailable } from '../../adapters/records/port.ts';
import { Metrics } from '../../mixins/metrics.ts';
import { observer } from './latency.ts';
import { reportParts } from './parts.ts';

/** Observations of a histogram by the values of its labels, joined. */
async function counts(metrics: Metrics, name: string): Promise<{ [labels: string]: number }> {
  const metric = await metrics.registry.getSingleMetric(name)?.get();
  const rows = (metric?.values ?? []).filter((row) => 'metricName' in row && row.metricName === `${name}_count`);
  return Object.fromEntries(rows.map(({ labels, value }) => [Object.values(labels).join(' '), value]));
}

describe('metrics of operations', () => {
  it('count an operation as done, refused or unavailable', async () => {
    const metrics = new Metrics();
    const observe = observer(metrics.stores, 'records', false);
    await expect(observe('get', performance.now(), Promise.resolve(7))).resolves.toBe(7);
    await expect(
      observe('get', performance.now(), Promise.reject(new StoreUnavailable('a store'))),
    ).rejects.toMatchObject({ name: 'StoreUnavailable' });
    await expect(observe('insert', performance.now(), Promise.reject(new Error('there already')))).rejects.toThrow(
      'there already',
    );
    expect(await counts(metrics, 'ply_store_duration_seconds')).toEqual({
      'records get done': 1,
      'records get unavailable': 1,
      'records insert refused': 1,
    });
  });
});

describe('metrics of parts', () => {
  it('report available parts, and the free space of the data folder', async () => {
    const metrics = new Metrics();
    reportParts(
      metrics,
      () =>
        Promise.resolve({
          ready: false,
          parts: { records: { state: 'up' }, passages: { state: 'down' }, speech: { state: 'off' } },
        }),
      tmpdir(),
    );
    const text = await metrics.registry.metrics();
    expect(text).toContain('ply_part_up{part="records"} 1');
    expect(text).toContain('ply_part_up{part="passages"} 0');
    expect(text).not.toContain('part="speech"');
    const bytes = (name: string): number => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1]);
    expect(bytes('ply_data_free_bytes')).toBeGreaterThan(0);
    expect(bytes('ply_data_size_bytes')).toBeGreaterThanOrEqual(bytes('ply_data_free_bytes'));
  });
});
