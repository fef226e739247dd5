import type { Blobs } from '../../adapters/blobs/port.ts';
import type { Embeddings } from '../../adapters/embeddings/port.ts';
import type { Passages, RevisionRows } from '../../adapters/passages/port.ts';
import { isWrittenIn } from '../../models/analyser/analyser.ts';
import type { Kind, Warning } from '../../models/asset.ts';
import type { IndexedPassage, Passage } from '../../models/passage.ts';
import { longestTurn, requestsFirst } from '../../models/requests-first.ts';
import type { OrganizationScope } from '../../models/scope.ts';
import { unlessAborted } from '../../models/unless-aborted.ts';
import { revisionText, textKeys, type TextLocation } from './revision-text.ts';

/** The ports that indexing needs. */
export interface IndexingPorts {
  blobs: Blobs;
  embeddings: Embeddings;
  passages: Passages;
}

/** The revision to index, and its text. */
export interface IndexingInput {
  scope: OrganizationScope;
  assetId: string;
  revision: number;
  /** Language of the asset, `multi` where it names none. */
  language: string;
  kind: Kind;
  /** Key of the folder with the revision's derived blobs, ending in a slash. */
  folder: string;
  signal: AbortSignal;
  /** Receives 0 to 100, never decreasing. */
  progress(percent: number): void;
}

/** The result of indexing. */
export interface IndexedRevision {
  passages: number;
  /** Languages that the passages were analysed in. */
  languages: ReadonlySet<string>;
  /** Id of the model of the passages' vectors; null without a model. */
  embeddingModel: string | null;
  warnings: Warning[];
  /** The last passages, which the publication writes; absent where there are none. */
  last?: RevisionRows;
}

/** Passages that one call embeds, and concurrent calls: enough to keep all threads busy while a batch is written. */
const embeddedBatch = 16;
const maxConcurrentBatches = 4;
/** Passages of one write where only words are indexed. */
const wordsBatch = 128;

interface Batch {
  rows: IndexedPassage[];
  percent: number;
}

/** Adds vectors to the passages in a language of the model. */
async function embedded(
  embeddings: Embeddings,
  { organizationId }: OrganizationScope,
  passages: readonly Passage[],
): Promise<IndexedPassage[]> {
  const { model } = embeddings;
  const knows = ({ text, analysedAs }: Passage): boolean =>
    model !== null &&
    (model.languages === null || (model.languages.includes(analysedAs) && isWrittenIn(text, analysedAs)));
  const known = passages.filter(knows);
  const vectors =
    known.length === 0
      ? []
      : await embeddings.embed(
          known.map((passage) => passage.text),
          'passage',
          organizationId,
        );
  const vectorOf = new Map(known.map((passage, index) => [passage.ordinal, vectors[index]]));
  return passages.map((passage) => ({ ...passage, vector: vectorOf.get(passage.ordinal) ?? null }));
}

/** The passages of a text in order, in batches of `size`. Yields the event loop every few passages. */
async function* passageBatches(
  blobs: Blobs,
  text: TextLocation,
  size: number,
  onRead: (bytes: number) => void,
): AsyncGenerator<Passage[]> {
  let batch: Passage[] = [];
  let began = performance.now();
  for await (const passage of revisionText(blobs, text, onRead)) {
    batch.push(passage);
    if (performance.now() - began > longestTurn) {
      await requestsFirst.turn();
      began = performance.now();
    }
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Bytes of the stored text. */
async function sizeOf(blobs: Blobs, folder: string, keys: readonly string[]): Promise<number> {
  let bytes = 0;
  for await (const blob of blobs.list(folder)) if (keys.includes(blob.key)) bytes += blob.bytes;
  return bytes;
}

/**
 * Splits a revision's text into passages, embeds those that the model can read, and writes them to the index, where no
 * search finds them before the revision is published. Indexing again writes the same rows. While a batch is written, the
 * next ones are embedded. The last batch is returned instead of written: the publication takes it along, so that a small
 * file costs one write of the index.
 * @throws ModelUnavailable, BlobNotFound, what the index throws, and the signal's reason once it is aborted
 */
export async function indexRevision(
  { blobs, embeddings, passages }: IndexingPorts,
  input: IndexingInput,
): Promise<IndexedRevision> {
  const { scope, assetId, revision, signal } = input;
  const embeddingModel = embeddings.model?.id ?? null;
  const batchSize = embeddingModel === null ? wordsBatch : embeddedBatch;
  /** Read once the first batch is full: a text of one batch needs no progress. */
  let total: Promise<number> | null = null;
  let bytes = 0;
  let count = 0;
  const languages = new Set<string>();
  const pending: Promise<Batch>[] = [];
  const next = async (): Promise<IndexedPassage[]> => {
    const batch = await pending.shift();
    signal.throwIfAborted();
    count += batch?.rows.length ?? 0;
    for (const { analysedAs } of batch?.rows ?? []) languages.add(analysedAs);
    if (batch !== undefined) input.progress(batch.percent);
    return batch?.rows ?? [];
  };
  const writeNext = async (): Promise<void> =>
    passages.write(scope, { assetId, revision, embeddingModel }, await next());
  let last: IndexedPassage[] = [];
  const onRead = (total: number): void => {
    bytes = total;
  };
  input.progress(0);
  try {
    const text = { folder: input.folder, kind: input.kind, language: input.language };
    for await (const batch of passageBatches(blobs, text, batchSize, onRead)) {
      signal.throwIfAborted();
      if (batch.length === batchSize) total ??= sizeOf(blobs, input.folder, textKeys(input));
      const whole = await total;
      const percent = whole === null || whole === 0 ? 0 : Math.min(99, Math.floor((bytes / whole) * 100));
      // A model that hangs must not keep a cancelled job alive.
      pending.push(unlessAborted(embedded(embeddings, scope, batch), signal).then((rows) => ({ rows, percent })));
      // `next` throws this failure later. Until then it must not count as an unhandled rejection.
      pending.at(-1)?.catch(() => undefined);
      if (pending.length >= maxConcurrentBatches) await writeNext();
    }
    while (pending.length > 1) await writeNext();
    last = await next();
  } finally {
    await Promise.allSettled(pending);
  }
  signal.throwIfAborted();
  input.progress(100);
  const nothing =
    input.kind === 'document'
      ? bytes > 0 && 'The text of the file holds no words.'
      : 'Nothing was heard or read in the recording.';
  const warnings = count === 0 && nothing !== false ? [{ code: 'indexed_nothing', detail: nothing }] : [];
  return {
    passages: count,
    languages,
    embeddingModel,
    warnings,
    ...(last.length > 0 ? { last: { embeddingModel, rows: last } } : {}),
  };
}
