import type { Change, Collection } from '../../../adapters/records/port.ts';
import { domainEdgeEntry, domainWork } from '../../../mixins/storage/domain-work.ts';
import { drainOutbox } from '../../../mixins/work/outbox.ts';
import type { AuditLogAction, AuditLogRow } from '../../../models/audit-log.ts';
import { domains, type Domain, type DomainEntry } from '../../../models/domain.ts';
import { Refusal } from '../../../models/errors.ts';
import { scopeOf, systemScope } from '../../../models/scope.ts';
import type { CertificateAuthority } from './authority.ts';
import type { Dns } from './dns.ts';
import { auditRow, type Actor } from '../../../mixins/storage/audit.ts';
import { tooBusy, writeAttempts, type Storage, type StorageContext } from '../tools.ts';

/** What the work on domains needs of the outside. */
export interface DomainTools {
  storage: Storage;
  dns: Dns;
  /** Null: certificates are somebody else's. */
  authority: CertificateAuthority | null;
}

/** The custom domains of one organization. */
export function domainsOf({ records }: Pick<StorageContext, 'records'>, organizationId: string): Collection<Domain> {
  return records.collection(domains, scopeOf(organizationId));
}

/** The custom domains of all organizations, for background work and limits of accounts. */
export function allDomains({ records }: Pick<StorageContext, 'records'>): Collection<Domain> {
  return records.collection(domains, systemScope);
}

/** A domain of the organization that is not deleted. @throws Refusal `domain_not_found` */
export async function findDomain(
  app: Pick<StorageContext, 'records'>,
  organizationId: string,
  domainId: string,
): Promise<Domain> {
  const domain = await domainsOf(app, organizationId).get(domainId);
  if (domain === null || domain.deletedAt !== null) throw new Refusal('domain_not_found');
  return domain;
}

/** A new value of the ownership record: 32 characters that nobody can guess. */
export function newVerification({ runtime }: Pick<StorageContext, 'runtime'>): string {
  return Buffer.from(runtime.secret(16), 'base64url').toString('hex');
}

/** An outbox item that writes a row of the audit log. */
export function auditEntry(
  app: Pick<StorageContext, 'runtime'>,
  { organizationId, _id: id, hostname }: Pick<Domain, 'organizationId' | '_id' | 'hostname'>,
  actor: Actor,
  action: AuditLogAction,
  detail: AuditLogRow['detail'] = {},
): DomainEntry {
  const row = auditRow(app, organizationId, actor, action, { kind: 'domain', id }, { hostname, ...detail });
  return { id: row._id, kind: 'audit', notBefore: 0, row };
}

/** A write of a domain, with the audit row that says so. */
export interface AuditedChange {
  set: NonNullable<Change['set']>;
  unset?: readonly string[];
  action: AuditLogAction;
}

/**
 * Writes a change of a domain with its audit row, conditional on what was read, and delivers the row.
 * @param decide the change for the domain as it is now. @throws Refusal
 */
export async function writeDomain(
  storage: Storage,
  actor: Actor,
  organizationId: string,
  domainId: string,
  decide: (domain: Domain) => AuditedChange,
): Promise<Domain> {
  const { app } = storage;
  for (let attempt = 0; attempt < writeAttempts; attempt += 1) {
    const domain = await findDomain(app, organizationId, domainId);
    const { set, unset = [], action } = decide(domain);
    const written = await domainsOf(app, organizationId).update(
      domainId,
      { version: domain.version },
      {
        set: { ...set, updatedAt: Math.max(app.runtime.now(), domain.updatedAt), outboxDue: app.records.time() },
        unset,
        increment: { version: 1 },
        push: {
          outbox: [
            auditEntry(app, domain, actor, action),
            ...(set['deletedAt'] === undefined ? [] : [domainEdgeEntry(app.runtime, domain)]),
          ],
        },
      },
    );
    if (written !== null) return settleDomain(storage, written);
  }
  throw tooBusy();
}

/** Delivers what follows from a change that was just written; what fails is left to the sweeper. Returns the domain. */
export async function settleDomain({ app }: Pick<Storage, 'app'>, written: Domain): Promise<Domain> {
  try {
    await drainOutbox(app, domainWork(app), domainsOf(app, written.organizationId), written);
  } catch (error) {
    app.log.warn({ err: error, domainId: written._id }, 'the outbox of a domain could not be delivered, will retry');
  }
  return written;
}
