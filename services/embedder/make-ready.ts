import { derivedFolder } from '../../mixins/blobs/derived.ts';
import type { House } from '../../mixins/house.ts';
import { attributesOf } from '../../mixins/runs/outbox.ts';
import type { StageResult, StageWork } from '../../mixins/runs/stage-worker.ts';
import { assets as assetsDefinition, type Asset, type OutboxEntry, type Warning } from '../../models/asset.ts';
import { scopeOf } from '../../models/scope.ts';
import { holdContent } from './content-holder.ts';
import { cutHere, type Cutter } from './cutting/cutter.ts';
import { indexRevision, type IndexedRevision } from './index-revision.ts';
import { takeOverText } from './kept-text.ts';
import type { LanguageNews } from './language-news.ts';

/**
 * Indexes a revision and publishes it in the index, beside the active one. The write that follows makes it the active
 * one: until then the check against the records hides it, from then on it hides the one before.
 * @param cutter who makes passages of the text
 * @param news is told in which languages there are passages now, before the file is one that is found
 */
export async function makeReady(house: House, work: StageWork, cutter: Cutter = cutHere, news: LanguageNews = () => undefined): Promise<StageResult> {
  const { asset, signal } = work;
  const scope = scopeOf(asset.organizationId);
  const { revision, jobId, stageSeq } = asset.run;
  const folder = derivedFolder(asset.organizationId, asset._id, revision);
  await takeOverText(house, asset, signal);
  signal.throwIfAborted();
  const indexed = await indexRevision(
    { blobs: house.blobs, embeddings: house.embeddings, passages: house.passages, cutter },
    { scope, assetId: asset._id, revision, language: asset.language, kind: asset.kind, folder, signal, progress: (percent) => work.progress(percent) },
  );
  signal.throwIfAborted();
  // Permissions may have changed since the stage was claimed: the index gets the newest, and ignores older ones.
  const current = await house.records.collection(assetsDefinition, scope).get(asset._id);
  if (current === null || current.run.jobId !== jobId) throw new Error('the asset was deleted or has a newer revision');
  // Independent of one another: a holder whose run does not become ready gives its place up. Both have ended before the
  // stage does, so that nothing is published behind a discard.
  const [held, published] = await Promise.allSettled([asset.run.purpose === 'correct' ? null : holdContent(house, asset), house.passages.publish(scope, revision, indexed.passages, attributesOf(current), indexed.last)]);
  if (published.status === 'rejected') throw published.reason;
  if (held.status === 'rejected') throw held.reason;
  news(asset.organizationId, indexed.languages);
  const facts = { ...asset.run.facts, passages: indexed.passages, embeddingModel: indexed.embeddingModel, warnings: warningsOf(asset, indexed) };
  // A corrected transcript is of the same content: it is held and paid for.
  if (asset.run.purpose === 'correct') return { next: null, facts, outbox: [] };
  const duplicateOf = held.value;
  const marked = { ...facts, duplicateOf: duplicateOf === asset._id ? null : duplicateOf };
  // Recordings are charged by their length, where they are transcribed.
  if (asset.kind !== 'document') return { next: null, facts: { ...marked, duplicateOf: facts.duplicateOf ?? marked.duplicateOf }, outbox: [] };
  const now = house.records.time();
  const charged = duplicateOf === null ? asset.run.facts.bytes : 0;
  const usage: OutboxEntry = { id: `${jobId}:${stageSeq}:document_megabytes`, kind: 'usage', metric: 'document_megabytes', quantity: charged, at: now, notBefore: now };
  return { next: null, facts: marked, outbox: [usage] };
}

/** What is told of the revision: what an earlier stage said of an empty file goes before what is said here, and is not true of one that holds words now. */
function warningsOf(asset: Asset, indexed: IndexedRevision): Warning[] {
  const earlier = asset.run.facts.warnings.filter(({ code }) => code !== 'indexed_nothing' || indexed.passages === 0);
  return [...earlier, ...indexed.warnings.filter(({ code }) => !earlier.some((warning) => warning.code === code))];
}
