import type { ServiceBroker } from 'moleculer';

/** Services that count the limits of the API. */
const ofApi: readonly string[] = ['gateway'];

/** Services that count limits of their own, by the first part of a counter's key. */
const counting: { readonly [first: string]: readonly string[] | undefined } = {
  // `storageRequestsPerMinute`, which the API and both doors share.
  storage: ['gateway', 's3', 'blob'],
  bucket_names: ['storage'],
  key_rotations: ['storage'],
  keys: ['accounts'],
  invitations: ['accounts'],
  'sub-organizations': ['accounts'],
};

/**
 * The number of live processes that count a limit, at least 1: each of them enforces an equal part of it while the shared
 * counters are away. @param key of the counter: what it counts, a colon, and for whom
 */
export function processesCounting({ registry }: Pick<ServiceBroker, 'registry'>, key: string): number {
  const names = counting[key.slice(0, key.indexOf(':'))] ?? ofApi;
  const services: { name?: unknown; nodeID?: unknown }[] = registry.getServiceList({
    onlyAvailable: true,
    withActions: false,
    withEvents: false,
    skipInternal: true,
  });
  const processes = services.filter(({ name }) => typeof name === 'string' && names.includes(name));
  return Math.max(1, new Set(processes.map(({ nodeID }) => nodeID)).size);
}
