import type { Caller } from '../../../models/api.ts';
import type { Domain, DomainView } from '../../../models/domain.ts';
import { Refusal } from '../../../models/errors.ts';
import { newRun } from '../buckets/run.ts';
import { findBucket, requireActive, type Storage } from '../tools.ts';
import { domainsOf, findDomain, newVerification, writeDomain, type AuditedChange } from './tools.ts';
import { domainView } from './view.ts';

/** Milliseconds between two looks that clients ask for. */
const checkIntervalMs = 60_000;

/** Deletes a domain: its hostname is then given free at the edges. @throws Refusal `domain_not_found` */
export async function removeDomain(storage: Storage, caller: Caller, domainId: string): Promise<null> {
  const { app } = storage;
  await writeDomain(storage, caller, caller.organizationId, domainId, () => ({
    action: 'domain.deleted',
    set: { deletedAt: app.runtime.now(), nextCheckAt: null, run: newRun(app, 'releasing_domain') },
    unset: ['presentKey', 'listedAt'],
  }));
  storage.wakeUp(caller.organizationId, ['releasing_domain']);
  return null;
}

/** The fields of a domain whose records are waited for from now on. */
export function beginAgain(app: Storage['app'], domain: Domain): AuditedChange['set'] {
  const now = app.runtime.now();
  return {
    state: 'pending_dns',
    failureReason: null,
    verification: newVerification(app),
    caa: null,
    checks: { ownership: 'unknown', routing: 'unknown', claim: 'unknown', certificate: 'none' },
    nextCheckAt: now,
    updatedAt: Math.max(now, domain.updatedAt),
    pendingSince: now,
    missingSince: null,
    isRequested: false,
    refusals: 0,
    run: newRun(app, 'checking_domain'),
  };
}

/**
 * Looks at a domain's DNS now. A failed or detached domain begins again: at once, or when its hostname is free.
 * @throws Refusal `domain_not_found`, `bucket_not_active`, `domain_check_too_soon`
 */
export async function checkDomain(storage: Storage, caller: Caller, domainId: string): Promise<DomainView> {
  const { app } = storage;
  const { organizationId } = caller;
  const { bucketId } = await findDomain(app, organizationId, domainId);
  requireActive(await findBucket(app, organizationId, bucketId));
  const written = await writeDomain(storage, caller, organizationId, domainId, (domain) => {
    const now = app.runtime.now();
    const wait = domain.requestedAt === null ? 0 : domain.requestedAt + checkIntervalMs - now;
    if (wait > 0) throw new Refusal('domain_check_too_soon', { retryable: true, retryAfter: Math.ceil(wait / 1000) });
    return { action: 'domain.check_requested', set: { requestedAt: now, ...requested(storage, domain) } };
  });
  storage.wakeUp(organizationId, [written.run.stage]);
  return domainView(app, written);
}

function requested({ app }: Storage, domain: Domain): AuditedChange['set'] {
  const { run, state } = domain;
  const isReleasing = run.stage === 'releasing_domain' && run.phase !== 'ended';
  if (state === 'failed' || state === 'detached') return isReleasing ? { isRequested: true } : beginAgain(app, domain);
  // An order of a certificate that is under way goes on.
  if (run.stage === 'certifying_domain' && run.phase !== 'put_off') return {};
  const stage = state === 'issuing_certificate' ? run.stage : 'checking_domain';
  return { nextCheckAt: app.runtime.now(), run: newRun(app, stage) };
}

/** Gives the hostnames of a bucket free whose content is removed. */
export async function releaseDomains(
  storage: Storage,
  { organizationId, _id: bucketId }: { organizationId: string; _id: string },
): Promise<void> {
  const { app } = storage;
  for (;;) {
    const [domain] = await domainsOf(app, organizationId).find({
      filter: { bucketId, listedAt: { $exists: true } },
      limit: 1,
    });
    if (domain === undefined) break;
    await writeDomain(storage, null, organizationId, domain._id, () => ({
      action: 'domain.deleted',
      set: { deletedAt: app.runtime.now(), nextCheckAt: null, run: newRun(app, 'releasing_domain') },
      unset: ['presentKey', 'listedAt'],
    }));
  }
  storage.wakeUp(organizationId, ['releasing_domain']);
}
