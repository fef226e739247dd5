import type * as acmeClient from 'acme-client';
import type { Authorization, Client, Order } from 'acme-client';
import { acmeAccounts, acmeChallenges, acmeKeyContext } from '../../../models/acme.ts';
import type { Domain, DomainCertificate, DomainFailure } from '../../../models/domain.ts';
import { systemScope } from '../../../models/scope.ts';
import { unlessAborted } from '../../../models/unless-aborted.ts';
import type { StorageContext } from '../tools.ts';

type AcmeModule = typeof acmeClient;

/** A certificate with its private key, PEM. */
export interface IssuedCertificate extends Omit<DomainCertificate, 'lateAt'> {
  key: string;
}

/** Issues certificates. */
export interface CertificateAuthority {
  /** Its domain names in CAA records; none where it does not say. */
  issuers(): Promise<readonly string[]>;
  /** @throws CertificateRefused where it refuses for good, else an error that may pass */
  issue(hostname: Domain['hostname'], signal: AbortSignal): Promise<IssuedCertificate>;
}

/** The authority has refused a certificate. Decide by `isRefused`. */
export class CertificateRefused extends Error {
  readonly reason: DomainFailure;
  constructor(reason: DomainFailure, detail: string) {
    super(detail);
    this.name = 'CertificateRefused';
    this.reason = reason;
  }
}

/** Whether an error says that the authority has refused. */
export function isRefused(error: unknown): error is CertificateRefused {
  return error instanceof Error && error.name === 'CertificateRefused';
}

/** Longest time for an order, and for one request, in milliseconds. */
const orderMs = 4 * 60_000;
const requestMs = 30_000;
/** How long a challenge is served that nobody removed, in milliseconds. */
const challengeMs = 60 * 60_000;
const removedAtOnce = 100;
/** How the status of an order is asked for. */
const polling = { backoffAttempts: 30, backoffMin: 500, backoffMax: 10_000 };

/**
 * A certificate authority with ACME (RFC 8555): proof by `http-01`, which the edges answer.
 * @returns null where no directory is configured: TLS is then somebody else's
 */
export function openAuthority(app: StorageContext): CertificateAuthority | null {
  const { PLY_ACME_DIRECTORY: directory } = app.configuration;
  return directory === null ? null : new AcmeAuthority(app, directory);
}

class AcmeAuthority implements CertificateAuthority {
  readonly #app: StorageContext;
  readonly #directory: string;
  #opened: Promise<{ acme: AcmeModule; client: Client }> | null = null;

  constructor(app: StorageContext, directory: string) {
    this.#app = app;
    this.#directory = directory;
  }

  async issuers(): Promise<readonly string[]> {
    const { PLY_ACME_CAA: configured } = this.#app.configuration;
    if (configured !== null) return [configured];
    const { acme } = await this.#open();
    const { data } = await acme.axios.get<unknown>(this.#directory, { timeout: requestMs });
    const meta = typeof data === 'object' && data !== null && 'meta' in data ? data.meta : null;
    const names = typeof meta === 'object' && meta !== null && 'caaIdentities' in meta ? meta.caaIdentities : [];
    return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [];
  }

  issue(hostname: string, signal: AbortSignal): Promise<IssuedCertificate> {
    return unlessAborted(this.#issue(hostname), AbortSignal.any([signal, AbortSignal.timeout(orderMs)]));
  }

  async #issue(hostname: string): Promise<IssuedCertificate> {
    const { acme, client } = await this.#open();
    const order = await client.createOrder({ identifiers: [{ type: 'dns', value: hostname }] });
    for (const authorization of await client.getAuthorizations(order))
      if (authorization.status !== 'valid') await this.#prove(client, order, hostname, authorization);
    const key = await acme.crypto.createPrivateEcdsaKey('P-256');
    const [, request] = await acme.crypto.createCsr({ altNames: [hostname] }, key);
    const chain = await client.getCertificate(await client.finalizeOrder(order, request));
    const { notBefore, notAfter } = acme.crypto.readCertificateInfo(chain);
    return { chain, key: key.toString(), notBefore: notBefore.getTime(), notAfter: notAfter.getTime() };
  }

  /** Proves that the hostname leads here. */
  async #prove(client: Client, order: Order, hostname: string, authorization: Authorization): Promise<void> {
    const challenge = authorization.challenges.find(({ type }) => type === 'http-01');
    if (challenge === undefined) throw new CertificateRefused('certificate_failed', 'no http-01 challenge is offered');
    const challenges = this.#app.records.collection(acmeChallenges, systemScope);
    const now = this.#app.records.time();
    await challenges.removeMany({ expiresAt: { $lt: now } }, removedAtOnce);
    await challenges.put({
      _id: challenge.token,
      keyAuthorization: await client.getChallengeKeyAuthorization(challenge),
      hostname,
      expiresAt: now + challengeMs,
    });
    try {
      await client.completeChallenge(challenge);
      await client.waitForValidStatus(challenge);
    } catch (error) {
      throw (await refusalIn(client, order)) ?? error;
    } finally {
      await challenges.remove(challenge.token);
    }
  }

