import { derivedFolder } from '../../mixins/blobs/derived.ts';
import type { AppContext } from '../../mixins/app-context.ts';
import { attributesOf } from '../../mixins/indexing/outbox.ts';
import type { StageResult, StageWork } from '../../mixins/indexing/stage.ts';
import { assets as assetsDefinition, type Asset, type OutboxEntry, type Warning } from '../../models/asset.ts';
import { scopeOf } from '../../models/scope.ts';
import { claimContent } from './content-claim.ts';
import { copyText } from './copy-text.ts';
import { indexRevision, type IndexedRevision } from './index-revision.ts';

/**
 * The embedding stage: indexes a revision and publishes it in the index, next to the active one. The write that ends
 * the stage makes it the active one. Until then the check against the records hides it, from then on the previous one.
 * @param onPublished receives the languages of the passages before the file can be found
 */
export async function embedRevision(
  app: AppContext,
  work: StageWork,
  onPublished: (organizationId: string, languages: ReadonlySet<string>) => void = () => undefined,
): Promise<StageResult> {
  const { asset, signal } = work;
  const scope = scopeOf(asset.organizationId);
  const { revision, jobId } = asset.run;
  const folder = derivedFolder(asset.organizationId, asset._id, revision);
  await copyText(app, asset, signal);
  signal.throwIfAborted();
  const indexed = await indexRevision(
    { blobs: app.blobs, embeddings: app.embeddings, passages: app.passages },
    {
      scope,
      assetId: asset._id,
      revision,
      language: asset.language,
      kind: asset.kind,
      folder,
      signal,
      progress: (percent) => work.progress(percent),
    },
  );
  signal.throwIfAborted();
  // Permissions may have changed since the stage was claimed.
  const current = await app.records.collection(assetsDefinition, scope).get(asset._id);
  if (current === null || current.run.jobId !== jobId) throw new Error('the asset was deleted or has a newer revision');
  // The two are independent: the claim of a run that does not become ready expires. Both end before the stage does, so
  // that nothing is published after a discard.
  const [claim, published] = await Promise.allSettled([
    asset.run.purpose === 'correct' ? null : claimContent(app, asset),
    app.passages.publish(scope, revision, indexed.passages, attributesOf(current), indexed.last),
  ]);
  if (published.status === 'rejected') throw published.reason;
  if (claim.status === 'rejected') throw claim.reason;
  onPublished(asset.organizationId, indexed.languages);
  const facts = {
    ...asset.run.facts,
    passages: indexed.passages,
    textBytes: indexed.textBytes,
    embeddingModel: indexed.embeddingModel,
    warnings: warningsOf(asset, indexed),
  };
  // A corrected transcript has the same content, which is charged already.
  if (asset.run.purpose === 'correct') return { next: null, facts, outbox: [] };
  const duplicateOf = claim.value === asset._id ? null : claim.value;
  const isCharged = claim.value === null;
  const usage = usageOf(asset, isCharged, duplicateOf, app.records.time());
  // The text of a recording may have been copied from one that another run is charged for.
  const copiedFrom = asset.kind === 'document' ? null : facts.duplicateOf;
  return { next: null, facts: { ...facts, duplicateOf: copiedFrom ?? duplicateOf }, outbox: [usage] };
}

/**
 * The usage of a revision that becomes ready: bytes of a document, milliseconds of a recording. A content is charged once
 * in an account; indexing the asset's own content again is neither charged nor a duplicate.
 */
function usageOf(asset: Asset, isCharged: boolean, duplicateOf: string | null, now: number): OutboxEntry {
  const { jobId, stageSeq, facts } = asset.run;
  const [metric, quantity]: ['document_megabytes' | 'media_hours', number] =
    asset.kind === 'document' ? ['document_megabytes', facts.bytes] : ['media_hours', facts.durationMs ?? 0];
  return {
    id: `${jobId}:${stageSeq}:${metric}`,
    kind: 'usage',
    metric,
    quantity: isCharged ? quantity : 0,
    ...(asset.kind !== 'document' && facts.framesRead === true ? { dimension: 'ocr' } : {}),
    ...(duplicateOf === null ? {} : { duplicateOf }),
    at: now,
    notBefore: now,
  };
}

/**
 * The warnings of the revision. A warning of an earlier stage replaces one with the same code from this stage, and
 * `indexed_nothing` is dropped where there are passages.
 */
function warningsOf(asset: Asset, indexed: IndexedRevision): Warning[] {
  const earlier = asset.run.facts.warnings.filter(({ code }) => code !== 'indexed_nothing' || indexed.passages === 0);
  return [...earlier, ...indexed.warnings.filter(({ code }) => !earlier.some((warning) => warning.code === code))];
}
