import { setTimeout as pause } from 'node:timers/promises';
import type { ServiceBroker, ServiceSchema } from 'moleculer';
import type { Embeddings } from '../../adapters/embeddings/port.ts';
import { call } from '../../mixins/actions.ts';
import { hint, tellAll } from '../../mixins/events.ts';
import type { House } from '../../mixins/house.ts';
import { stageMetadata } from '../../mixins/runs/slots.ts';
import { stageWorker } from '../../mixins/runs/stage-worker.ts';
import { ThreadCutter } from './cutting/thread-cutter.ts';
import { languageNews } from './language-news.ts';
import { makeReady } from './make-ready.ts';

/** The actor that makes passages and vectors of a revision's blocks, indexes them and makes the revision ready. */
export function embedderService(house: House, broker: ServiceBroker): ServiceSchema {
  const slots = house.configuration.PLY_EMBEDDER_SLOTS;
  const cutter = new ThreadCutter({ log: house.log });
  const news = languageNews((organizationId) => tellAll(broker, 'languages.changed', { organizationId }), () => house.ambient.now());
  const worker = stageWorker(house, {
    stage: 'embedding',
    slots,
    work: (work) => makeReady(house, work, cutter, news),
    prepared: (stopping) => modelLoaded(house.embeddings, stopping),
    recordUsage: (events) => call(broker, 'ledger.record', { events }),
    freed: (organizationId, stages, runs) => hint(broker, 'runs.changed', { organizationId, stages, runs }),
    left: (revision) => hint(broker, 'index.stale', revision),
  });
  house.lifecycle.add({
    ...worker,
    stop: async (milliseconds) => {
      await worker.stop(milliseconds);
      await cutter.close();
    },
  });
  return { name: 'embedder', metadata: { ...stageMetadata('embedding', slots) } };
}

/** Longest wait for the model, in milliseconds: jobs that come while it is away are put off one by one. */
const mostMs = 60_000;

/** Waits until the model answers, so that no job lies in a process that is still loading it. */
async function modelLoaded(embeddings: Embeddings, stopping: AbortSignal): Promise<void> {
  const deadline = performance.now() + mostMs;
  while (embeddings.model !== null && performance.now() < deadline && !stopping.aborted) {
    try {
      await embeddings.ping();
      return;
    } catch {
      // Not yet.
      await pause(250);
    }
  }
}
