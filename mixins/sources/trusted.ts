/**
 * Loopback addresses that the operator of this machine vouches for a short while, so that local files can be indexed
 * without opening private networks to everybody. Kept in memory alone.
 */
export class TrustedSources {
  private readonly until = new Map<string, number>();
  private readonly now: () => number;

  constructor(now: () => number) {
    this.now = now;
  }

  /**
   * Trusts an origin for a while.
   * @param origin `http://127.0.0.1:<port>`
   * @throws Error for anything else
   */
  trust(origin: string, milliseconds: number): void {
    if (!/^http:\/\/127\.0\.0\.1:\d{1,5}$/.test(origin)) throw new Error('only http://127.0.0.1:<port> can be trusted');
    const now = this.now();
    for (const [known, end] of this.until) if (end < now) this.until.delete(known);
    this.until.set(origin, now + Math.min(milliseconds, 60_000));
  }

  /** Whether an address belongs to a trusted origin. */
  has(address: string): boolean {
    const origin = URL.canParse(address) ? new URL(address).origin : null;
    return origin !== null && (this.until.get(origin) ?? 0) > this.now();
  }
}
