import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { closeStores, openStores } from '../adapters/open.ts';
import type { Embeddings } from '../adapters/embeddings/port.ts';
import { systemRuntime } from '../models/runtime.ts';
import { readConfiguration } from '../models/configuration/configuration.ts';
import type { Coefficients, RelevanceModel } from '../models/relevance/relevance.ts';
import { readCollection } from './fit-relevance/collection.ts';
import { fitRelevance } from './fit-relevance/fit.ts';
import { CollectionIndex } from './fit-relevance/index.ts';
import { measure, type Measures } from './fit-relevance/measure.ts';
import { calibrationPlot, floorPlot, type LeftOut } from './fit-relevance/plots.ts';
import { judgedSample, shortSample, type IndexedCollection, type Sample } from './fit-relevance/samples.ts';
import { shortQueriesOf } from './fit-relevance/short-queries.ts';
import { VectorFile } from './fit-relevance/vectors.ts';
import { cacheFolder, modelFolder, projectRoot } from './setup/paths.mjs';

const usage = `npm run fit:relevance -- [--related a:b,c:d] [--out <file>] <folder in BEIR layout> <folder> ...

Fits relevance coefficients, floor and bands for the configured embedding model on labelled collections (at least three),
validates them with one collection left out at a time, prints the figures and writes a relevance file.
--related  names collections that share a subject (by the folders' names): their queries are not taken as being about
           something else for each other.
--out      where to write; models/relevance/<model>.json where unset. Plots go into docs, or beside the file that is named.`;

/** Whether queries of one collection say something about the floor of another. */
type Foreign = (source: string, collection: string) => boolean;

function sampleAll(
  indexed: readonly IndexedCollection[],
  short: ReadonlyMap<string, string[]>,
  vectors: VectorFile,
  foreign: Foreign,
): Sample[] {
  const samples: Sample[] = [];
  for (const searched of indexed) {
    for (const {
      collection: { name: source, queries },
    } of indexed) {
      if (source !== searched.collection.name && !foreign(source, searched.collection.name)) continue;
      for (const query of queries) samples.push(judgedSample(searched, source, query, vectors.of(query.text)));
      for (const query of short.get(source) ?? [])
        samples.push(shortSample(searched, source, query, vectors.of(query)));
    }
  }
  return samples;
}

/** One collection after the other is left out of the fit. */
function leaveOneOut(samples: readonly Sample[], names: readonly string[], modelId: string): LeftOut[] {
  return names.map((name) => ({
    collection: name,
    model: fitRelevance(
      samples.filter((sample) => sample.collection !== name && sample.source !== name),
      modelId,
    ),
  }));
}

function round(value: number, decimals = 3): number {
  return Math.round(value * 10 ** decimals) / 10 ** decimals;
}

