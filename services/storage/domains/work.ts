import type { AppContext } from '../../../mixins/app-context.ts';
import type { Intake } from '../../../mixins/lifecycle.ts';
import { periodicIntake } from '../../../mixins/periodic.ts';
import { domainWork } from '../../../mixins/storage/domain-work.ts';
import { stageWorker, type StageResult, type StageWork } from '../../../mixins/work/worker.ts';
import type { Domain, DomainStage } from '../../../models/domain.ts';
import { certify } from './certify.ts';
import { checkRecords } from './check.ts';
import type { Storage } from '../tools.ts';
import { release } from './release.ts';
import { allDomains, type DomainTools } from './tools.ts';

/** How often late certificates are counted, in milliseconds. */
const certificatesMs = 60_000;

/** Domains that a process works on at a time, by stage. */
export const domainSlots: { readonly [S in DomainStage]: number } = {
  checking_domain: 32,
  certifying_domain: 8,
  releasing_domain: 8,
};

/** The intakes that work on custom domains in this process. */
export function domainWorkers(app: AppContext, tools: DomainTools): Intake[] {
  const { storage } = tools;
  const kind = domainWork(app);
  const changed = (organizationId: string, stages: readonly string[]): void => storage.wakeUp(organizationId, stages);
  const worker = (stage: DomainStage, work: (given: StageWork<Domain>) => Promise<StageResult<Domain>>): Intake =>
    stageWorker(app, kind, { stage, slots: domainSlots[stage], changed, work });
  return [
    worker('checking_domain', ({ document }) => checkRecords(tools, document)),
    worker('certifying_domain', (given) => certify(tools, given)),
    worker('releasing_domain', (given) => release(storage, given)),
    periodicIntake({
      name: 'watching certificates',
      everyMs: certificatesMs,
      firstMs: 0,
      round: () => countLateCertificates(storage),
      failed: (error) => app.log.warn({ err: error }, 'certificates could not be counted, will retry'),
    }),
  ];
}

/** Counts the certificates that would expire because their renewal does not succeed, for the metrics. */
async function countLateCertificates({ app }: Storage): Promise<void> {
  const late = await allDomains(app).count({ 'certificate.lateAt': { $lte: app.runtime.now() } });
  app.metrics.certificatesLate.set(late);
}
