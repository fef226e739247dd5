import { derivedKey } from '../../mixins/blocks/blocks.ts';
import type { House } from '../../mixins/house.ts';
import { attributesOf } from '../../mixins/runs/outbox.ts';
import type { StageResult, StageWork } from '../../mixins/runs/stage-worker.ts';
import { assets as assetsDefinition, type OutboxEntry } from '../../models/asset.ts';
import { scopeOf } from '../../models/scope.ts';
import { holdContent } from './content-holder.ts';
import { indexRevision } from './index-revision.ts';

/**
 * Indexes a revision and publishes it in the index, beside the active one. The write that follows makes it the active
 * one: until then the check against the records hides it, from then on it hides the one before.
 */
export async function makeReady(house: House, work: StageWork): Promise<StageResult> {
  const { asset, signal } = work;
  const scope = scopeOf(asset.organizationId);
  const { revision, jobId, stageSeq } = asset.run;
  const blocksKey = derivedKey(asset.organizationId, asset._id, revision, 'blocks.ndjson');
  if (asset.run.purpose === 'reembed' && asset.activeRevision !== null) {
    // The revision is this run's alone from here on: copied before, it could be another run's by the time it is written.
    await house.blobs.write(blocksKey, house.blobs.read(derivedKey(asset.organizationId, asset._id, asset.activeRevision, 'blocks.ndjson')));
    signal.throwIfAborted();
  }
  const indexed = await indexRevision(
    { blobs: house.blobs, embeddings: house.embeddings, passages: house.passages },
    { scope, assetId: asset._id, revision, language: asset.language, kind: asset.kind, blocksKey, signal, progress: (percent) => work.progress(percent) },
  );
  signal.throwIfAborted();
  // Permissions may have changed since the stage was claimed: the index gets the newest, and ignores older ones.
  const current = await house.records.collection(assetsDefinition, scope).get(asset._id);
  if (current === null || current.run.jobId !== jobId) throw new Error('the asset was deleted or has a newer revision');
  // Independent of one another: a holder whose run does not become ready gives its place up. Both have ended before the
  // stage does, so that nothing is published behind a discard.
  const [held, published] = await Promise.allSettled([holdContent(house, asset), house.passages.publish(scope, revision, indexed.passages, attributesOf(current))]);
  if (published.status === 'rejected') throw published.reason;
  if (held.status === 'rejected') throw held.reason;
  const duplicateOf = held.value;
  const now = house.records.time();
  const warnings = new Map([...asset.run.facts.warnings, ...indexed.warnings].map((warning) => [warning.code, warning]));
  const facts = {
    ...asset.run.facts, passages: indexed.passages, embeddingModel: indexed.embeddingModel, warnings: [...warnings.values()],
    duplicateOf: duplicateOf === asset._id ? null : duplicateOf,
  };
  const charged = duplicateOf === null ? asset.run.facts.bytes : 0;
  const usage: OutboxEntry = { id: `${jobId}:${stageSeq}:document_megabytes`, kind: 'usage', metric: 'document_megabytes', quantity: charged, at: now, notBefore: now };
  return { next: null, facts, outbox: [usage] };
}
