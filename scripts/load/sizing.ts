import { checkCost, costOf, fitCost, searchPoints, type SearchCost, type SearchPoint } from './model.ts';
import { filling, type Results } from './results.ts';

/** A document has ten passages of 200 words: a few pages of text. */
const passagesPerDocument = 10;
const documents = [100, 1000, 5000, 20_000, 100_000];
/** Share of the cores to plan for: above it, waiting times grow quickly. */
const planned = 0.7;
const bytesPerVector = 384 * 4;
const secondsOfDay = 86_400;

/** What the sizing uses from bench/results.md besides the searches. */
interface Measured {
  cores: number;
  /** Passages of 200 words per second, with the model, on those cores. */
  indexed: number;
  /** Megabytes of the idle program with its model. */
  idle: number;
  /** Megabytes that reading the most demanding measured document adds. */
  reading: number;
}

function figureOf(results: string, pattern: RegExp, name: string): number {
  const values = [...results.matchAll(pattern)].map(([, value]) => Number(value));
  if (values.length === 0) throw new Error(`bench/results.md has no figure for ${name}`);
  return Math.max(...values);
}

function measuredIn(results: string): Measured {
  return {
    cores: figureOf(results, /^## indexing\n\n[^\n]*?(\d+) cores/gm, 'the cores of the indexing run'),
    indexed: figureOf(
      results,
      /^\| indexing \d+ text files of 200 words \| ([\d.]+) files\/s/gm,
      'indexing with the model',
    ),
    idle: figureOf(results, /^\| idle memory with the model[^|]*\| ([\d.]+) MB/gm, 'idle memory'),
    reading: figureOf(
      results,
      /memory of the whole program above idle \| ([\d.]+) MB/gm,
      'memory of reading documents',
    ),
  };
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

const whole = (value: number): string => Math.round(value).toLocaleString('en');
const digits = (value: number): string => (value >= 100 ? whole(value) : value.toPrecision(2).replace(/\.0$/, ''));
const measuredDigits = (value: number): string => (value >= 100 ? whole(value) : value.toPrecision(3));
const percent = (error: number): string => `${error < 0 ? '−' : '+'}${Math.abs(error * 100).toFixed(0)}%`;

function formula({ fixed, perPassage, perVisible }: SearchCost): string {
  return `${fixed.toFixed(1)} ms + ${(perPassage * 1000).toFixed(2)} ms per thousand passages of the organization + ${(perVisible * 1000).toFixed(2)} ms per thousand of them that the reader may see`;
}

function checkTable(points: readonly SearchPoint[], measured: 'alone' | 'work'): string {
  const cost = fitCost(points, measured);
  const rows = checkCost(points, measured).map(({ point, predicted, error }) => {
    const fitted = costOf(cost, point.passages, point.visible);
    return [
      whole(point.passages),
      whole(point.visible),
      measuredDigits(point[measured]),
      `${measuredDigits(fitted)} (${percent(fitted / point[measured] - 1)})`,
      `${measuredDigits(predicted)} (${percent(error)})`,
    ];
  });
  return table(['passages of the organization', 'visible', 'measured, ms', 'model', 'model without this point'], rows);
}

/** A search of the load run compared with the model's prediction: a point that the model was not fitted to. */
function loadCheck(points: readonly SearchPoint[], results: Results): string {
  const { passages } = results[filling]?.figures ?? {};
  const { cpuPerSearch } = results['search-mix']?.figures ?? {};
  if (passages === undefined || cpuPerSearch === undefined)
    return 'The search mix of `npm run load` is an independent check of the model: not measured yet.';
  // Nine files of ten are open, and filtered searches are few: about all passages are visible.
  const predicted = costOf(fitCost(points, 'work'), passages, passages);
  return `The search mix of \`npm run load\` is an independent check of the model: with ${whole(passages)} passages, a search took ${digits(cpuPerSearch)} ms of the program's CPU time. The model predicts ${digits(predicted)} ms (${percent(predicted / cpuPerSearch - 1)}).`;
}

/** The model of a search, and how well it fits the measurements. */
export function modelText(bench: string, results: Results): string {
  const points = searchPoints(bench);
  return [
    `**Time.** A single search takes ${formula(fitCost(points, 'alone'))}.`,
    checkTable(points, 'alone'),
    `**CPU time.** A search takes ${formula(fitCost(points, 'work'))}. This is the number of cores divided by the searches per second while eight clients on the same machine kept all cores busy, so it includes the work of the clients.`,
    checkTable(points, 'work'),
    loadCheck(points, results),
  ].join('\n\n');
}

/** What a library needs, computed with the model from the measurements. */
export function sizingText(bench: string, results: Results): string {
  const points = searchPoints(bench);
  const [alone, work] = [fitCost(points, 'alone'), fitCost(points, 'work')];
  const { cores, indexed, idle, reading } = measuredIn(bench);
  const largest = Math.max(...points.map(({ passages }) => passages));
  const { bytesPerPassage } = results[filling]?.figures ?? {};
  const read = idle + cores * reading;
  const seen = Math.max(0, ...Object.values(results).map(({ figures }) => figures['memory'] ?? 0));
  const peak = seen > 0 ? `; the load run used at most ${whole(seen)} MB` : '';
  const parts = `the idle program (${idle} MB) and ${cores} documents as demanding as the hardest measured one (${reading} MB each)`;
  const memoryText =
    seen > read
      ? `the maximum of the load run (${whole(seen)} MB, more than the ${whole(read)} MB of ${parts})`
      : `that of ${parts}${peak},`;
  const rows = documents.map((count) => {
    const passages = count * passagesPerDocument;
    const perSearch = costOf(work, passages, passages);
    const vectors = (passages * bytesPerVector) / 1e6;
    const memory = Math.max(read, seen) + vectors;
    return [
      whole(count),
      whole(passages) + (passages > largest ? ' *' : ''),
      `${digits(costOf(alone, passages, passages))} ms`,
      digits((planned * cores * 1000) / perSearch),
      digits((10 * perSearch) / 1000 / planned),
      `${(passages / indexed / 3600).toFixed(1)} h`,
      `${whole(memory)} MB`,
      bytesPerPassage === undefined ? 'not measured yet' : `${whole((passages * bytesPerPassage) / 1e6)} MB`,
    ];
  });
  const perCore = indexed / cores;
  const clusterRows = [100_000, 1_000_000, 10_000_000].map((count) => {
    const pods = (count * passagesPerDocument) / perCore / secondsOfDay;
    return [whole(count), whole(count * passagesPerDocument), whole(Math.ceil(pods)), whole(Math.ceil(pods / 7))];
  });
  return [
    `### One process with embedded stores (one pod, ${cores} cores)`,
    [
      '- Documents are those of the largest organization, and a reader may see all of its passages. Other organizations of the same installation take disk space, not search time.',
      `- Searches per second are those at ${planned * 100}% of the cores.`,
      `- Memory is ${memoryText} and the vectors, which should stay in the system's file cache.`,
    ].join('\n'),
    table(
      [
        'documents',
        'passages',
        'a single search',
        'searches per second',
        'cores for 10 searches per second',
        'time to index all',
        'memory',
        'disk',
      ],
      rows,
    ),
    `\\* Beyond the largest measured organization (${whole(largest)} passages): computed, not measured. If the table shows more than two cores, a second pod does not help, because the embedded index belongs to one process: use a cluster.`,
    '### Cluster: embedders',
    `An embedder pod indexes ${digits(perCore)} passages of 200 words per second and core. This was measured in one process with ${cores} cores and includes all other work of indexing. With pods of one core each:`,
    table(['documents', 'passages', 'embedder pods to index all in a day', 'in a week'], clusterRows),
    '### Cluster: gateway and searcher',
    `The part of a search that does not depend on the library takes ${work.fixed.toFixed(1)} ms of CPU time: the request, the query's vector, grading, and the check against the records. So one core for both roles together serves about ${digits((planned * 1000) / work.fixed)} searches per second at ${planned * 100}% load, and each further twenty searches per second take ${digits((20 * work.fixed) / 1000 / planned)} more cores. Calls over NATS and the work of Milvus are not included: a cluster was only measured with one search at a time (\`bench/results.md\`, cluster), not under load.`,
  ].join('\n\n');
}
