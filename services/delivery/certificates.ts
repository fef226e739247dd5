import { readFile } from 'node:fs/promises';
import { createSecureContext, type SecureContext } from 'node:tls';
import { LRUCache } from 'lru-cache';
import type { AppContext } from '../../mixins/app-context.ts';
import { certificateKeyContext, domains } from '../../models/domain.ts';
import type { EdgeChange } from '../../models/edge-change.ts';
import { systemScope } from '../../models/scope.ts';

/** The parts of the app that certificates come from. */
type Context = Pick<AppContext, 'records' | 'configuration' | 'sealer'>;

/** Hostnames whose certificates are kept, and for how long in milliseconds: a renewed one is in use after that. */
const maxKept = 1000;
const keptMs = 10 * 60_000;

/**
 * The certificates that an edge ends TLS with: those of active custom domains from the records, and for the hostnames
 * under `PLY_DELIVERY_DOMAIN` the operator's from files.
 */
export class Certificates {
  readonly #app: Context;
  readonly #kept = new LRUCache<string, { context: SecureContext | null }>({ max: maxKept, ttl: keptMs });

  constructor(app: Context) {
    this.#app = app;
  }

  /** Checks that the operator's files are usable. @throws Error that names the variables */
  async check(): Promise<void> {
    await this.#ofOperator();
  }

  /** The certificate of a hostname as a client names it; null if there is none. @throws StoreUnavailable */
  async contextOf(hostname: string): Promise<SecureContext | null> {
    const name = hostname.toLowerCase();
    const { PLY_DELIVERY_DOMAIN: domain } = this.#app.configuration;
    const isOwn = name === domain || name.endsWith(`.${domain}`);
    const key = isOwn ? domain : name;
    const kept = this.#kept.get(key);
    if (kept !== undefined) return kept.context;
    const context = isOwn ? await this.#ofOperator() : await this.#ofDomain(name);
    this.#kept.set(key, { context });
    return context;
  }

  /** Drops what a change is about. */
  apply(change: EdgeChange): void {
    if (change.kind === 'domain') this.#kept.delete(change.hostname);
  }

  /** Drops everything. */
  reset(): void {
    this.#kept.clear();
  }

  async #ofDomain(hostname: string): Promise<SecureContext | null> {
    const [domain] = await this.#app.records
      .collection(domains, systemScope)
      .find({ filter: { claimedHostname: hostname }, limit: 1 });
    if (domain === undefined || domain.state !== 'active' || domain.deletedAt !== null) return null;
    const { certificate, sealedCertificateKey } = domain;
    if (certificate === null || sealedCertificateKey === undefined) return null;
    const key = this.#app.sealer.open(sealedCertificateKey, certificateKeyContext(domain._id));
    return createSecureContext({ cert: certificate.chain, key });
  }

  async #ofOperator(): Promise<SecureContext | null> {
    const { PLY_DELIVERY_TLS_CERTIFICATE: certificateFile, PLY_DELIVERY_TLS_KEY: keyFile } = this.#app.configuration;
    if (certificateFile === null || keyFile === null) return null;
    try {
      const [cert, key] = await Promise.all([readFile(certificateFile), readFile(keyFile)]);
      return createSecureContext({ cert, key });
    } catch (error) {
      throw new Error('PLY_DELIVERY_TLS_CERTIFICATE and PLY_DELIVERY_TLS_KEY name no certificate with its key (PEM)', {
        cause: error,
      });
    }
  }
}
