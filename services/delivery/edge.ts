import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Objects } from '../../adapters/objects/port.ts';
import type { AppContext } from '../../mixins/app-context.ts';
import { clientAddresses } from '../../mixins/http/api/sender-address.ts';
import { challengeAnswer } from '../../mixins/storage/acme-challenges.ts';
import { EdgeFollower } from '../../mixins/storage/edge-follower.ts';
import { readTarget } from '../../models/links/target.ts';
import { cacheTerms } from './cache-rules.ts';
import { Certificates } from './certificates.ts';
import { answerCopy, answerEmpty, answerText, refuse } from './answer.ts';
import { Copies, type Copy } from './copies.ts';
import { preflightLines } from './cors.ts';
import type { CountryOf } from './countries.ts';
import { queryOf, type Delivery } from './exchange.ts';
import { headOf } from './head.ts';
import { namesFiles, withQuery } from './playlists.ts';
import { Links } from './links.ts';
import type { DeliveryRefusal } from './refusals.ts';
import { allowsReferrer, isRefusedQuery, requestAddress } from './request.ts';
import { Sites, type Site } from './sites.ts';

/** The parts of the app that an edge needs. */
export type EdgeContext = Pick<
  AppContext,
  'records' | 'configuration' | 'runtime' | 'log' | 'nodeId' | 'edgeChanges' | 'sealer'
> & { objects: Objects };

const MiB = 2 ** 20;
/** How long a request waits for an edge that was paused to learn what changed, in milliseconds. */
const catchUpMs = 1000;

/**
 * One edge: it delivers the files of buckets, from memory where it has them. What it keeps it drops as the changes say
 * that it follows.
 */
export class Edge {
  readonly follower: EdgeFollower;
  readonly certificates: Certificates;
  readonly #app: EdgeContext;
  readonly #sites: Sites;
  readonly #copies: Copies;
  readonly #links = new Links();
  readonly #countryOf: CountryOf;
  readonly #addressOf: (request: IncomingMessage) => string;
  readonly #closed: (delivery: Delivery) => void;

  /**
   * @param closed is told of each response when it is over
   * @param acknowledged is told when the edge has applied changes
   */
  constructor(app: EdgeContext, countryOf: CountryOf, closed: (delivery: Delivery) => void, acknowledged: () => void) {
    this.#app = app;
    this.#countryOf = countryOf;
    this.#closed = closed;
    this.certificates = new Certificates(app);
    this.#sites = new Sites(app);
    this.#copies = new Copies(app, app.configuration.PLY_EDGE_MEMORY_MB * MiB);
    this.#addressOf = clientAddresses(app.configuration.PLY_TRUSTED_PROXIES);
    this.follower = new EdgeFollower(app, {
      apply: (change) => {
        this.#sites.apply(change);
        this.#copies.apply(change);
        this.certificates.apply(change);
      },
      reset: () => {
        this.#sites.reset();
        this.#copies.reset();
        this.certificates.reset();
      },
      acknowledged,
    });
  }

  /** Memory in use for copies, in bytes. */
  get memoryBytes(): number {
    return this.#copies.bytes;
  }

  /** Answers a request. It never throws. */
  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { host, target } = requestAddress(request);
    const delivery: Delivery = {
      request,
      response,
      method: request.method ?? 'GET',
      address: this.#addressOf(request),
      target,
      path: null,
      site: null,
      status: 0,
      bytes: 0,
      cache: null,
      isLinkValid: false,
      passedQuery: null,
    };
    response.once('close', () => this.#closed(delivery));
    // What a client sends along is not read.
    if (!request.complete) request.resume();
    try {
      const refusal = await this.#answer(delivery, host);
      if (refusal !== null) refuse(delivery, refusal);
    } catch (error) {
      this.#app.log.warn({ err: error, host }, 'a file could not be delivered');
      if (response.headersSent) response.destroy();
      else refuse(delivery, 'provider_unavailable');
    }
  }

  /** The country that a request came from; null if it is unknown. */
  countryOf({ request, address }: Delivery): string | null {
    return this.#countryOf(request, address);
  }

