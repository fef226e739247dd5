import { checkCost, costOf, fitCost, searchPoints, type SearchCost, type SearchPoint } from './model.ts';
import { filling, type Results } from './results.ts';

/** Files of ten passages of 200 words: some pages of text each. */
const passagesPerDocument = 10;
const documents = [100, 1000, 5000, 20_000, 100_000];
/** Share of the cores that is planned for: above it, waiting grows quickly. */
const planned = 0.7;
const bytesPerVector = 384 * 4;
const secondsOfDay = 86_400;

/** What a sizing takes from bench/results.md beside the searches. */
interface Measured {
  cores: number;
  /** Passages of 200 words a second, with the model, on those cores. */
  indexed: number;
  /** Megabytes of the idle program with its model. */
  idle: number;
  /** Megabytes that reading the hardest measured document takes above that. */
  reading: number;
}

function figureOf(results: string, pattern: RegExp, name: string): number {
  const values = [...results.matchAll(pattern)].map(([, value]) => Number(value));
  if (values.length === 0) throw new Error(`bench/results.md says nothing of ${name}`);
  return Math.max(...values);
}

function measuredIn(results: string): Measured {
  return {
    cores: figureOf(results, /^## indexing\n\n[^\n]*?(\d+) cores/gm, 'the cores that indexed'),
    indexed: figureOf(results, /^\| indexing \d+ text files of 200 words \| ([\d.]+) files\/s/gm, 'indexing with the model'),
    idle: figureOf(results, /^\| idle memory with the model[^|]*\| ([\d.]+) MB/gm, 'idle memory'),
    reading: figureOf(results, /memory of the whole program above idle \| ([\d.]+) MB/gm, 'memory of reading documents'),
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
  return `${fixed.toFixed(1)} ms + ${(perPassage * 1000).toFixed(2)} ms for each thousand passages of the organization + ${(perVisible * 1000).toFixed(2)} ms for each thousand of them that the reader may see`;
}

function checkTable(points: readonly SearchPoint[], measured: 'alone' | 'work'): string {
  const cost = fitCost(points, measured);
  const rows = checkCost(points, measured).map(({ point, predicted, error }) => {
    const fitted = costOf(cost, point.passages, point.visible);
    return [whole(point.passages), whole(point.visible), measuredDigits(point[measured]), `${measuredDigits(fitted)} (${percent(fitted / point[measured] - 1)})`, `${measuredDigits(predicted)} (${percent(error)})`];
  });
  return table(['passages of the organization', 'visible', 'measured, ms', 'by the model', 'by the model without this point'], rows);
}

/** A search of the load run beside what the model says of its library: a point that the model has never seen. */
function loadCheck(points: readonly SearchPoint[], results: Results): string {
  const { passages } = results[filling]?.figures ?? {};
  const { cpuPerSearch } = results['search-mix']?.figures ?? {};
  if (passages === undefined || cpuPerSearch === undefined) return 'The search mix of `npm run load` is a point of its own to check this by: not measured yet.';
  // Nine files of ten are open, and filtered searches are few: about all passages are visible.
  const predicted = costOf(fitCost(points, 'work'), passages, passages);
  return `The search mix of \`npm run load\` is a point that the model has not seen: over ${whole(passages)} passages a search took ${digits(cpuPerSearch)} ms of the program's processor time, by the model ${digits(predicted)} ms (${percent(predicted / cpuPerSearch - 1)}).`;
}

/** The model of a search, and how well it tells what was measured. */
export function modelText(bench: string, results: Results): string {
  const points = searchPoints(bench);
  return [
    `A search that is alone takes ${formula(fitCost(points, 'alone'))}.`, checkTable(points, 'alone'),
    `Of processor time, it takes ${formula(fitCost(points, 'work'))}. (That is cores over searches a second, when eight clients on the same machine kept all cores busy; the clients' own work is in it.)`, checkTable(points, 'work'),
    loadCheck(points, results),
  ].join('\n\n');
}

/** What a library needs, computed by the model from what was measured. */
export function sizingText(bench: string, results: Results): string {
  const points = searchPoints(bench);
  const [alone, work] = [fitCost(points, 'alone'), fitCost(points, 'work')];
  const { cores, indexed, idle, reading } = measuredIn(bench);
  const largest = Math.max(...points.map(({ passages }) => passages));
  const { bytesPerPassage } = results[filling]?.figures ?? {};
  const read = idle + cores * reading;
  const seen = Math.max(0, ...Object.values(results).map(({ figures }) => figures['memory'] ?? 0));
  const rows = documents.map((count) => {
    const passages = count * passagesPerDocument;
    const perSearch = costOf(work, passages, passages);
    const vectors = (passages * bytesPerVector) / 1e6;
    const memory = Math.max(read, seen) + vectors;
    return [
      whole(count), whole(passages) + (passages > largest ? ' *' : ''), `${digits(costOf(alone, passages, passages))} ms`, digits((planned * cores * 1000) / perSearch), digits((10 * perSearch) / 1000 / planned),
      `${(passages / indexed / 3600).toFixed(1)} h`, `${whole(memory)} MB`, bytesPerPassage === undefined ? 'not measured yet' : `${whole((passages * bytesPerPassage) / 1e6)} MB`,
    ];
  });
  const perCore = indexed / cores;
  const clusterRows = [100_000, 1_000_000, 10_000_000].map((count) => {
    const pods = (count * passagesPerDocument) / perCore / secondsOfDay;
    return [whole(count), whole(count * passagesPerDocument), whole(Math.ceil(pods)), whole(Math.ceil(pods / 7))];
  });
  return [
    `### One process with embedded stores (one pod, ${cores} cores)`,
    `Documents are counted in the largest organization, all of whose passages a reader may see; other organizations of the same installation cost disk, not search time. Searches a second are those at ${planned * 100}% of the cores. Memory is ${seen > read ? `the most that the load run saw (${whole(seen)} MB; more than the ${whole(read)} MB of` : `that of`} the idle program (${idle} MB) and of ${cores} documents that are as hard to read as the hardest measured one (${reading} MB each)${seen > read ? ')' : seen > 0 ? ` (the load run saw ${whole(seen)} MB at its most)` : ''}, and the vectors, which should stay in the system's cache of files.`,
    table(['documents', 'passages', 'a search alone', 'searches a second', 'cores for 10 searches a second', 'indexing it all', 'memory', 'disk'], rows),
    `\\* beyond the largest measured organization (${whole(largest)} passages): computed, not seen. Where the table says more than two cores, a second pod does not help, because the embedded index belongs to one process: take the cluster.`,
    '### Cluster: embedders',
    `An embedder pod has what its cores have: ${digits(perCore)} passages of 200 words a second and core, measured in the one process above with ${cores} cores, everything else that indexing takes included. Pods of one core each:`,
    table(['documents', 'passages', 'embedder pods to index all in a day', 'in a week'], clusterRows),
    '### Cluster: gateway and searcher',
    `What does not depend on the library is ${work.fixed.toFixed(1)} ms of processor time a search: the request, the query's vector, grading, the check against the records. So a core for both roles together bears about ${digits((planned * 1000) / work.fixed)} searches a second at ${planned * 100}% of it, and twenty searches a second more take ${digits((20 * work.fixed) / 1000 / planned)} cores more. Calls over NATS come on top and Milvus' own work is its own: of a cluster under load nothing has been measured here but one search at a time (\`bench/results.md\`, cluster).`,
  ].join('\n\n');
}
