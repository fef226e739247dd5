import type { AppContext } from '../../../mixins/app-context.ts';
import type { Intake } from '../../../mixins/lifecycle.ts';
import { domainWork } from '../../../mixins/storage/domain-work.ts';
import { stageWorker, type StageResult, type StageWork } from '../../../mixins/work/worker.ts';
import type { Domain, DomainStage } from '../../../models/domain.ts';
import { certify } from './certify.ts';
import { checkRecords } from './check.ts';
import { release } from './release.ts';
import type { DomainTools } from './tools.ts';

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
  ];
}
