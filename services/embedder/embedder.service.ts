import type { ServiceBroker, ServiceSchema } from 'moleculer';
import { call } from '../../mixins/actions.ts';
import { hint } from '../../mixins/events.ts';
import type { House } from '../../mixins/house.ts';
import { stageMetadata } from '../../mixins/runs/slots.ts';
import { stageWorker } from '../../mixins/runs/stage-worker.ts';
import { makeReady } from './make-ready.ts';

/** The actor that makes passages and vectors of a revision's blocks, indexes them and makes the revision ready. */
export function embedderService(house: House, broker: ServiceBroker): ServiceSchema {
  const slots = house.configuration.PLY_EMBEDDER_SLOTS;
  house.lifecycle.add(stageWorker(house, {
    stage: 'embedding',
    slots,
    work: (work) => makeReady(house, work),
    recordUsage: (events) => call(broker, 'ledger.record', { events }),
    freed: (organizationId) => hint(broker, 'runs.changed', { organizationId }),
    left: (revision) => hint(broker, 'index.stale', revision),
  }));
  return { name: 'embedder', metadata: { ...stageMetadata('embedding', slots) } };
}