  /** Refuses in the documented order, or delivers. */
  async #answer(delivery: Delivery, host: string): Promise<DeliveryRefusal | null> {
    const isLost = this.follower.isLost && !(await this.#catchUp());
    let site = this.#sites.cached(host);
    if (site === undefined) {
      if (isLost) return 'provider_unavailable';
      site = await this.#sites.load(host);
    }
    if (!isLost && isChallenge(delivery.target) && (await this.#answerChallenge(delivery))) return null;
    if (site === null) return 'not_found';
    delivery.site = site;
    const { method, request, target } = delivery;
    if (method === 'OPTIONS') {
      answerEmpty(delivery, 204, preflightLines(site.cors, request.headers));
      return null;
    }
    if (method !== 'GET' && method !== 'HEAD') return 'method_not_allowed';
    const asksStorage = isRefusedQuery(queryOf(target)) || request.headers['service-worker'] !== undefined;
    if (asksStorage) return 'request_not_allowed';
    const isPrivate = site.bucket.visibility === 'private';
    if (isPrivate && site.bucket.linkScheme === 'ps2') {
      // Its links are asked for each time: a rotated key, a suspension or a deletion holds from the next request on.
      if (isLost) return 'provider_unavailable';
      site = await this.#sites.fresh(site);
      if (site === null) return 'not_found';
      delivery.site = site;
    }
    return this.#admit(delivery, site, isPrivate) ?? (await this.#deliver(delivery, site, isLost));
  }

  /** Answers a certificate authority that asks for proof that a hostname leads here; false where it is none. */
  async #answerChallenge(delivery: Delivery): Promise<boolean> {
    const text = await challengeAnswer(this.#app, delivery.target);
    if (text !== null) answerText(delivery, text);
    return text !== null;
  }

  /** What forbids the request whether or not there is such a file; null if nothing does. */
  #admit(delivery: Delivery, site: Site, isPrivate: boolean): DeliveryRefusal | null {
    const { bucket, hostnames } = site;
    const { countriesAllow, countriesBlock } = bucket.settings.delivery;
    if (bucket.suspendedAt !== null) return 'bucket_suspended';
    if (countriesAllow.length > 0 || countriesBlock.length > 0) {
      const country = this.countryOf(delivery);
      if (country === null ? countriesAllow.length > 0 : countriesBlock.includes(country)) return 'country_blocked';
      if (country !== null && countriesAllow.length > 0 && !countriesAllow.includes(country)) return 'country_blocked';
    }
    if (!allowsReferrer(delivery.request.headers, bucket.settings.delivery, hostnames)) return 'referrer_blocked';
    delivery.path = readTarget(delivery.target, isPrivate && bucket.kind === 'video');
    return isPrivate ? this.#checkLink(delivery, site) : null;
  }

  #checkLink(delivery: Delivery, site: Site): DeliveryRefusal | null {
    const { path, target, address } = delivery;
    if (path === null) return /(?:^|&)token=/.test(queryOf(target)) ? 'link_invalid' : 'link_required';
    const valid = this.#links.verify(site, target, path, this.#app.runtime.now());
    if (typeof valid === 'string') return valid;
    delivery.isLinkValid = true;
    if (valid.directory !== null && path.native === null) delivery.passedQuery = path.query;
    return valid.ip !== null && valid.ip !== address ? 'ip_mismatch' : null;
  }

  async #deliver(delivery: Delivery, site: Site, isLost: boolean): Promise<DeliveryRefusal | null> {
    const { path } = delivery;
    if (path === null) return 'not_found';
    const bucketId = site.bucket._id;
    for (let attempt = 0; ; attempt += 1) {
      const now = this.#app.runtime.now();
      let copy = this.#copies.cached(bucketId, path.path);
      if (copy !== undefined && copy !== null && !isCurrent(site, copy, now)) copy = undefined;
      delivery.cache = copy === undefined ? 'miss' : 'hit';
      if (copy === undefined) {
        if (isLost) return 'provider_unavailable';
        copy = await this.#copies.fetch(site, path.key, path.path, edgeTtlOf(site, path.key) > 0);
      }
      if (copy === null) return 'not_found';
      try {
        if (delivery.passedQuery !== null && namesFiles(path.key))
          copy = await withQuery(this.#app.objects, copy, delivery.passedQuery);
        await this.#send(delivery, site, copy, now);
        return null;
      } catch (error) {
        // The object was replaced or deleted since, and its bytes are gone.
        const isGone = error instanceof Error && error.name === 'ContentNotFound';
        if (!isGone || delivery.response.headersSent || attempt > 0) throw error;
        this.#copies.drop(bucketId, path.path);
      }
    }
  }

  /** Sends a copy, whose memory is in use until the connection has taken its bytes. */
  async #send(delivery: Delivery, site: Site, copy: Copy, now: number): Promise<void> {
    const { response } = delivery;
    this.#copies.lend(copy);
    let isPending = false;
    try {
      await answerCopy(this.#app.objects, delivery, copy, headOf(site, copy), now - copy.storedAt);
      isPending = copy.bytes !== null && response.writableLength > 0 && !response.closed;
    } finally {
      if (isPending) response.once('close', () => this.#copies.giveBack(copy));
      else this.#copies.giveBack(copy);
    }
  }

  /** Waits a moment for an edge that was paused; false if the records do not answer. */
  async #catchUp(): Promise<boolean> {
    if (this.follower.isFailing) return false;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, catchUpMs);
    });
    await Promise.race([this.follower.look(), late]);
    clearTimeout(timer);
    return !this.follower.isLost;
  }
}

function isChallenge(target: string): boolean {
  return target.startsWith('/.well-known/acme-challenge/');
}

function edgeTtlOf({ bucket: { settings, visibility } }: Site, key: string): number {
  return cacheTerms(settings.cache, visibility, key).edgeTtlMs;
}

/** Whether a copy may still be delivered. */
function isCurrent(site: Site, copy: Copy, now: number): boolean {
  return now - copy.storedAt < headOf(site, copy).ttlMs;
}
