import { tmpdir } from 'node:os';
import type { ServiceSchema } from 'moleculer';
import { StoreUnavailable } from '../../adapters/records/port.ts';
import { actionsOf } from '../../mixins/actions-of.ts';
import { Metrics } from '../../mixins/metrics.ts';
import { noTracing } from '../../mixins/tracing.ts';
import { Refusal } from '../../models/errors.ts';
import { measuredService } from './actions.ts';
import { observer } from './latency.ts';
import { tellParts } from './parts.ts';

/** Observations of a histogram by the values of its labels, joined. */
async function counts(metrics: Metrics, name: string): Promise<{ [labels: string]: number }> {
  const metric = await metrics.registry.getSingleMetric(name)?.get();
  const rows = (metric?.values ?? []).filter((row) => 'metricName' in row && row.metricName === `${name}_count`);
  return Object.fromEntries(rows.map(({ labels, value }) => [Object.values(labels).join(' '), value]));
}

describe('what is measured', () => {
  it('of an operation: that it was done, refused, or could not be', async () => {
    const metrics = new Metrics();
    const observe = observer(metrics.stores, 'records', false);
    await expect(observe('get', performance.now(), Promise.resolve(7))).resolves.toBe(7);
    await expect(observe('get', performance.now(), Promise.reject(new StoreUnavailable('a store')))).rejects.toMatchObject({ name: 'StoreUnavailable' });
    await expect(observe('insert', performance.now(), Promise.reject(new Error('there already')))).rejects.toThrow('there already');
    expect(await counts(metrics, 'ply_store_duration_seconds')).toEqual({ 'records get done': 1, 'records get unavailable': 1, 'records insert refused': 1 });
  });

  it('of an action: each call, within the process and over the broker, whether it answers at once or later', async () => {
    const metrics = new Metrics();
    const outcomes = [() => ({ recorded: 1 }), () => Promise.resolve({ recorded: 2 }), () => { throw new Refusal('asset_not_found'); }, () => Promise.reject(new Error('broken'))];
    const schema: ServiceSchema = measuredService({ name: 'ledger', actions: { ...actionsOf<'ledger'>({ record: () => outcomes.shift()?.() ?? { recorded: 0 } }) } }, { metrics, tracing: noTracing });
    const action = schema.actions?.['record'];
    if (typeof action !== 'object' || !('direct' in action) || typeof action.direct !== 'function') throw new Error('the action has no direct form');
    const direct = (): unknown => Reflect.apply(Object(action.direct), undefined, [{ events: [] }]);
    expect(direct()).toEqual({ recorded: 1 });
    expect(await direct()).toEqual({ recorded: 2 });
    expect(direct).toThrow('The asset does not exist');
    await expect(direct()).rejects.toThrow('broken');
    expect(await counts(metrics, 'ply_action_duration_seconds')).toEqual({ 'ledger.record done': 2, 'ledger.record refused': 1, 'ledger.record failed': 1 });
  });
});

describe('what is told with each scrape', () => {
  it('which parts answer, and the room of the data folder', async () => {
    const metrics = new Metrics();
    tellParts(metrics, () => Promise.resolve({ ready: false, parts: { records: { state: 'up' }, passages: { state: 'down' }, speech: { state: 'off' } } }), tmpdir());
    const text = await metrics.registry.metrics();
    expect(text).toContain('ply_part_up{part="records"} 1');
    expect(text).toContain('ply_part_up{part="passages"} 0');
    expect(text).not.toContain('speech');
    const bytes = (name: string): number => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1]);
    expect(bytes('ply_data_free_bytes')).toBeGreaterThan(0);
    expect(bytes('ply_data_size_bytes')).toBeGreaterThanOrEqual(bytes('ply_data_free_bytes'));
  });
});
