import type { AuditLogAction } from '../../../models/audit-log.ts';
import type { Domain, DomainCertificate, DomainChecks, DomainFailure, DomainStage } from '../../../models/domain.ts';
import type { Found } from './look.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
/** How long the records of a domain, or of a storage account's hostname, are waited for, in milliseconds. */
export const dnsTimeoutMs = 72 * hourMs;

/** What is known of a domain when it is decided on. */
export interface Evidence extends Found {
  claim: DomainChecks['claim'];
  /** Whether its CAA records allow its certificate; else the record that would. It counts while it is `verifying`. */
  caa: 'allowed' | 'unknown' | { name: string; value: string };
}

/** What follows from a look at a domain. */
export interface Decision {
  set: Partial<
    Pick<
      Domain,
      | 'state'
      | 'failureReason'
      | 'caa'
      | 'checks'
      | 'apex'
      | 'lastCheckedAt'
      | 'nextCheckAt'
      | 'missingSince'
      | 'refusals'
    >
  >;
  audit: { action: AuditLogAction; detail?: { reason: DomainFailure } }[];
  /** The stage that follows, and when; null: nothing more happens by itself. */
  next: { stage: DomainStage; at: number } | null;
}

/** When records that were not found are looked for again. */
export function nextLook({ pendingSince }: Pick<Domain, 'pendingSince'>, now: number): number {
  return now + (now - pendingSince < hourMs ? minuteMs : 10 * minuteMs);
}

/** When an active domain is looked at again: daily, or when its certificate is to be renewed. */
export function nextDailyLook(certificate: Domain['certificate'], now: number): number {
  return Math.max(now + minuteMs, Math.min(now + dayMs, renewalTime(certificate)));
}

/** When a certificate is renewed: with a third of its life left. Infinity where there is none. */
export function renewalTime(certificate: Pick<DomainCertificate, 'notBefore' | 'notAfter'> | null): number {
  if (certificate === null) return Infinity;
  const { notBefore, notAfter } = certificate;
  return notAfter - Math.floor((notAfter - notBefore) / 3);
}

/** Decides what a look at a domain changes. What is unknown never changes the state. */
export function decide(domain: Domain, evidence: Evidence, now: number): Decision {
  const { ownership, routing, claim, apex } = evidence;
  const decision: Decision = {
    set: {
      checks: { ...domain.checks, ownership, routing, claim },
      apex: apex ?? domain.apex,
      lastCheckedAt: now,
    },
    audit: [],
    next: null,
  };
  switch (domain.state) {
    case 'pending_dns':
      return decidePending(domain, evidence, now, decision);
    case 'verifying':
      return decideVerifying(domain, evidence, now, decision);
    case 'active':
      return decideActive(domain, evidence, now, decision);
    default:
      return decision;
  }
}

function decidePending(domain: Domain, { ownership, routing }: Evidence, now: number, decision: Decision): Decision {
  if (ownership === 'found' && routing === 'found') {
    Object.assign(decision.set, { state: 'verifying' });
    decision.audit.push({ action: 'domain.verified' });
    return lookAgain(decision, now);
  }
  const isAbsent = ownership === 'missing' || routing === 'missing' || routing === 'elsewhere';
  return isOverdue(domain, now) && isAbsent
    ? fail(decision, 'dns_not_configured')
    : lookAgain(decision, nextLook(domain, now));
}

function decideVerifying(domain: Domain, evidence: Evidence, now: number, decision: Decision): Decision {
  const { ownership, routing, claim, caa } = evidence;
  const later = nextLook(domain, now);
  if (ownership === 'missing') {
    Object.assign(decision.set, { state: 'pending_dns' });
    return lookAgain(decision, later);
  }
  if (routing === 'missing' || routing === 'elsewhere')
    return isOverdue(domain, now) ? fail(decision, 'dns_not_configured') : lookAgain(decision, later);
  if (ownership === 'unknown' || routing === 'unknown') return lookAgain(decision, later);
  if (claim === 'held_elsewhere')
    return isOverdue(domain, now) ? fail(decision, 'hostname_in_use') : lookAgain(decision, later);
  if (claim === 'unknown' || caa === 'unknown') return lookAgain(decision, later);
  if (caa !== 'allowed') {
    Object.assign(decision.set, { caa });
    return fail(decision, 'caa_blocks_certificate');
  }
  const checks: DomainChecks = { ownership, routing, claim, certificate: 'pending' };
  Object.assign(decision.set, { state: 'issuing_certificate', caa: null, checks, nextCheckAt: null });
  return { ...decision, next: { stage: 'certifying_domain', at: now } };
}

function decideActive(domain: Domain, { ownership, routing }: Evidence, now: number, decision: Decision): Decision {
  const reason = lossOf({ ownership, routing });
  if (reason !== null) {
    const since = domain.missingSince ?? now;
    Object.assign(decision.set, { missingSince: since });
    if (now - since < hourMs) return lookAgain(decision, since + hourMs);
    Object.assign(decision.set, { state: 'detached', failureReason: reason, nextCheckAt: null });
    decision.audit.push({ action: 'domain.detached', detail: { reason } });
    return { ...decision, next: { stage: 'releasing_domain', at: now } };
  }
  if (ownership === 'unknown' || routing === 'unknown') return lookAgain(decision, now + 10 * minuteMs);
  Object.assign(decision.set, { missingSince: null });
  if (renewalTime(domain.certificate) > now) return lookAgain(decision, nextDailyLook(domain.certificate, now));
  Object.assign(decision.set, { nextCheckAt: now + dayMs });
  return { ...decision, next: { stage: 'certifying_domain', at: now } };
}

function lossOf({ ownership, routing }: Pick<Found, 'ownership' | 'routing'>): DomainFailure | null {
  if (ownership === 'missing') return 'ownership_record_removed';
  return routing === 'missing' || routing === 'elsewhere' ? 'dns_record_removed' : null;
}

function isOverdue({ pendingSince }: Pick<Domain, 'pendingSince'>, now: number): boolean {
  return now - pendingSince >= dnsTimeoutMs;
}

function lookAgain(decision: Decision, at: number): Decision {
  Object.assign(decision.set, { nextCheckAt: at });
  return { ...decision, next: { stage: 'checking_domain', at } };
}

/** Refusals of a certificate after which a domain fails. */
const maxRefusals = 5;

/** Decides what follows from a certificate that was not issued. A domain that is active keeps the one it has. */
export function decideWithoutCertificate(domain: Domain, reason: DomainFailure, now: number): Decision {
  const decision: Decision = { set: {}, audit: [], next: null };
  if (domain.state === 'active') return lookAgain(decision, now + 6 * hourMs);
  const refusals = (domain.refusals ?? 0) + (reason === 'provider_unavailable' ? 0 : 1);
  Object.assign(decision.set, { refusals });
  const isFinal = reason === 'caa_blocks_certificate' || refusals >= maxRefusals || isOverdue(domain, now);
  if (isFinal) return fail(decision, reason);
  const at = now + Math.min(hourMs, minuteMs * 4 ** Math.max(0, refusals - 1));
  Object.assign(decision.set, { nextCheckAt: at });
  return { ...decision, next: { stage: 'certifying_domain', at } };
}

/** The domain fails; where it held its hostname, the release gives it free. */
export function fail(decision: Decision, reason: DomainFailure): Decision {
  Object.assign(decision.set, { state: 'failed', failureReason: reason, nextCheckAt: null });
  decision.audit.push({ action: 'domain.failed', detail: { reason } });
  return { ...decision, next: { stage: 'releasing_domain', at: 0 } };
}
