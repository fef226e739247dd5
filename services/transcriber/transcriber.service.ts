import type { ServiceBroker, ServiceSchema } from 'moleculer';
import { actionsOf } from '../../mixins/actions-of.ts';
import { call } from '../../mixins/actions.ts';
import { hint, tellAll } from '../../mixins/events.ts';
import type { Features } from '../../mixins/features.ts';
import type { House } from '../../mixins/house.ts';
import { stageMetadata } from '../../mixins/runs/slots.ts';
import { stageWorker } from '../../mixins/runs/stage-worker.ts';
import { ChunkWorker } from './chunk-worker.ts';
import { Placement, transcriberNodes } from './placement.ts';
import { transcribeRevision } from './transcribe-revision.ts';

/**
 * The actor that turns the sound of recordings into transcripts. It does two things: it sees a recording through
 * (the stage), and it transcribes pieces of sound for whichever process sees their recording through (the action).
 */
export function transcriberService(house: House, broker: ServiceBroker): ServiceSchema {
  const slots = house.configuration.PLY_TRANSCRIBER_SLOTS;
  const places = house.speech.model === null ? 0 : house.configuration.PLY_TRANSCRIBER_WORKERS;
  const chunks = new ChunkWorker(house, places);
  // Waits for its turn at the process that is called, so it has no time of its own: a process that is gone is noticed.
  const placement = new Placement(() => transcriberNodes(broker), (nodeID, request) => call(broker, 'transcriber.chunk', request, { nodeID, timeout: 0 }));
  house.lifecycle.add(chunks);
  house.lifecycle.add(stageWorker(house, {
    stage: 'transcribing',
    slots,
    work: (work) => transcribeRevision({ house, placement, abandon: (recording) => tellAll(broker, 'recording.abandoned', { recording }) }, work),
    recordUsage: (events) => call(broker, 'ledger.record', { events }),
    freed: (organizationId, stages, runs) => hint(broker, 'runs.changed', { organizationId, stages, runs }),
    left: (revision) => hint(broker, 'index.stale', revision),
  }));
  return {
    name: 'transcriber',
    metadata: { ...stageMetadata('transcribing', slots), places, features: speechFeature(house) },
    actions: actionsOf<'transcriber'>({ chunk: (request) => chunks.transcribe(request) }),
    events: {
      'recording.abandoned': {
        handler: (ctx: { params: { recording: string } }) => chunks.abandon(ctx.params.recording),
      },
    },
  };
}

/** Whether this process transcribes, as the registrar of the cluster wants to know it. */
function speechFeature({ speech }: House): Features {
  return { speech: speech.model === null ? { state: 'off', detail: speech.absence ?? 'there is no transcriber' } : { state: 'up' } };
}
