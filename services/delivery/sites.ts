import { LRUCache } from 'lru-cache';
import type { AppContext } from '../../mixins/app-context.ts';
import { activeHostnames, bucketOfHostname } from '../../mixins/storage/hostnames.ts';
import { linkKeyOf } from '../../mixins/storage/signing-key.ts';
import { buckets, type Bucket } from '../../models/bucket.ts';
import type { EdgeChange } from '../../models/edge-change.ts';
import { systemScope } from '../../models/scope.ts';
import type { LinkKey } from '../../models/links/token.ts';
import { corsOf, varyLines, type Cors } from './cors.ts';

/** What an edge knows of an active bucket. It is replaced as a whole when the bucket changes. */
export interface Site {
  readonly bucket: Bucket;
  /** The hostnames that deliver it. */
  readonly hostnames: ReadonlySet<string>;
  readonly cors: Cors | null;
  /** The key that its links are signed with; null where it has none. */
  readonly link: LinkKey | null;
  /** Headers of all its responses. */
  readonly vary: readonly string[];
}

/** What reading buckets needs. */
export type SiteContext = Pick<AppContext, 'records' | 'configuration' | 'runtime' | 'sealer'>;

/** Hostnames whose buckets are kept, and those of which it is kept that there is none. */
const maxHosts = 10_000;
/** How long it is kept that a hostname has no bucket. */
const unknownMs = 5000;

/** A host that was looked up. */
interface KnownHost {
  site: Site | null;
  /** Of runtime.now(); Infinity for a bucket, which changes end. */
  until: number;
}

/** The buckets by hostname, read when they are first asked for and kept until something changes. */
export class Sites {
  readonly #app: SiteContext;
  readonly #hosts = new LRUCache<string, KnownHost>({ max: maxHosts });
  /** Look-ups under way. Those that began before a change are not kept. */
  readonly #underWay = new Map<string, { site: Promise<Site | null> }>();

  constructor(app: SiteContext) {
    this.#app = app;
  }

  /** The bucket of a hostname; null where it is known that there is none, undefined where nothing is known. */
  cached(host: string): Site | null | undefined {
    const known = this.#hosts.get(host);
    return known !== undefined && known.until > this.#app.runtime.now() ? known.site : undefined;
  }

  /** The bucket of a hostname, from the records; null if there is none that is active. @throws StoreUnavailable */
  load(host: string): Promise<Site | null> {
    const known = this.#underWay.get(host);
    if (known !== undefined) return known.site;
    const look = { site: this.#read(host) };
    look.site = look.site
      .then((site) => {
        if (this.#underWay.get(host) === look)
          this.#hosts.set(host, { site, until: site === null ? this.#app.runtime.now() + unknownMs : Infinity });
        return site;
      })
      .finally(() => {
        if (this.#underWay.get(host) === look) this.#underWay.delete(host);
      });
    this.#underWay.set(host, look);
    return look.site;
  }

  /** The bucket of a site as it is now, past what is kept; null if it is active no more. @throws StoreUnavailable */
  async fresh(site: Site): Promise<Site | null> {
    const { bucket: known } = site;
    const bucket = await this.#app.records.collection(buckets, systemScope).get(known._id);
    if (bucket === null) return null;
    const isSame = bucket.settingsVersion === known.settingsVersion && bucket.state === known.state;
    return isSame ? site : this.#siteOf(bucket, site.hostnames);
  }

  /** Drops what a change is about. */
  apply(change: EdgeChange): void {
    if (change.kind === 'domain') {
      this.reset();
      return;
    }
    if (change.kind !== 'bucket') return;
    this.#hosts.delete(this.#defaultHost(change.name));
    for (const [host, { site }] of this.#hosts) if (site?.bucket._id === change.bucketId) this.#hosts.delete(host);
    this.#underWay.clear();
  }

  /** Drops everything. */
  reset(): void {
    this.#hosts.clear();
    this.#underWay.clear();
  }

  #defaultHost(name: string): string {
    return `${name}.${this.#app.configuration.PLY_DELIVERY_DOMAIN}`;
  }

  async #read(host: string): Promise<Site | null> {
    const bucket = await this.#bucketOf(host);
    if (bucket === null) return null;
    const custom = await activeHostnames(this.#app, bucket.organizationId, bucket._id);
    return this.#siteOf(bucket, new Set([this.#defaultHost(bucket.name), ...custom]));
  }

  /** The bucket of a hostname in any state; null if there is none. */
  async #bucketOf(host: string): Promise<Bucket | null> {
    const all = this.#app.records.collection(buckets, systemScope);
    const suffix = this.#defaultHost('');
    const name = host.endsWith(suffix) ? host.slice(0, -suffix.length) : '';
    if (name !== '' && !name.includes('.')) {
      const [bucket] = await all.find({ filter: { nameKey: name }, limit: 1 });
      if (bucket !== undefined) return bucket;
    }
    const holder = await bucketOfHostname(this.#app, host);
    return holder === null ? null : all.get(holder.bucketId);
  }

  #siteOf(bucket: Bucket, hostnames: ReadonlySet<string>): Site | null {
    if (bucket.state !== 'active') return null;
    const cors = corsOf(bucket.settings.cors);
    return { bucket, hostnames, cors, link: linkKeyOf(this.#app, bucket), vary: varyLines(cors) };
  }
}
