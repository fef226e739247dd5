import { setTimeout as pause } from 'node:timers/promises';
import { isDuplicate } from '../../../adapters/records/port.ts';
import type { AppContext } from '../../../mixins/app-context.ts';
import type { Intake } from '../../../mixins/lifecycle.ts';
import { domainWork } from '../../../mixins/storage/domain-work.ts';
import { stageWorker, type StageResult, type StageWork } from '../../../mixins/work/worker.ts';
import * as transitions from '../../../mixins/work/transitions.ts';
import type { Domain, DomainStage } from '../../../models/domain.ts';
import type { Storage } from '../tools.ts';
import { beginAgain } from './change.ts';
import { decide, nextDailyLook, type Evidence } from './decide.ts';
import type { Dns } from './dns.ts';
import { look } from './look.ts';
import { allDomains, auditEntry, domainsOf } from './tools.ts';
import { transitionOf } from './transition.ts';
import { ownershipName, ownershipValue, routingTarget } from './view.ts';

/** How often edges are asked whether they have applied a change, and for how long in one attempt. In milliseconds. */
const edgePollMs = 100;
const edgePatienceMs = 30_000;

/** Domains that a process works on at a time, by stage. */
export const domainSlots: { readonly [S in DomainStage]: number } = {
  checking_domain: 32,
  certifying_domain: 8,
  releasing_domain: 8,
};

/** Looks at a domain's DNS, and decides what follows. */
async function check({ app }: Storage, dns: Dns, domain: Domain): Promise<StageResult<Domain>> {
  const found = await look(dns, {
    hostname: domain.hostname,
    ownership: { name: ownershipName(domain), value: ownershipValue(domain) },
    target: routingTarget(app, domain),
  });
  const evidence: Evidence = { ...found, claim: await claimOf(app, domain), caa: 'allowed' };
  const now = app.runtime.now();
  let decision = decide(domain, evidence, now);
  if (decision.set.state === 'issuing_certificate' && !(await claim(app, domain)))
    decision = decide(domain, { ...evidence, claim: 'held_elsewhere' }, now);
  return (document, storeNow) => transitionOf(app, document, decision, storeNow);
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

/** Makes a domain active: where TLS ends before the edges, the proxy there has the certificate. */
function certify({ app }: Storage): StageResult<Domain> {
  return (domain, storeNow) => {
    const now = app.runtime.now();
    const at = nextDailyLook(null, now);
    const set = { checks: { ...domain.checks, certificate: 'active' as const }, nextCheckAt: at };
    const next = { stage: 'checking_domain' as const, at };
    if (domain.state === 'active') return transitionOf(app, domain, { set, audit: [], next }, storeNow);
    const { filter, change } = transitionOf(
      app,
      domain,
      { set: { ...set, state: 'active' }, audit: [{ action: 'domain.active' }], next },
      storeNow,
    );
    return { filter, change: { ...change, set: { ...change.set, activeAt: now } } };
  };
}

/**
 * Gives the hostname of a deleted, failed or detached domain free, once no edge serves it for this domain any more.
 * @throws an error that is tried again, where an edge does not answer
 */
async function release({ app }: Storage, { document, signal }: StageWork<Domain>): Promise<StageResult<Domain>> {
  if (document.claimedHostname !== undefined) {
    const position = await app.edgeChanges.append([{ kind: 'domain', hostname: document.claimedHostname }]);
    for (let waited = 0; (await app.edgeChanges.acknowledged()) < position; waited += edgePollMs) {
      if (waited >= edgePatienceMs) throw new Error('an edge does not acknowledge changes');
      await pause(edgePollMs, undefined, { signal });
    }
  }
  return (domain, storeNow) => {
    const held = domain.claimedHostname !== undefined;
    const { filter, change } = transitions.complete(domain, 'ready', storeNow, {
      document: { certificate: null, 'checks.certificate': 'none' },
      outbox: held ? [auditEntry(app, domain, null, 'domain.released')] : [],
    });
    const again = domain.isRequested && domain.deletedAt === null ? beginAgain(app, domain) : {};
    const ended = Object.keys(again).length > 0 ? withoutRun(change.set) : change.set;
    return {
      // A look that is asked for meanwhile must not be forgotten: the release is then done again.
      filter: { ...filter, isRequested: domain.isRequested },
      change: { ...change, set: { ...ended, ...again }, unset: ['claimedHostname', 'sealedCertificateKey'] },
    };
  };
}

/** Fields of a change without those of the run, which is replaced as a whole. */
function withoutRun(set: transitions.Transition['change']['set'] = {}): NonNullable<typeof set> {
  return Object.fromEntries(
    Object.entries(set).filter(([path]) => !path.startsWith('run.') && !path.startsWith('checks.')),
  );
}

/** The intakes that work on custom domains in this process. */
export function domainWorkers(app: AppContext, storage: Storage, dns: Dns): Intake[] {
  const kind = domainWork(app);
  const changed = (organizationId: string, stages: readonly string[]): void => storage.wakeUp(organizationId, stages);
  const worker = (stage: DomainStage, work: (given: StageWork<Domain>) => Promise<StageResult<Domain>>): Intake =>
    stageWorker(app, kind, { stage, slots: domainSlots[stage], changed, work });
  return [
    worker('checking_domain', ({ document }) => check(storage, dns, document)),
    worker('certifying_domain', () => Promise.resolve(certify(storage))),
    worker('releasing_domain', (given) => release(storage, given)),
  ];
}
