import type { ServiceBroker, ServiceSchema } from 'moleculer';
import { actionsOf } from '../../mixins/actions/actions-of.ts';
import { call } from '../../mixins/actions/call.ts';
import { broadcastEvent } from '../../mixins/events.ts';
import type { Features } from '../../mixins/features.ts';
import type { AppContext } from '../../mixins/app-context.ts';
import { indexingStage } from '../../mixins/indexing/stage.ts';
import type { StageMetadata } from '../../mixins/work/worker.ts';
import { ChunkWorker } from './chunk-worker.ts';
import { Placement, transcriberNodes } from './placement.ts';
import { transcribeRevision } from './transcribe-revision.ts';

/**
 * The actor that turns the sound of recordings into transcripts. Its stage coordinates the transcription of a
 * recording; its action transcribes pieces of sound for the process that coordinates their recording.
 */
export function transcriberService(app: AppContext, broker: ServiceBroker): ServiceSchema {
  const slots = app.configuration.PLY_TRANSCRIBER_SLOTS;
  const places = app.speech.model === null ? 0 : app.configuration.PLY_TRANSCRIBER_WORKERS;
  const chunks = new ChunkWorker(app, places);
  // A call queues at the called process, so it has no timeout of its own; a lost process fails the call.
  const placement = new Placement(
    () => transcriberNodes(broker),
    (nodeID, request) => call(broker, 'transcriber.chunk', request, { nodeID, timeout: 0 }),
  );
  app.lifecycle.add(chunks);
  app.lifecycle.add(
    indexingStage(app, broker, {
      stage: 'transcribing',
      slots,
      work: (work) =>
        transcribeRevision(
          { app, placement, abandon: (recording) => broadcastEvent(broker, 'recording.abandoned', { recording }) },
          work,
        ),
    }),
  );
  return {
    name: 'transcriber',
    metadata: { ...({ stage: 'transcribing', slots } satisfies StageMetadata), places, features: speechFeature(app) },
    actions: actionsOf('transcriber', { chunk: (request) => chunks.transcribe(request) }),
    events: {
      'recording.abandoned': {
        handler: (ctx: { params: { recording: string } }) => chunks.abandon(ctx.params.recording),
      },
    },
  };
}

/** Whether this process transcribes, as the registrar reads it from the metadata. */
function speechFeature({ speech }: AppContext): Features {
  return {
    speech:
      speech.model === null ? { state: 'off', detail: speech.absence ?? 'there is no transcriber' } : { state: 'up' },
  };
}
