import { isDuplicate } from '../../../adapters/records/port.ts';
import type { StageResult } from '../../../mixins/work/worker.ts';
import * as transitions from '../../../mixins/work/transitions.ts';
import type { Domain } from '../../../models/domain.ts';
import type { Storage } from '../tools.ts';
import type { CertificateAuthority } from './authority.ts';
import { caaOf } from './caa.ts';
import { decide, type Evidence } from './decide.ts';
import type { Dns } from './dns.ts';
import { look } from './look.ts';
import { allDomains, domainsOf, type DomainTools } from './tools.ts';
import { transitionOf } from './transition.ts';
import { ownershipName, ownershipValue, routingTarget } from './view.ts';

/** Looks at a domain's DNS, and decides what follows. */
export async function checkRecords(
  { storage: { app }, dns, authority }: DomainTools,
  domain: Domain,
): Promise<StageResult<Domain>> {
  const found = await look(dns, {
    hostname: domain.hostname,
    ownership: { name: ownershipName(domain), value: ownershipValue(domain) },
    target: routingTarget(app, domain),
  });
  const isComplete = domain.state === 'verifying' && found.ownership === 'found' && found.routing === 'found';
  const caa = isComplete && authority !== null ? await caaFor(app, dns, authority, domain) : 'allowed';
  const evidence: Evidence = { ...found, claim: await claimOf(app, domain), caa };
  const now = app.runtime.now();
  let decision = decide(domain, evidence, now);
  if (decision.set.state === 'issuing_certificate' && !(await claim(app, domain)))
    decision = decide(domain, { ...evidence, claim: 'held_elsewhere' }, now);
  return (document, storeNow) => transitionOf(app, document, decision, storeNow);
}

async function caaFor(
  app: Storage['app'],
  dns: Dns,
  authority: CertificateAuthority,
  { _id, hostname }: Domain,
): Promise<Evidence['caa']> {
  try {
    return await caaOf(dns, hostname, await authority.issuers());
  } catch (error) {
    // The authority looks at these records itself; it is asked for the certificate later.
    app.log.warn({ err: error, domainId: _id }, 'the certificate authority does not answer');
    return 'allowed';
  }
}

/** Whether another domain holds the hostname at the edges. */
async function claimOf(app: Storage['app'], { _id, hostname }: Domain): Promise<Evidence['claim']> {
  const [holder] = await allDomains(app).find({ filter: { claimedHostname: hostname }, limit: 1 });
  return holder === undefined || holder._id === _id ? 'free' : 'held_elsewhere';
}

/** Takes the hostname for a domain. Of several domains one gets it. */
async function claim(app: Storage['app'], domain: Domain): Promise<boolean> {
  try {
    const { _id, organizationId, hostname } = domain;
    await domainsOf(app, organizationId).update(_id, transitions.whileLeased(domain), {
      set: { claimedHostname: hostname },
      increment: { version: 1 },
    });
    return true;
  } catch (error) {
    if (isDuplicate(error, 'claim')) return false;
    throw error;
  }
}
