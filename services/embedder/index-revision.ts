import type { Blobs } from '../../adapters/blobs/port.ts';
import { embeddingId, modelsOf, type Embeddings, type InstalledModel } from '../../adapters/embeddings/port.ts';
import type { Passages, RevisionRows } from '../../adapters/passages/port.ts';
import { isWrittenIn } from '../../models/analyser/analyser.ts';
import type { Kind, Warning } from '../../models/asset.ts';
import type { IndexedPassage } from '../../models/passage.ts';
import { longestTurn, requestsFirst } from '../../models/requests-first.ts';
import type { OrganizationScope } from '../../models/scope.ts';
import { unlessAborted } from '../../models/unless-aborted.ts';
import type { NewPassage } from './passages.ts';
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
  /** UTF-8 bytes of their texts. */
  textBytes: number;
  /** Languages that the passages were analysed in. */
  languages: ReadonlySet<string>;
  /** The models that the passages were embedded with (`embeddingId`); null without a model. */
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
  /** By the model of the vectors. */
  groups: RevisionRows[];
  percent: number;
}

/** Letters beyond those of English. */
const foreignLetters = /[^\P{L}A-Za-z]/u;

/**
 * Index of the model that embeds a passage: the first that knows its language; -1 if none does. A multilingual model
 * behind others does not get what is in no known language and in English letters: names, numbers and code.
 */
function modelFor(models: readonly InstalledModel[], { text, analysedAs, meaning }: NewPassage): number {
  if (meaning === null) return -1;
  return models.findIndex(({ model: { languages } }, index) => {
    if (languages !== null) return languages.includes(analysedAs) && isWrittenIn(text, analysedAs);
    const isLeftOver = models.slice(0, index).some(({ model }) => model.languages?.includes(analysedAs) === true);
    return index === 0 || foreignLetters.test(text) || (analysedAs !== 'und' && !isLeftOver);
  });
}

/** A passage as the index stores it. */
function indexed({ meaning: _, ...passage }: NewPassage, vector: Float32Array | null): IndexedPassage {
  return { ...passage, vector };
}

/**
 * Embeds each passage by the model that knows its language. Returns the passages by model; those without a vector are
 * in the first group.
 */
async function embedded(
  models: readonly InstalledModel[],
  { organizationId }: OrganizationScope,
  passages: readonly NewPassage[],
): Promise<RevisionRows[]> {
  const chosen = passages.map((passage) => modelFor(models, passage));
  const groups = await Promise.all(
    models.map(async ({ model, embed }, index): Promise<RevisionRows | null> => {
      const own = passages.filter((_, i) => chosen[i] === index);
      if (own.length === 0) return null;
      const vectors = await embed(
        own.map(({ text, meaning }) => meaning ?? text),
        'passage',
        organizationId,
      );
      return {
        embeddingModel: model.id,
        rows: own.map((passage, i) => indexed(passage, vectors[i] ?? null)),
      };
    }),
  );
  const [first, ...others] = groups.filter((group) => group !== null);
  const wordsOnly = passages.filter((_, i) => chosen[i] === -1).map((passage) => indexed(passage, null));
  const rows = [...(first?.rows ?? []), ...wordsOnly].sort((one, other) => one.ordinal - other.ordinal);
  return [{ embeddingModel: first?.embeddingModel ?? null, rows }, ...others];
}

/** The passages of a text in order, in batches of `size`. Yields the event loop every few passages. */
async function* passageBatches(
  blobs: Blobs,
  text: TextLocation,
  size: number,
  onRead: (bytes: number) => void,
): AsyncGenerator<NewPassage[]> {
  let batch: NewPassage[] = [];
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
 * Splits a revision's text into passages, embeds those that a model can read, and writes them to the index, where no
 * search finds them before the revision is published. Indexing again writes the same rows. While a batch is written,
 * the next ones are embedded. The last batch is returned instead of written: the publication takes it along, so that a
 * small file costs one write of the index.
 * @throws ModelUnavailable, BlobNotFound, what the index throws, and the signal's reason once it is aborted
 */
export async function indexRevision(
  { blobs, embeddings, passages }: IndexingPorts,
  input: IndexingInput,
): Promise<IndexedRevision> {
  const { scope, assetId, revision, signal } = input;
  const models = modelsOf(embeddings);
  const embeddingModel = embeddingId(embeddings);
  const batchSize = embeddingModel === null ? wordsBatch : embeddedBatch;
  /** Read once the first batch is full: a text of one batch needs no progress. */
  let total: Promise<number> | null = null;
  let bytes = 0;
  let [count, textBytes] = [0, 0];
  const languages = new Set<string>();
  const pending: Promise<Batch>[] = [];
  const next = async (): Promise<RevisionRows[]> => {
    const batch = await pending.shift();
    signal.throwIfAborted();
    const rows = batch?.groups.flatMap((group) => group.rows) ?? [];
    count += rows.length;
    for (const { analysedAs, text: passage } of rows) {
      languages.add(analysedAs);
      textBytes += Buffer.byteLength(passage);
    }
    if (batch !== undefined) input.progress(batch.percent);
    return batch?.groups ?? [];
  };
  const write = async (groups: readonly RevisionRows[]): Promise<void> => {
    for (const group of groups)
      await passages.write(scope, { assetId, revision, embeddingModel: group.embeddingModel }, group.rows);
  };
  let last: RevisionRows | undefined;
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
      pending.push(unlessAborted(embedded(models, scope, batch), signal).then((groups) => ({ groups, percent })));
      // `next` throws this failure later. Until then it must not count as an unhandled rejection.
      pending.at(-1)?.catch(() => undefined);
      if (pending.length >= maxConcurrentBatches) await write(await next());
    }
    while (pending.length > 1) await write(await next());
    const groups = await next();
    last = groups[0];
    await write(groups.slice(1));
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
    textBytes,
    languages,
    embeddingModel,
    warnings,
    ...(last !== undefined && last.rows.length > 0 ? { last } : {}),
  };
}
