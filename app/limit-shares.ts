import type { ServiceBroker } from 'moleculer';

/** Services that count requests towards `storageRequestsPerMinute`, which the API and both doors share. */
const ofStorage: readonly string[] = ['gateway', 's3', 'blob'];
/** Services that count every other limit. */
const ofApi: readonly string[] = ['gateway'];

/**
 * The number of live processes that count a limit, at least 1: each of them enforces an equal part of it while the shared
 * counters are away. @param key of the counter
 */
export function processesCounting({ registry }: Pick<ServiceBroker, 'registry'>, key: string): number {
  const names = key.startsWith('storage:') ? ofStorage : ofApi;
  const services: { name?: unknown; nodeID?: unknown }[] = registry.getServiceList({
    onlyAvailable: true,
    withActions: false,
    withEvents: false,
    skipInternal: true,
  });
  const counting = services.filter(({ name }) => typeof name === 'string' && names.includes(name));
  return Math.max(1, new Set(counting.map(({ nodeID }) => nodeID)).size);
}
