import { LRUCache } from 'lru-cache';

/** Recently seen keys, in bounded memory. It recognises repeated notifications. */
export class RecentKeys {
  readonly #keys: LRUCache<string, true>;

  /** @param clock milliseconds */
  constructor({ max, ttlMs, clock = performance }: { max: number; ttlMs: number; clock?: { now(): number } }) {
    this.#keys = new LRUCache({ max, ttl: ttlMs, ttlResolution: 0, perf: { now: () => clock.now() } });
  }

  /** Whether a key was added recently. */
  has(key: string): boolean {
    return this.#keys.has(key);
  }

  /** Adds a key. Returns whether it was new. */
  add(key: string): boolean {
    if (this.#keys.has(key)) return false;
    this.#keys.set(key, true);
    return true;
  }
}