  /** Opens the account once, at the first order. */
  #open(): Promise<{ acme: AcmeModule; client: Client }> {
    this.#opened ??= this.#openAccount().catch((error: unknown) => {
      this.#opened = null;
      throw error;
    });
    return this.#opened;
  }

  async #openAccount(): Promise<{ acme: AcmeModule; client: Client }> {
    // Only processes that order certificates load it.
    const acme = await import('acme-client');
    acme.axios.defaults.timeout = requestMs;
    const accountKey = await this.#accountKey(acme);
    const { PLY_ACME_EMAIL: email, PLY_ACME_EAB_KEY_ID: kid, PLY_ACME_EAB_HMAC_KEY: hmacKey } = this.#app.configuration;
    const client = new acme.Client({
      directoryUrl: this.#directory,
      accountKey,
      ...(kid === null || hmacKey === null ? {} : { externalAccountBinding: { kid, hmacKey } }),
      ...polling,
    });
    try {
      await client.createAccount({
        termsOfServiceAgreed: true,
        ...(email === null ? {} : { contact: [`mailto:${email}`] }),
      });
    } catch (error) {
      // For a key that the authority knows, the client goes on with an update, which authorities may refuse.
      if (!hasAccount(client)) throw error;
    }
    return { acme, client };
  }

  async #accountKey(acme: AcmeModule): Promise<string> {
    const { records, sealer, runtime } = this.#app;
    const accounts = records.collection(acmeAccounts, systemScope);
    const context = acmeKeyContext(this.#directory);
    if ((await accounts.get(this.#directory)) === null) {
      const key = (await acme.crypto.createPrivateEcdsaKey('P-256')).toString();
      // Of several processes one makes the account.
      await accounts.insertNew([
        { _id: this.#directory, sealedKey: sealer.seal(key, context), createdAt: runtime.now() },
      ]);
    }
    const account = await accounts.get(this.#directory);
    if (account === null) throw new Error('the key of the ACME account is gone');
    return sealer.open(account.sealedKey, context);
  }
}

function hasAccount(client: Client): boolean {
  try {
    return client.getAccountUrl() !== '';
  } catch {
    // It throws where there is none.
    return false;
  }
}

/** Why the authority has refused an order; null where it has not. Types of errors: RFC 8555, 6.7. */
async function refusalIn(client: Client, order: Order): Promise<CertificateRefused | null> {
  for (const { status, challenges } of await client.getAuthorizations(order)) {
    if (status !== 'invalid') continue;
    const problem: unknown = challenges
      .map((challenge) => ('error' in challenge ? challenge.error : null))
      .find(Boolean);
    const { type = '', detail = 'the authorization is invalid' } = problemOf(problem);
    return new CertificateRefused(type.endsWith(':caa') ? 'caa_blocks_certificate' : 'certificate_failed', detail);
  }
  return null;
}

function problemOf(problem: unknown): { type?: string; detail?: string } {
  if (typeof problem !== 'object' || problem === null) return {};
  return {
    ...('type' in problem && typeof problem.type === 'string' ? { type: problem.type } : {}),
    ...('detail' in problem && typeof problem.detail === 'string' ? { detail: problem.detail } : {}),
  };
}
