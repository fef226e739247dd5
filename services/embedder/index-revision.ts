import type { Blobs } from '../../adapters/blobs/port.ts';
import type { Embeddings } from '../../adapters/embeddings/port.ts';
import type { Passages, RevisionRows } from '../../adapters/passages/port.ts';
import { isWrittenIn } from '../../models/analyser/analyser.ts';
import type { Kind, Warning } from '../../models/asset.ts';
import type { IndexedPassage, Passage } from '../../models/passage.ts';
import type { OrganizationScope } from '../../models/scope.ts';
import { cutHere, type Cutter } from './cutting/cutter.ts';
import { textKeys } from './revision-text.ts';
import { unlessAborted } from './unless-aborted.ts';

/** The ports that indexing needs. */
export interface IndexingPorts {
  blobs: Blobs;
  embeddings: Embeddings;
  passages: Passages;
  /** Who makes passages of the text; it is done on this thread where left out. */
  cutter?: Cutter;
}

/** Which revision is indexed, and from what. */
export interface IndexingInput {
  scope: OrganizationScope;
  assetId: string;
  revision: number;
  /** Language of the asset, `multi` where it names none. */
  language: string;
  kind: Kind;
  /** Key of the folder of what was derived from the revision, with its slash. */
  folder: string;
  signal: AbortSignal;
  /** Is told 0 to 100, never falling. */
  progress(percent: number): void;
}

/** What indexing found out. */
export interface IndexedRevision {
  passages: number;
  /** Languages as which the passages were analysed. */
  languages: ReadonlySet<string>;
  /** Id of the model whose vectors the passages have; null where none is installed. */
  embeddingModel: string | null;
  warnings: Warning[];
  /** The last passages, which are still to be laid down; none where there are none. */
  last?: RevisionRows;
}

/** Passages embedded by one call, and calls under way at a time: enough that no thread waits while a batch is written. */
const embeddedBatch = 16;
const batchesUnderWay = 4;
/** Passages written at a time where words alone are indexed. */
const wordsBatch = 128;

interface Batch {
  rows: IndexedPassage[];
  percent: number;
}

/** Adds vectors to those passages whose language the model knows. */
async function embedded(embeddings: Embeddings, { organizationId }: OrganizationScope, passages: readonly Passage[]): Promise<IndexedPassage[]> {
  const { model } = embeddings;
  const knows = ({ text, analysedAs }: Passage): boolean => model !== null && (model.languages === null || (model.languages.includes(analysedAs) && isWrittenIn(text, analysedAs)));
  const known = passages.filter(knows);
  const vectors = known.length === 0 ? [] : await embeddings.embed(known.map((passage) => passage.text), 'passage', organizationId);
  const vectorOf = new Map(known.map((passage, index) => [passage.ordinal, vectors[index]]));
  return passages.map((passage) => ({ ...passage, vector: vectorOf.get(passage.ordinal) ?? null }));
}

/** Bytes of the stored text. */
async function sizeOf(blobs: Blobs, folder: string, keys: readonly string[]): Promise<number> {
  let bytes = 0;
  for await (const blob of blobs.list(folder)) if (keys.includes(blob.key)) bytes += blob.bytes;
  return bytes;
}

/**
 * Makes passages of a revision's text, embeds those that the model can read, and lays them down in the index. They
 * are not found before the revision is published. Running it again lays down the same rows. While a batch is written,
 * the next ones are embedded; no more than some batches are held. The last batch is answered and not laid down: it goes
 * into the index with the publication, so that a small file is one write of it.
 * @throws ModelUnavailable, BlobNotFound, whatever the index throws, and the signal's reason once it is aborted.
 */
export async function indexRevision({ blobs, embeddings, passages, cutter = cutHere }: IndexingPorts, input: IndexingInput): Promise<IndexedRevision> {
  const { scope, assetId, revision, signal } = input;
  const embeddingModel = embeddings.model?.id ?? null;
  const batchSize = embeddingModel === null ? wordsBatch : embeddedBatch;
  /** Asked once the first batch is full: what fits into one batch has no progress worth telling. */
  let total: Promise<number> | null = null;
  let bytes = 0;
  let count = 0;
  const languages = new Set<string>();
  const underWay: Promise<Batch>[] = [];
  const next = async (): Promise<IndexedPassage[]> => {
    const batch = await underWay.shift();
    signal.throwIfAborted();
    count += batch?.rows.length ?? 0;
    for (const { analysedAs } of batch?.rows ?? []) languages.add(analysedAs);
    if (batch !== undefined) input.progress(batch.percent);
    return batch?.rows ?? [];
  };
  const writeNext = async (): Promise<void> => passages.write(scope, { assetId, revision, embeddingModel }, await next());
  let last: IndexedPassage[] = [];
  const read = (now: number): void => {
    bytes = now;
  };
  input.progress(0);
  try {
    for await (const batch of cutter.batches({ blobs, text: { folder: input.folder, kind: input.kind, language: input.language }, size: batchSize, signal, read })) {
      signal.throwIfAborted();
      if (batch.length === batchSize) total ??= sizeOf(blobs, input.folder, textKeys(input));
      const whole = await total;
      const percent = whole === null || whole === 0 ? 0 : Math.min(99, Math.floor((bytes / whole) * 100));
      // A model that does not answer must not hold up a job that is to end.
      underWay.push(unlessAborted(embedded(embeddings, scope, batch), signal).then((rows) => ({ rows, percent })));
      // Nothing is lost here: `next` throws what this batch failed of, or the job has failed of one before it already. Only
      // until it is its turn it must not count as unhandled, which would end the process.
      underWay.at(-1)?.catch(() => undefined);
      if (underWay.length >= batchesUnderWay) await writeNext();
    }
    while (underWay.length > 1) await writeNext();
    last = await next();
  } finally {
    await Promise.allSettled(underWay);
  }
  signal.throwIfAborted();
  input.progress(100);
  const nothing = input.kind === 'document' ? bytes > 0 && 'The text of the file holds no words.' : 'Nothing was heard or read in the recording.';
  const warnings = count === 0 && nothing !== false ? [{ code: 'indexed_nothing', detail: nothing }] : [];
  return { passages: count, languages, embeddingModel, warnings, ...(last.length > 0 ? { last: { embeddingModel, rows: last } } : {}) };
}
