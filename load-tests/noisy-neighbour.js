import { check, sleep } from 'k6';
import { Counter, Gauge, Trend } from 'k6/metrics';
import {
  call,
  freshName,
  hasFailedJob,
  hasJob,
  isShort,
  generatedFile,
  organization,
  statistics,
  unfinished,
  waitUntilIdle,
} from './common/ply.js';

export { handleSummary } from './common/ply.js';

const neighbour = __ENV.NEIGHBOUR_ID;
/** Most files of the neighbour, and the seconds that they should last at the rate of its first files. */
const maxNeighbourFiles = isShort ? 1200 : 10_000;
const secondsOfNeighbour = isShort ? 60 : 420;
const firstNeighbourFiles = 50;
const neighbourWords = 40;
/** One in this many files of the neighbour is long: short ones keep the disk busy, long ones the model. */
const longOneOf = 25;
const longWords = 2000;
const ownFiles = 5;
const ownWords = 200;
const perImport = 100;
const quietRounds = isShort ? 4 : 20;
const minRoundsBeside = isShort ? 2 : 10;
const maxSecondsOfRound = 120;
const maxSecondsUntilIdle = 1200;

const quiet = new Trend('ready_quiet', true);
const beside = new Trend('ready_beside_neighbour', true);
const roundsBeside = new Counter('rounds_beside_neighbour');
const slower = new Gauge('p95_beside_over_quiet');
const filesOfNeighbour = new Gauge('files_of_neighbour');

/**
 * An organization registers five files repeatedly: first alone, then while 10,000 files of another one wait, or as many as
 * last for seven minutes where indexing is slow. Both parts are one script, because the second is compared with the first.
 */
export const options = {
  summaryTrendStats: statistics,
  setupTimeout: '60s',
  teardownTimeout: `${maxSecondsUntilIdle + 60}s`,
  scenarios: { neighbours: { executor: 'per-vu-iterations', vus: 1, iterations: 1, maxDuration: '20m' } },
  thresholds: {
    // 95 percent of the files of the small organization are ready within twice the time of the quiet part. A value of 0
    // means that nothing was measured, which is no success.
    p95_beside_over_quiet: ['value<2', 'value>0'],
    // Only rounds that began and ended while files of the neighbour waited count. With fewer rounds the figure says
    // little.
    rounds_beside_neighbour: [`count>=${minRoundsBeside}`],
    http_req_failed: ['rate==0'],
    checks: ['rate==1'],
    // Listed so that they appear in the results. They have no bound, because machines differ.
    files_of_neighbour: ['value>=0'],
    ready_quiet: ['max>=0'],
    ready_beside_neighbour: ['max>=0'],
  },
};

/** The nearest-rank percentile of values, for a share from 0 to 1. */
function percentile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * share) - 1];
}

/**
 * Registers five files and waits for them. Returns the milliseconds of each from its registration until it was ready,
 * by the program's clock, so that the polling interval does not matter.
 */
function round(name) {
  const assets = Array.from({ length: ownFiles }, (_, index) => generatedFile(`${name}-${index}`, ownWords));
  const jobs = call('importAssets', { body: { assets } })
    .json('results')
    .map(({ jobId }) => jobId);
  const began = Date.now();
  return jobs.map((jobId) => {
    let job = call('readJob', { path: { jobId } }).json();
    while (job.state !== 'ready' && job.state !== 'failed' && Date.now() - began < maxSecondsOfRound * 1000) {
      sleep(0.1);
      job = call('readJob', { path: { jobId } }).json();
    }
    check(job, { 'a file of the small organization becomes ready': ({ state }) => state === 'ready' });
    return Date.parse(job.updatedAt) - Date.parse(job.createdAt);
  });
}

function registerNeighbour(name, files) {
  for (let first = 0; first < files; first += perImport) {
    const assets = Array.from({ length: Math.min(perImport, files - first) }, (_, index) =>
      generatedFile(`${name}-neighbour-${first + index}`, index % longOneOf === 0 ? longWords : neighbourWords),
    );
    call('importAssets', { body: { assets }, as: neighbour });
  }
}

/** The number of files that keep the neighbour busy for a while, by how fast its first files become ready. */
function measureNeighbour(name) {
  const began = Date.now();
  registerNeighbour(`${name}-first`, firstNeighbourFiles);
  while (hasJob(neighbour, unfinished)) sleep(0.2);
  const perSecond = (firstNeighbourFiles * 1000) / (Date.now() - began);
  return Math.min(maxNeighbourFiles, Math.ceil((perSecond * secondsOfNeighbour) / perImport) * perImport);
}

export default function () {
  const name = freshName('noisy');
  // The first files after a pause wait for processes to start, so they are not part of the quiet time.
  round(`${name}-warm`);
  const files = measureNeighbour(name);
  filesOfNeighbour.add(files);
  const alone = [];
  for (let index = 0; index < quietRounds; index++) {
    alone.push(...round(`${name}-quiet-${index}`));
    sleep(0.5);
  }
  registerNeighbour(name, files);
  const together = [];
  for (let index = 0; hasJob(neighbour, ['queued']); index++) {
    const times = round(`${name}-beside-${index}`);
    if (!hasJob(neighbour, ['queued'])) break;
    together.push(...times);
    roundsBeside.add(1);
    sleep(0.5);
  }
  alone.forEach((time) => quiet.add(time));
  together.forEach((time) => beside.add(time));
  check(together, { 'files of the neighbour waited meanwhile': ({ length }) => length > 0 });
  if (together.length > 0) slower.add(percentile(together, 0.95) / percentile(alone, 0.95));
}

/** Waits until all work is done and checks that no job failed. */
export function teardown() {
  const seconds = waitUntilIdle(neighbour, maxSecondsUntilIdle);
  check(null, {
    'the files of both become ready': () => seconds !== null && !hasFailedJob(neighbour) && !hasFailedJob(organization),
  });
}
