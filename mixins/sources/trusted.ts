import { LRUCache } from 'lru-cache';

/** Maximum duration of the trust in an origin, in milliseconds. */
const maxTrustMs = 60_000;
/** Maximum number of trusted origins. */
const maxOrigins = 1000;

/**
 * Loopback origins that the operator of this machine trusts for a short time, so that local files can be indexed
 * without allowing private networks for everybody. In memory only.
 */
export class TrustedSources {
  readonly #origins: LRUCache<string, true>;

  /** @param now milliseconds since the epoch */
  constructor(now: () => number) {
    this.#origins = new LRUCache({ max: maxOrigins, ttl: maxTrustMs, ttlResolution: 0, perf: { now } });
  }

  /**
   * Trusts an origin for at most a minute.
   * @param origin `http://127.0.0.1:<port>`
   * @throws Error for any other origin
   */
  trust(origin: string, milliseconds: number): void {
    if (!/^http:\/\/127\.0\.0\.1:\d{1,5}$/.test(origin)) throw new Error('only http://127.0.0.1:<port> can be trusted');
    if (milliseconds > 0) this.#origins.set(origin, true, { ttl: Math.min(milliseconds, maxTrustMs) });
  }

  /** Whether an address belongs to a trusted origin. */
  has(address: string): boolean {
    return URL.canParse(address) && this.#origins.has(new URL(address).origin);
  }
}
