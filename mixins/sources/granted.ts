import type { GuardedAnswer, GuardedClient, GuardedRequest } from '../guarded-client/client.ts';
import type { AddressWay, SourceGrant } from './address-of.ts';
import { failureOfStatus, sourceFailureOf } from './failure.ts';

/** Redirects that are followed one after another, where any are. */
export const mostRedirects = 5;

const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** How one file's addresses are come by. */
export interface Grants {
  ways: readonly [AddressWay, ...AddressWay[]];
  by(way: AddressWay, signal: AbortSignal | undefined): Promise<SourceGrant>;
  /** Milliseconds since the epoch. */
  now(): number;
}

/** A client that reads one file, wherever that may be read at the moment. */
export interface GrantedClient extends GuardedClient {
  /** Whether whoever gave the address of the last answer has checked the file's version. */
  isVerified(): boolean;
}

/** A client for one reading: an address, once had, is used for all parts of the file, for as long as it may be. */
class OneReading implements GrantedClient {
  private readonly client: GuardedClient;
  private readonly grants: Grants;
  /** Ways before this place were denied. */
  private place = 0;
  private held: SourceGrant | null = null;
  /** The question under way, which all parts that are read at the same time wait for. */
  private pending: Promise<SourceGrant> | null = null;
  private verified = false;

  constructor(client: GuardedClient, grants: Grants) {
    this.client = client;
    this.grants = grants;
  }

  async request(_registered: string | URL, options: GuardedRequest): Promise<GuardedAnswer> {
    for (;;) {
      const place = this.place;
      const known = this.usable();
      let grant: SourceGrant;
      try {
        grant = known ?? (await this.asked(options.signal));
      } catch (error) {
        if (sourceFailureOf(error)?.outcome === 'access' && this.goOn(place)) continue;
        throw error;
      }
      const answer = await followed(this.client, grant, options);
      this.verified = grant.verified;
      if (failureOfStatus(answer.status)?.outcome !== 'access') return answer;
      if (this.held === grant) this.held = null;
      // One that was good for an earlier part may have been withdrawn since: the next one is good again, or none is.
      if (!(known?.renewable ?? false) && !this.goOn(place)) return answer;
      answer.discard();
    }
  }

  isVerified(): boolean {
    return this.verified;
  }

  close(): Promise<void> {
    this.held = null;
    return this.client.close();
  }

  private usable(): SourceGrant | null {
    if (this.held !== null && this.held.until !== null && this.held.until <= this.grants.now()) this.held = null;
    return this.held;
  }

  private asked(signal: AbortSignal | undefined): Promise<SourceGrant> {
    const way = this.grants.ways[this.place] ?? this.grants.ways[0];
    this.pending ??= this.grants.by(way, signal).then(
      (grant) => {
        this.held = grant;
        return grant;
      },
    ).finally(() => {
      this.pending = null;
    });
    return this.pending;
  }

  /** Turns to the next way where this one was denied; false where there is none. */
  private goOn(denied: number): boolean {
    if (this.place > denied) return true;
    if (denied + 1 >= this.grants.ways.length) return false;
    this.place = denied + 1;
    this.held = null;
    return true;
  }
}

/**
 * A client whose requests all go to one file, at the address that may be used then: it is asked for when it is needed,
 * used again until its time is over, asked for anew where the source denies it later, and changed for the next way where
 * the source denies a new one. Which address is requested of it makes no difference.
 * Its requests throw what `by` and the client throw.
 * @param client is asked for each address, also those that redirects lead to: it checks their hosts
 */
export function grantedClient(client: GuardedClient, grants: Grants): GrantedClient {
  return new OneReading(client, grants);
}

/** Asks an address, and where its redirects may be followed, those. What is sent holds no credentials. */
async function followed(client: GuardedClient, grant: SourceGrant, options: GuardedRequest): Promise<GuardedAnswer> {
  let address = grant.address;
  for (let redirects = 0; ; redirects += 1) {
    const answer = await client.request(address, options);
    const location = answer.header('location');
    if (!grant.redirects || redirects === mostRedirects || !redirectStatuses.has(answer.status) || location === null || !URL.canParse(location, address)) return answer;
    answer.discard();
    address = new URL(location, address).href;
  }
}
