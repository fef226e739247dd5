import type { AuditLogRow } from './audit-log.ts';
import { defineCollection } from './collection.ts';
import type { EdgeChange } from './edge-change.ts';
import type { domainAnswer } from './schemas/answers/domains.ts';
import type { Infer } from './schemas/schema.ts';
import type { OutboxItem, Runnable, WorkRun } from './work.ts';

/** A custom domain as the API shows it. */
export type DomainView = Infer<typeof domainAnswer>;
/** State of a custom domain in the API. */
export type DomainState = DomainView['state'];
/** Why a domain failed or was detached. */
export type DomainFailure = NonNullable<DomainView['failureReason']>;
/** What the last look found. */
export type DomainChecks = DomainView['checks'];

/**
 * What is worked on a domain: looking at its DNS, obtaining its certificate, and giving its hostname free at the edges.
 */
export type DomainStage = 'checking_domain' | 'certifying_domain' | 'releasing_domain';

/** The work on a domain that is in progress, or is to come. */
export interface DomainRun extends WorkRun {
  stage: DomainStage;
}

/** A change of another store that follows from a change of a domain. */
export type DomainEntry = OutboxItem & ({ kind: 'audit'; row: AuditLogRow } | { kind: 'edge'; change: EdgeChange });

/** The certificate of a domain without its key. */
export interface DomainCertificate {
  /** PEM, the domain's own certificate first. */
  chain: string;
  notBefore: number;
  notAfter: number;
  /** From when on its renewal is late: half of the time that is left for it has passed. */
  lateAt: number;
}

/** A hostname of a customer under which a bucket is delivered, with the work on it. */
export interface Domain extends Runnable {
  accountId: string;
  bucketId: string;
  /** Name of the bucket, which never changes: the hostname is routed to the bucket's default hostname. */
  bucketName: string;
  /** Lower case, `xn--` form. */
  hostname: string;
  state: DomainState;
  failureReason: DomainFailure | null;
  apex: boolean | null;
  /** The 32 characters of the ownership record. */
  verification: string;
  /** The CAA record that is missing, where records of the domain forbid its certificate. */
  caa: { name: string; value: string } | null;
  checks: DomainChecks;
  lastCheckedAt: number | null;
  nextCheckAt: number | null;
  activeAt: number | null;
  createdAt: number;
  updatedAt: number;
  /** Since when its records are waited for. */
  pendingSince: number;
  /** When a look at an active domain first found records gone; null while they are there. */
  missingSince: number | null;
  /** When a client last asked for a look. */
  requestedAt: number | null;
  /** Certificates that the authority refused since the records were found; absent: none. */
  refusals?: number;
  /** A look was asked for while the hostname was being given free: it begins afterwards. */
  isRequested: boolean;
  /** Equal to hostname while the domain holds it at the edges: one domain of all does. */
  claimedHostname?: string;
  /** Bucket and hostname while the domain is not deleted: a bucket has a hostname once. */
  presentKey?: string;
  /** Equal to createdAt while the domain is not deleted: lists are sorted by it. */
  listedAt?: number;
  /** Deleted domains stay as records of what was used. */
  deletedAt: number | null;
  certificate: DomainCertificate | null;
  /** Private key of the certificate, PEM, sealed for `certificateKeyContext`. */
  sealedCertificateKey?: string;
  run: DomainRun;
  outbox: DomainEntry[];
}

/** The context that the key of a domain's certificate is sealed for. */
export function certificateKeyContext(domainId: string): string {
  return `domain:${domainId}:certificate`;
}

/** The custom domains of all organizations. */
export const domains = defineCollection<Domain>({
  name: 'domains',
  owner: 'organization',
  indexes: [
    { name: 'claim', fields: ['claimedHostname'], unique: true, sparse: true },
    { name: 'present', fields: ['presentKey'], unique: true, sparse: true },
    { name: 'listed', fields: ['organizationId', 'listedAt', '_id'] },
    { name: 'bucket', fields: ['organizationId', 'bucketId', 'listedAt', '_id'] },
    { name: 'account_created', fields: ['accountId', 'createdAt'] },
    { name: 'account_present', fields: ['accountId', 'deletedAt'] },
    { name: 'late', fields: ['certificate.lateAt'], sparse: true },
    { name: 'turn', fields: ['run.phase', 'run.stage', 'organizationId', 'run.queuedAt'] },
    { name: 'due', fields: ['run.phase', 'run.dueAt'] },
    { name: 'outbox', fields: ['outboxDue'], sparse: true },
  ],
});
