import { LRUCache } from 'lru-cache';
import type { OrganizationScope } from '../../models/scope.ts';

/** How long a value is served before it is loaded again: a change takes at most so long where its event was lost. */
const ttl = 1000;
/** Organizations whose value is cached. */
const max = 1000;

/** How values are loaded. */
export interface OrganizationCacheOptions<T extends object> {
  load: (scope: OrganizationScope) => Promise<T>;
  /** Whether a value is cached; every value where left out. */
  isCacheable?: (value: T) => boolean;
  /** Milliseconds for which a value is served; a second where left out. */
  ttlMs?: number;
  /** Milliseconds that never go back. */
  clock?: { now(): number };
}

/**
 * Caches a value of each organization for a moment, so that a series of searches loads it once. Concurrent searches
 * share a load.
 */
export class OrganizationCache<T extends object> {
  readonly #options: OrganizationCacheOptions<T>;
  readonly #values: LRUCache<string, T>;
  readonly #loads = new Map<string, Promise<T>>();

  constructor(options: OrganizationCacheOptions<T>) {
    this.#options = options;
    this.#values = new LRUCache({
      max,
      ttl: options.ttlMs ?? ttl,
      ttlResolution: 0,
      perf: options.clock ?? performance,
    });
  }

  /** The value of an organization. @throws what loading it throws */
  async get(scope: OrganizationScope): Promise<T> {
    const { organizationId } = scope;
    const known = this.#values.get(organizationId) ?? this.#loads.get(organizationId);
    if (known !== undefined) return known;
    const { load, isCacheable = () => true } = this.#options;
    const loading: Promise<T> = load(scope)
      .then((value) => {
        const isCurrent = this.#loads.get(organizationId) === loading;
        if (isCurrent && isCacheable(value)) this.#values.set(organizationId, value);
        return value;
      })
      .finally(() => {
        if (this.#loads.get(organizationId) === loading) this.#loads.delete(organizationId);
      });
    this.#loads.set(organizationId, loading);
    return loading;
  }

  /** Drops the value of an organization that has changed. The result of a running load is not cached. */
  invalidate(organizationId: string): void {
    this.#values.delete(organizationId);
    this.#loads.delete(organizationId);
  }
}
