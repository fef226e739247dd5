import { setTimeout as pause } from 'node:timers/promises';
import type { ServiceBroker, ServiceSchema } from 'moleculer';
import type { Embeddings } from '../../adapters/embeddings/port.ts';
import { broadcastEvent } from '../../mixins/events.ts';
import type { AppContext } from '../../mixins/app-context.ts';
import { indexingStage } from '../../mixins/indexing/stage.ts';
import type { StageMetadata } from '../../mixins/work/worker.ts';
import { RecentKeys } from '../../models/recent-keys.ts';
import { embedRevision } from './embed-revision.ts';

/** Searchers are notified of an organization's language once in this time, in milliseconds. */
const languageSilenceMs = 60_000;
const maxRecentLanguages = 10_000;

/** The actor that splits a revision's text into passages, embeds and indexes them. */
export function embedderService(app: AppContext, broker: ServiceBroker): ServiceSchema {
  const slots = app.configuration.PLY_EMBEDDER_SLOTS;
  const recent = new RecentKeys({ max: maxRecentLanguages, ttlMs: languageSilenceMs });
  // Searchers cache an organization's languages for a moment, and would miss words of a new one until then.
  const announce = (organizationId: string, languages: ReadonlySet<string>): void => {
    const isNews = [...languages].map((language) => recent.add(`${organizationId}/${language}`)).includes(true);
    if (isNews) broadcastEvent(broker, 'languages.changed', { organizationId });
  };
  const worker = indexingStage(app, broker, {
    stage: 'embedding',
    slots,
    work: (work) => embedRevision(app, work, announce),
    prepared: (stopping) => modelLoaded(app.embeddings, stopping),
  });
  app.lifecycle.add(worker);
  return { name: 'embedder', metadata: { stage: 'embedding', slots } satisfies StageMetadata };
}

/** Longest wait for the model at the start: later jobs are postponed one by one. */
const maxModelWaitMs = 60_000;

/** Waits until the model answers, so that no job is claimed by a process that is still loading it. */
async function modelLoaded(embeddings: Embeddings, stopping: AbortSignal): Promise<void> {
  const deadline = performance.now() + maxModelWaitMs;
  while (embeddings.model !== null && performance.now() < deadline && !stopping.aborted) {
    try {
      await embeddings.ping();
      return;
    } catch {
      // It is still loading.
      await pause(250);
    }
  }
}
