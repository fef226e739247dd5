import type { Blobs } from '../../adapters/blobs/port.ts';
import type { Embeddings } from '../../adapters/embeddings/port.ts';
import type { Passages } from '../../adapters/passages/port.ts';
import { writeBlocks } from '../../mixins/blocks/blocks.ts';
import type { IndexedPassage } from '../../models/passage.ts';
import { scopeOf } from '../../models/scope.ts';
import { indexRevision, type IndexedRevision, type IndexingInput, type IndexingPorts } from './index-revision.ts';

const folder = 'derived/o/a/1/';

function unused(): never {
  throw new Error('indexing must not call this');
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

function memoryBlobs(): Blobs {
  const content = new Map<string, Uint8Array>();
  return {
    async write(name, body) {
      content.set(name, ArrayBuffer.isView(body) ? body : Buffer.concat(await collect(body)));
      return content.get(name)?.byteLength ?? 0;
    },
    async *read(name) {
      const bytes = content.get(name) ?? new Uint8Array();
      for (let from = 0; from < bytes.length; from += 1000) yield bytes.subarray(from, from + 1000);
    },
    async *list(prefix) {
      for (const [name, bytes] of content) if (name.startsWith(prefix)) yield { key: name, bytes: bytes.byteLength };
    },
    exists: unused,
    remove: unused,
    ping: unused,
    close: unused,
  };
}

/** An index that keeps rows by ordinal, and counts how many writes go on at a time. */
function memoryIndex() {
  const rows = new Map<number, IndexedPassage>();
  const models = new Map<number, string | null>();
  const seen = { atOnce: 0, most: 0, writes: 0, model: '' as string | null };
  const index: Passages = {
    async write(_scope, file, given) {
      seen.most = Math.max(seen.most, ++seen.atOnce);
      await new Promise((resolve) => setTimeout(resolve, 2));
      seen.atOnce--;
      seen.writes++;
      seen.model = file.embeddingModel;
      for (const row of given) {
        rows.set(row.ordinal, row);
        models.set(row.ordinal, row.vector === null ? null : file.embeddingModel);
      }
    },
    publish: unused,
    setAttributes: unused,
    discard: unused,
    removeFile: unused,
    removeOrganization: unused,
    retrieve: unused,
    nearestWords: unused,
    fetch: unused,
    languages: unused,
    countOf: unused,
    nearestFiles: unused,
    vectorsOf: unused,
    holdsVectors: unused,
    sampleVectors: unused,
    frequenciesOf: unused,
    state: unused,
    ping: unused,
    close: unused,
  };
  return { index, rows, models, seen };
}

/** A model whose vectors hold the length of the text. */
function model(languages: string[] | null, onEmbed: (texts: readonly string[]) => void = () => undefined): Embeddings {
  return {
    model: { id: 'model:1', dimensions: 1, languages },
    absence: null,
    async embed(texts) {
      onEmbed(texts);
      await new Promise((resolve) => setTimeout(resolve, 1));
      return texts.map((text) => Float32Array.of(text.length));
    },
    ping: unused,
    close: unused,
  };
}

const noModel: Embeddings = { model: null, absence: 'none', embed: unused, ping: unused, close: unused };

async function setUp(texts: readonly string[]) {
  const blobs = memoryBlobs();
  await writeBlocks(
    blobs,
    `${folder}blocks.ndjson`,
    (async function* blocks() {
      for (const [index, text] of texts.entries())
        yield { text, location: { page: index + 1 }, group: `page ${index + 1}` };
    })(),
  );
  const progress: number[] = [];
  const input: IndexingInput = {
    scope: scopeOf('o'),
    assetId: 'a',
    revision: 1,
    language: 'multi',
    kind: 'document',
    folder,
    signal: new AbortController().signal,
    progress: (percent) => progress.push(percent),
  };
  return { blobs, input, progress, ...memoryIndex() };
}

/** Indexes, and lays down the last batch as the publication does. */
async function indexAll(ports: IndexingPorts, input: IndexingInput): Promise<Omit<IndexedRevision, 'last'>> {
  const { last, ...result } = await indexRevision(ports, input);
  if (last !== undefined)
    await ports.passages.write(
      input.scope,
      { assetId: input.assetId, revision: input.revision, embeddingModel: last.embeddingModel },
      last.rows,
    );
  return result;
}

const pages = (count: number): string[] =>
  Array.from(
    { length: count },
    (_, index) => `This is page ${index} of the manual, and it tells how the pump is to be repaired.`,
  );

describe('indexing a revision', () => {
  it('lays down every passage with its vector, in bounded batches, with growing progress', async () => {
    const { blobs, input, progress, index, rows, seen } = await setUp(pages(800));
    const calls: number[] = [];
    const result = await indexAll(
      { blobs, embeddings: model(['en'], (texts) => calls.push(texts.length)), passages: index },
      input,
    );
    const textBytes = [...rows.values()].reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
    expect(result).toEqual({
      passages: 800,
      textBytes,
      languages: new Set(['en']),
      embeddingModel: 'model:1',
      warnings: [],
    });
    expect([...rows.values()].every((row) => row.vector?.[0] === row.text.length)).toBe(true);
    expect([...rows.keys()]).toEqual(Array.from({ length: 800 }, (_, ordinal) => ordinal));
    expect(Math.max(...calls)).toBeLessThanOrEqual(16);
    expect(seen).toMatchObject({ most: 1, model: 'model:1' });
    expect(progress[0]).toBe(0);
    expect(progress.at(-1)).toBe(100);
    expect(progress).toEqual([...progress].sort((one, other) => one - other));
    expect(new Set(progress).size).toBeGreaterThan(5);
  });

  it('leaves the last batch to the publication: of a small file all', async () => {
    const { blobs, input, index, rows, seen } = await setUp(pages(12));
    const { last } = await indexRevision({ blobs, embeddings: model(['en']), passages: index }, input);
    expect({ written: rows.size, writes: seen.writes }).toEqual({ written: 0, writes: 0 });
    expect(last?.embeddingModel).toBe('model:1');
    expect(last?.rows.map(({ ordinal }) => ordinal)).toEqual(Array.from({ length: 12 }, (_, ordinal) => ordinal));
  });

  it('run again lays down the same', async () => {
    const { blobs, input, index, rows } = await setUp(pages(40));
    await indexAll({ blobs, embeddings: model(['en']), passages: index }, input);
    const first = [...rows.values()];
    await indexAll({ blobs, embeddings: model(['en']), passages: index }, input);
    expect([...rows.values()]).toEqual(first);
  });

  it('embeds nothing that the model cannot read', async () => {
    const { blobs, input, index, rows } = await setUp(['Das ist ein Vertrag über die Lieferung von Häusern.']);
    await indexAll({ blobs, embeddings: model(['en']), passages: index }, input);
    expect(rows.get(0)).toMatchObject({ analysedAs: 'de', vector: null });
    const mixed = await setUp([...pages(3), 'Это договор о поставке товаров.']);
    await indexAll({ blobs: mixed.blobs, embeddings: model(['en']), passages: mixed.index }, mixed.input);
    expect([...mixed.rows.values()].map((row) => row.vector === null)).toEqual([false, false, false, true]);
    await indexAll({ blobs, embeddings: model(null), passages: index }, input);
    expect(rows.get(0)?.vector).not.toBeNull();
  });

  it('gives each passage the vector of the model that knows its language', async () => {
    const english = [...pages(3)];
    const { blobs, input, index, models } = await setUp([...english, 'Это договор о поставке товаров.', '4711 0815']);
    const multilingual = { ...model(null), model: { id: 'model:2', dimensions: 1, languages: null } };
    const both: Embeddings = { ...model(['en']), further: [multilingual] };
    const result = await indexAll({ blobs, embeddings: both, passages: index }, input);
    expect(result).toMatchObject({ passages: 5, embeddingModel: 'model:1+model:2' });
    expect([...models].sort(([one], [other]) => one - other).map(([, id]) => id)).toEqual([
      'model:1',
      'model:1',
      'model:1',
      'model:2',
      null,
    ]);
    const german = await setUp(['Das ist ein Vertrag über die Lieferung von Häusern.']);
    await indexAll({ blobs: german.blobs, embeddings: both, passages: german.index }, german.input);
    expect([...german.models.values()]).toEqual(['model:2']);
  });

  it('never asks the multilingual model about an English file', async () => {
    const { blobs, input, index, rows } = await setUp([...pages(40), 'GX-4471 88 12.5', 'A café in Zürich opened.']);
    const multilingual = { ...model(null), embed: unused };
    await indexAll({ blobs, embeddings: { ...model(['en']), further: [multilingual] }, passages: index }, input);
    expect(rows.get(0)?.vector).not.toBeNull();
    expect(rows.size).toBe(42);
  });

  it('goes by words alone where there is no model', async () => {
    const { blobs, input, index, rows, seen } = await setUp(pages(300));
    const result = await indexAll({ blobs, embeddings: noModel, passages: index }, input);
    expect(result).toEqual({
      passages: 300,
      textBytes: expect.any(Number),
      languages: new Set(['en']),
      embeddingModel: null,
      warnings: [],
    });
    expect(rows.get(299)).toMatchObject({ vector: null });
    expect(seen).toMatchObject({ writes: 3, model: null });
  });

  it('says when there is nothing to find', async () => {
    const { blobs, input, index } = await setUp(['— — —']);
    const result = await indexAll({ blobs, embeddings: noModel, passages: index }, input);
    expect(result).toMatchObject({ passages: 0, warnings: [{ code: 'indexed_nothing' }] });
  });

  it('stops when it is aborted, and passes on what fails', async () => {
    const { blobs, input, index, rows } = await setUp(pages(400));
    const stop = new AbortController();
    const stopped = indexRevision(
      { blobs, embeddings: model(['en'], () => rows.size > 50 && stop.abort(new Error('enough'))), passages: index },
      { ...input, signal: stop.signal },
    );
    await expect(stopped).rejects.toThrow('enough');
    expect(rows.size).toBeLessThan(200);
    const never: Embeddings = { ...model(['en']), embed: () => new Promise(() => undefined) };
    const end = new AbortController();
    const waiting = indexRevision({ blobs, embeddings: never, passages: index }, { ...input, signal: end.signal });
    setTimeout(() => end.abort(new Error('the process stops')), 50);
    await expect(waiting).rejects.toThrow('the process stops');
    const failing: Embeddings = { ...model(['en']), embed: () => Promise.reject(new Error('no model today')) };
    await expect(indexRevision({ blobs, embeddings: failing, passages: index }, input)).rejects.toThrow(
      'no model today',
    );
  });
});
