import { setTimeout as pause } from 'node:timers/promises';
import { counterOf, startProgram, type BenchProgram } from '../bench/program.ts';
import { percentile } from '../bench/statistics.ts';
import type { SearchResponse } from '../models/api.ts';
import { ndcg, recall } from '../cli/eval/metrics.ts';
import { serveTexts, type TextSource } from './eval/source.ts';
import { readTexts, type LabelledTexts } from './fit-relevance/collection.ts';

const usage = `npm run eval -- <folder in BEIR layout> ...

Starts a program of its own for each folder (corpus.jsonl, queries.jsonl, qrels.tsv), registers every document as a text file,
puts every judged query through POST /search (group = file) and prints nDCG@10, recall@100, the share of queries with a
result, and p50 and p95 of a search's first page in milliseconds.`;

const perImport = 100;
/** Results that are looked at, and those of one page. */
const [depth, perPage] = [100, 50];
const longestWait = 60 * 60_000;

interface Figures {
  ndcg: number;
  recall: number;
  found: number;
  times: number[];
}

async function indexAll(program: BenchProgram, source: TextSource, { name, documents }: LabelledTexts): Promise<void> {
  const http = program.clients(1);
  try {
    for (let at = 0; at < documents.length; at += perImport) {
      const assets = documents.slice(at, at + perImport).map((document, index) => ({
        externalId: document.id,
        sourceUrl: source.urlOf(at + index),
        sourceVersion: '"1"',
        filename: `${at + index}.txt`,
        kind: 'document',
        language: 'en',
      }));
      await http.ask({ method: 'POST', path: '/api/content/v1/imports', body: JSON.stringify({ assets }) });
    }
  } finally {
    await http.close();
  }
  const until = performance.now() + longestWait;
  for (;;) {
    const ended = await counterOf(program, 'ply_jobs_ended_total', '');
    process.stderr.write(
      `\r${name}: ${ended} of ${documents.length} files indexed${ended >= documents.length ? '\n' : ''}`,
    );
    if (ended >= documents.length) break;
    if (performance.now() > until) throw new Error(`${name} was not indexed within an hour`);
    await pause(500);
  }
  const ready = await counterOf(program, 'ply_jobs_ended_total', 'state="ready"');
  if (ready === 0) throw new Error(`${name}: no file became ready`);
  if (ready < documents.length)
    console.error(`${name}: ${documents.length - ready} files did not become ready; the figures are without them`);
}

async function measure(program: BenchProgram, { queries }: LabelledTexts): Promise<Figures> {
  const http = program.clients(1);
  const figures: Figures = { ndcg: 0, recall: 0, found: 0, times: [] };
  const ask = async (query: string, offset: number): Promise<SearchResponse> =>
    JSON.parse(
      await http.ask({
        method: 'POST',
        path: '/api/content/v1/search',
        body: JSON.stringify({ query, limit: perPage, offset, group: 'file' }),
      }),
    ) as SearchResponse;
  try {
    for (const { text, judged } of queries) {
      const found: string[] = [];
      for (let hasMore = true; hasMore && found.length < depth;) {
        const began = performance.now();
        const page = await ask(text, found.length);
        if (found.length === 0) figures.times.push(performance.now() - began);
        found.push(...page.items.map(({ sourceReference }) => sourceReference.externalId));
        hasMore = page.hasMore && page.items.length > 0;
      }
      figures.ndcg += ndcg(found, judged, 10) / queries.length;
      figures.recall += recall(found, judged, depth) / queries.length;
      figures.found += found.length > 0 ? 1 / queries.length : 0;
    }
  } finally {
    await http.close();
  }
  return figures;
}

async function evaluate(folder: string): Promise<string[]> {
  const collection = readTexts(folder);
  const source = await serveTexts(collection.documents.map(({ text }) => text));
  const program = await startProgram();
  try {
    await indexAll(program, source, collection);
    const { ndcg: gain, recall: share, found, times } = await measure(program, collection);
    return [
      collection.name,
      String(collection.documents.length),
      String(collection.queries.length),
      ...[gain, share, found].map((value) => value.toFixed(3)),
      ...[0.5, 0.95].map((at) => percentile(times, at).toFixed(1)),
    ];
  } finally {
    await program.stop();
    await source.stop();
  }
}

const folders = process.argv.slice(2);
if (folders.length === 0 || folders.includes('--help')) {
  console.log(usage);
  process.exitCode = folders.length === 0 ? 1 : 0;
} else {
  const rows = [
    ['collection', 'files', 'queries', 'nDCG@10', 'recall@100', 'with a result', 'p50 ms', 'p95 ms'],
    Array<string>(8).fill('---'),
  ];
  for (const folder of folders) rows.push(await evaluate(folder));
  console.log(rows.map((row) => `| ${row.join(' | ')} |`).join('\n'));
}
