import { check, sleep } from 'k6';
import { Counter, Gauge, Trend } from 'k6/metrics';
import { call, freshName, hasFailedJob, hasJob, isShort, madeFile, organization, statistics, waitUntilIdle } from './common/ply.js';

export { handleSummary } from './common/ply.js';

const neighbour = __ENV.NEIGHBOUR_ID;
const neighbourFiles = isShort ? 1200 : 10_000;
const neighbourWords = 40;
/** One of so many of the neighbour's files is long: many short ones keep the disk busy, long ones the model. */
const longOneOf = 25;
const longWords = 2000;
const ownFiles = 5;
const ownWords = 200;
const perImport = 100;
const quietRounds = isShort ? 4 : 20;
const leastRoundsBeside = isShort ? 2 : 10;
const mostSecondsOfRound = 120;
const mostSecondsUntilIdle = 1200;

const quiet = new Trend('ready_quiet', true);
const beside = new Trend('ready_beside_neighbour', true);
const roundsBeside = new Counter('rounds_beside_neighbour');
const slower = new Gauge('p95_beside_over_quiet');

/**
 * An organization registers five files, again and again: first alone, then while 10,000 files of another wait. All in one
 * course, because the second part is compared with the first.
 */
export const options = {
  summaryTrendStats: statistics,
  setupTimeout: '60s',
  teardownTimeout: `${mostSecondsUntilIdle + 60}s`,
  scenarios: { neighbours: { executor: 'per-vu-iterations', vus: 1, iterations: 1, maxDuration: '20m' } },
  thresholds: {
    // The promise: 95 of 100 files of the small one are ready within twice the time that they take when all is quiet.
    // Nothing measured would be 0, which is no success.
    p95_beside_over_quiet: ['value<2', 'value>0'],
    // Only rounds that began and ended while files of the neighbour waited count. With fewer, the figure says little.
    rounds_beside_neighbour: [`count>=${leastRoundsBeside}`],
    http_req_failed: ['rate==0'],
    checks: ['rate==1'],
    // Named so that they stand in the results; no bound of their own, because machines differ.
    ready_quiet: ['max>=0'],
    ready_beside_neighbour: ['max>=0'],
  },
};

/** The value below which a share of the values lies (nearest rank). */
function percentile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * share) - 1];
}

/**
 * Registers five files and waits for them: answers the milliseconds of each from its registration until it was ready, by the
 * program's own clock, so that how often is asked does not count.
 */
function round(name) {
  const assets = Array.from({ length: ownFiles }, (_, place) => madeFile(`${name}-${place}`, ownWords));
  const jobs = call('importAssets', { body: { assets } }).json('results').map(({ jobId }) => jobId);
  const began = Date.now();
  return jobs.map((jobId) => {
    let job = call('readJob', { path: { jobId } }).json();
    while (job.state !== 'ready' && job.state !== 'failed' && Date.now() - began < mostSecondsOfRound * 1000) {
      sleep(0.1);
      job = call('readJob', { path: { jobId } }).json();
    }
    check(job, { 'a file of the small organization becomes ready': ({ state }) => state === 'ready' });
    return Date.parse(job.updatedAt) - Date.parse(job.createdAt);
  });
}

function registerNeighbour(name) {
  for (let first = 0; first < neighbourFiles; first += perImport) {
    const assets = Array.from({ length: perImport }, (_, place) => madeFile(`${name}-neighbour-${first + place}`, place % longOneOf === 0 ? longWords : neighbourWords));
    call('importAssets', { body: { assets }, as: neighbour });
  }
}

export default function () {
  const name = freshName('noisy');
  // The first files after a pause wait for processes that are started: they are nobody's quiet time.
  round(`${name}-warm`);
  const alone = [];
  for (let index = 0; index < quietRounds; index++) {
    alone.push(...round(`${name}-quiet-${index}`));
    sleep(0.5);
  }
  registerNeighbour(name);
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

export function teardown() {
  const seconds = waitUntilIdle(neighbour, mostSecondsUntilIdle);
  check(null, { 'the files of both become ready': () => seconds !== null && !hasFailedJob(neighbour) && !hasFailedJob(organization) });
}
