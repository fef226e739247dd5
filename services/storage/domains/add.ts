import { isDuplicate } from '../../../adapters/records/port.ts';
import { maxDomainsOfBucket } from '../../../mixins/storage/hostnames.ts';
import type { Caller } from '../../../models/api.ts';
import type { Bucket } from '../../../models/bucket.ts';
import type { Domain, DomainView } from '../../../models/domain.ts';
import { invalid, Refusal } from '../../../models/errors.ts';
import { isReservedHostname, isWithin, readHostname } from '../../../models/hostname.ts';
import type { NewDomain } from '../../../models/schemas/domains.ts';
import { newRun } from '../buckets/run.ts';
import { ceilingsOf } from '../plan.ts';
import { findBucket, requireActive, type Storage } from '../tools.ts';
import { allDomains, auditEntry, domainsOf, newVerification, settleDomain } from './tools.ts';
import { domainView } from './view.ts';

const hourMs = 3_600_000;
/** Domains that an account may add within these times. */
const maxAdded = [
  { count: 20, milliseconds: hourMs, within: 'an hour' },
  { count: 100, milliseconds: 24 * hourMs, within: '24 hours' },
] as const;

/**
 * Adds a hostname to a bucket: its records are looked for at once.
 * @param id of the domain, fixed by the Idempotency-Key: the same request after a crash finds what it had added
 * @throws Refusal `validation_error`, `hostname_not_allowed`, `bucket_not_found`, `bucket_not_active`,
 *   `plan_limit_reached`, `domain_limit_reached`, `domain_rate_limited`, `domain_exists`
 */
export async function addDomain(storage: Storage, caller: Caller, id: string, input: NewDomain): Promise<DomainView> {
  const { app } = storage;
  const { organizationId, accountId } = caller;
  const hostname = allowedHostname(storage, input.hostname);
  const made = await domainsOf(app, organizationId).get(id);
  if (made !== null) return domainView(app, made);
  const bucket = await findBucket(app, organizationId, input.bucketId);
  requireActive(bucket);
  await requirePlan(storage, accountId, 0);
  await requireRoom(storage, bucket, 0);
  await requireRate(storage, accountId);
  const domain = domainDocument(storage, caller, id, bucket, hostname);
  try {
    await domainsOf(app, organizationId).insert(domain);
  } catch (error) {
    if (isDuplicate(error, 'present')) throw new Refusal('domain_exists');
    throw error;
  }
  try {
    // A concurrent request may have taken the last place.
    await requirePlan(storage, accountId, 1);
    await requireRoom(storage, bucket, 1);
  } catch (error) {
    await domainsOf(app, organizationId).remove(id);
    throw error;
  }
  storage.wakeUp(organizationId, ['checking_domain']);
  return domainView(app, await settleDomain(storage, domain));
}

/** @throws Refusal `validation_error`, `hostname_not_allowed` */
function allowedHostname({ app, regions }: Storage, given: string): string {
  const read = readHostname(given);
  if ('problem' in read) throw invalid(['body', 'hostname'], `The hostname ${read.problem}.`);
  const { hostname } = read;
  const { PLY_DELIVERY_DOMAIN: deliveryDomain, PLY_PUBLIC_URL: publicUrl } = app.configuration;
  const addresses = [
    ...(publicUrl === null ? [] : [publicUrl]),
    ...regions.flatMap(({ endpoints }) => Object.values(endpoints)),
  ];
  const isOwn = isWithin(hostname, deliveryDomain) || addresses.some((address) => isOwnHost(hostname, address));
  if (isReservedHostname(hostname) || isOwn) throw new Refusal('hostname_not_allowed');
  return hostname;
}

/** Whether a hostname is that of one of the service's addresses, which may have a place for a name in front of it. */
function isOwnHost(hostname: string, address: string): boolean {
  const url = address.replace(/\{\w+\}\.?/g, '');
  if (!URL.canParse(url)) return false;
  const host = new URL(url).hostname;
  return /^https?:\/\/\{/.test(address) ? isWithin(hostname, host) : hostname === host;
}

/** @throws Refusal `plan_limit_reached` */
async function requirePlan({ app }: Storage, accountId: string, alreadyCounted: number): Promise<void> {
  const { customDomains: ceiling } = await ceilingsOf(app, accountId);
  if (ceiling === null) return;
  if ((await allDomains(app).count({ accountId, deletedAt: null })) - alreadyCounted >= ceiling)
    throw new Refusal('plan_limit_reached', { detail: `The account's plan includes ${ceiling} custom domains.` });
}

/** @throws Refusal `domain_limit_reached` */
async function requireRoom(
  { app }: Storage,
  { organizationId, _id: bucketId }: Bucket,
  alreadyCounted: number,
): Promise<void> {
  const present = await domainsOf(app, organizationId).count({ bucketId, listedAt: { $exists: true } });
  if (present - alreadyCounted >= maxDomainsOfBucket)
    throw new Refusal('domain_limit_reached', { detail: `A bucket may have ${maxDomainsOfBucket} custom domains.` });
}

/** Counts the domains that were added, deleted ones too. @throws Refusal `domain_rate_limited` */
async function requireRate({ app }: Storage, accountId: string): Promise<void> {
  const now = app.runtime.now();
  for (const { count, milliseconds, within } of maxAdded) {
    const latest = await allDomains(app).pick(
      { filter: { accountId, createdAt: { $gt: now - milliseconds } }, sort: [['createdAt', -1]], limit: count },
      ['createdAt'],
    );
    const oldest = latest[count - 1]?.[0];
    if (typeof oldest !== 'number') continue;
    throw new Refusal('domain_rate_limited', {
      detail: `An account may add ${count} custom domains within ${within}.`,
      retryable: true,
      retryAfter: Math.max(1, Math.ceil((oldest + milliseconds - now) / 1000)),
    });
  }
}

function domainDocument(
  { app }: Storage,
  caller: Caller,
  id: string,
  { _id: bucketId, name: bucketName }: Bucket,
  hostname: string,
): Domain {
  const { organizationId, accountId } = caller;
  const now = app.runtime.now();
  return {
    _id: id,
    organizationId,
    accountId,
    bucketId,
    bucketName,
    hostname,
    state: 'pending_dns',
    failureReason: null,
    apex: null,
    verification: newVerification(app),
    caa: null,
    checks: { ownership: 'unknown', routing: 'unknown', claim: 'unknown', certificate: 'none' },
    lastCheckedAt: null,
    nextCheckAt: now,
    activeAt: null,
    createdAt: now,
    updatedAt: now,
    pendingSince: now,
    missingSince: null,
    requestedAt: null,
    isRequested: false,
    presentKey: `${bucketId}/${hostname}`,
    listedAt: now,
    deletedAt: null,
    certificate: null,
    version: 1,
    outbox: [auditEntry(app, { _id: id, organizationId, hostname }, caller, 'domain.added')],
    outboxDue: app.records.time(),
    run: newRun(app, 'checking_domain'),
  };
}