function table(rows: readonly Measures[]): string {
  const head = [
    'collection',
    'queries',
    'BM25',
    'dense',
    'rank fusion',
    'min-max',
    'relevance',
    'AUC',
    'calibration error',
    'kept',
    'short kept',
    'words alone kept',
    'words alone let through',
    'let through',
  ];
  const cells = rows.map(({ collection, queries, ndcg, auc, calibrationError, kept, shortKept, wordsAlone, leaks }) => [
    collection,
    String(queries),
    ...[
      ndcg.bm25,
      ndcg.dense,
      ndcg.rankFusion,
      ndcg.minMax,
      ndcg.relevance,
      auc,
      calibrationError,
      kept,
      shortKept,
      wordsAlone.kept,
      wordsAlone.leak,
    ].map((value) => round(value).toFixed(3)),
    leaks.map(({ source, share }) => `${source} ${round(share).toFixed(3)}`).join(', '),
  ]);
  const ways = ['bm25', 'dense', 'rankFusion', 'minMax', 'relevance'] as const;
  const means = [
    'mean',
    '',
    ...ways.map((way) => round(rows.reduce((sum, row) => sum + row.ndcg[way], 0) / rows.length).toFixed(3)),
    '',
    '',
    '',
    '',
    '',
    '',
    '',
  ];
  const queries = rows.reduce((sum, row) => sum + row.queries, 0);
  const others = rows.flatMap((row) => row.leaks);
  const [kept, leaked] = [
    rows.reduce((sum, row) => sum + row.kept * row.queries, 0) / queries,
    others.reduce((sum, leak) => sum + leak.share * leak.queries, 0) /
      Math.max(
        1,
        others.reduce((sum, leak) => sum + leak.queries, 0),
      ),
  ];
  const all = [
    'all queries together',
    String(queries),
    '',
    '',
    '',
    '',
    '',
    '',
    '',
    round(kept).toFixed(3),
    '',
    '',
    '',
    round(leaked).toFixed(3),
  ];
  return [head, head.map(() => '---'), ...cells, means, all].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

function rounded(measures: readonly Measures[]): unknown {
  const parsed: unknown = JSON.parse(
    JSON.stringify(measures, (_, value: unknown) => (typeof value === 'number' ? round(value) : value)),
  );
  return parsed;
}

function fileOf(model: RelevanceModel, validation: readonly Measures[], related: readonly string[]): string {
  const coefficients = (name: 'hybrid' | 'words') => {
    const { intercept, cosine, bm25, coverage, logWords, exactness, window, pair, rareness }: Coefficients =
      model[name];
    return {
      intercept: round(intercept, 4),
      cosine: round(cosine, 4),
      bm25: round(bm25, 4),
      coverage: round(coverage, 4),
      logWords: round(logWords, 4),
      exactness: round(exactness, 4),
      window: round(window, 4),
      pair: round(pair, 4),
      rareness: round(rareness, 4),
    };
  };
  const content = {
    modelId: model.modelId,
    hybrid: coefficients('hybrid'),
    words: coefficients('words'),
    meaningWords: model.meaningWords,
    meaningFall: model.meaningFall,
    floor: model.floor,
    bands: model.bands,
    meaningFrom: round(model.meaningFrom, 4),
    validation: {
      method: 'each collection left out of the fit that is measured on it',
      related,
      collections: rounded(validation),
    },
  };
  return `${JSON.stringify(content, null, 2)}\n`;
}

async function vectorsOf(
  indexed: readonly { name: string; texts: string[] }[],
  embeddings: Embeddings,
  modelId: string,
  dimensions: number,
): Promise<VectorFile> {
  const vectors = new VectorFile(
    join(cacheFolder, 'relevance', `${modelId.replace(/[^\w.-]/g, '_')}.vectors`),
    dimensions,
  );
  for (const { name, texts } of indexed) {
    await vectors.add(texts, embeddings, (done, of) =>
      process.stderr.write(`\r${name}: ${done} of ${of} texts embedded${done >= of ? '\n' : ''}`),
    );
  }
  return vectors;
}

async function fit(
  folders: readonly string[],
  related: readonly string[],
  out: string | undefined,
  embeddings: Embeddings,
): Promise<void> {
  if (embeddings.model === null)
    throw new Error(`relevance is fitted for an embedding model: ${embeddings.absence ?? 'there is none'}`);
  const { id: modelId, dimensions } = embeddings.model;
  const collections = await Promise.all(folders.map(readCollection));
  const short = new Map(
    collections.map((collection, index) => [collection.name, shortQueriesOf(collection, index + 1)]),
  );
  const texts = collections.map((collection) => ({
    name: collection.name,
    texts: [
      ...collection.queries.map((query) => query.text),
      ...(short.get(collection.name) ?? []),
      ...collection.documents.flatMap((document) => document.passages),
    ],
  }));
  const vectors = await vectorsOf(texts, embeddings, modelId, dimensions);
  const indexed = collections.map((collection) => ({
    collection,
    index: new CollectionIndex(collection, dimensions, (text) => vectors.of(text)),
  }));
  const samples = sampleAll(
    indexed,
    short,
    vectors,
    (source, collection) =>
      !related.includes(`${source}:${collection}`) && !related.includes(`${collection}:${source}`),
  );
  const names = collections.map((collection) => collection.name);
  const leftOut = leaveOneOut(samples, names, modelId);
  const validation = leftOut.map(({ collection, model: other }) => measure(samples, collection, other));
  const model = fitRelevance(samples, modelId);
  console.log(`Each collection left out of the fit (nDCG@10, then at floor ${model.floor}):\n\n${table(validation)}\n`);
  console.log(`Fitted on all of them:\n\n${table(names.map((name) => measure(samples, name, model)))}\n`);
  const file =
    out ?? join(projectRoot, 'models/relevance', `${modelId.split(':')[0]?.replace(/[^\w.-]/g, '_') ?? 'model'}.json`);
  writeFileSync(file, fileOf(model, validation, related));
  const plots = out === undefined ? join(projectRoot, 'docs') : dirname(file);
  writeFileSync(join(plots, 'relevance-calibration.svg'), calibrationPlot(samples, leftOut));
  writeFileSync(join(plots, 'relevance-floor.svg'), floorPlot(samples, leftOut));
  console.log(`Written to ${file}, the plots relevance-calibration.svg and relevance-floor.svg to ${plots}`);
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    related: { type: 'string', default: '' },
    out: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help || positionals.length < 3) {
  console.log(usage);
  process.exitCode = values.help ? 0 : 1;
} else {
  const folder = mkdtempSync(join(tmpdir(), 'ply-fit-'));
  const log = pino({ level: 'warn' }, pino.destination(2));
  const configuration = readConfiguration({ ...process.env, PLY_DATA_DIR: folder });
  const stores = await openStores({
    configuration,
    runtime: systemRuntime,
    log,
    nodeId: 'fit-relevance',
    modelFolders: [configuration.PLY_EMBEDDING_MODEL ?? modelFolder],
  });
  try {
    await fit(
      positionals,
      values.related.split(',').filter((pair) => pair !== ''),
      values.out,
      stores.embeddings,
    );
  } finally {
    for (const failure of await closeStores(stores)) log.warn({ err: failure }, 'a store did not close');
    rmSync(folder, { recursive: true, force: true });
  }
}
