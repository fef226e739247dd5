import { check, sleep } from 'k6';
import exec from 'k6/execution';
import { Trend } from 'k6/metrics';
import { searchOnce } from './common/searches.js';
import { call, freshName, isShort, generatedFile, queriesOfSource, statistics } from './common/ply.js';

export { handleSummary } from './common/ply.js';

const duration = isShort ? 10 : Number(__ENV.SECONDS || 600);
const words = 200;
const maxSecondsUntilReady = 60;

const untilReady = new Trend('until_ready', true);

/**
 * Ten minutes (or `--hours`) of ordinary use: readers, new files, and applications that list and read assets. Memory, open
 * files and times must not grow.
 */
export const options = {
  summaryTrendStats: statistics,
  scenarios: {
    readers: {
      executor: 'constant-arrival-rate',
      exec: 'readers',
      rate: 5,
      duration: `${duration}s`,
      preAllocatedVUs: 10,
      maxVUs: 50,
    },
    writers: {
      executor: 'constant-arrival-rate',
      exec: 'writers',
      rate: 1,
      duration: `${duration}s`,
      preAllocatedVUs: 10,
      maxVUs: 60,
      gracefulStop: `${maxSecondsUntilReady}s`,
    },
    lookers: {
      executor: 'constant-arrival-rate',
      exec: 'lookers',
      rate: 2,
      duration: `${duration}s`,
      preAllocatedVUs: 4,
      maxVUs: 20,
    },
  },
  thresholds: {
    // This load is below the capacity of the machine, so nothing queues and responses are fast.
    'http_req_duration{name:search}': ['p(95)<500'],
    // The last third has the bound of the first: gradual slowdown would show here.
    'http_req_duration{third:first}': ['p(95)<500'],
    'http_req_duration{third:last}': ['p(95)<500'],
    'http_req_duration{name:listActivity}': ['p(95)<250'],
    // One small file per second is a light load: it can be found before its author has opened the search page.
    until_ready: ['p(95)<5000'],
    http_req_failed: ['rate==0'],
    checks: ['rate==1'],
    // The rate was kept: a request that was not sent would be missing from all figures above.
    dropped_iterations: ['count==0'],
  },
};

/** Makes the queries and a name for the files of this run. */
export function setup() {
  return { queries: queriesOfSource(), name: freshName('soak') };
}

/** Searches, tagged by the third of the run, so that the thirds can be compared. */
export function readers({ queries }) {
  const gone = (Date.now() - exec.scenario.startTime) / 1000 / duration;
  searchOnce(queries, { third: gone < 1 / 3 ? 'first' : gone < 2 / 3 ? 'middle' : 'last' });
}

/** Registers a file and waits for the end of its job. */
export function writers({ name }) {
  const began = Date.now();
  const { jobId } = call('registerAsset', {
    body: generatedFile(`${name}-${exec.scenario.iterationInTest}`, words),
  }).json();
  let state = '';
  do {
    sleep(0.2);
    ({ state } = call('readJob', { path: { jobId } }).json());
  } while (state !== 'ready' && state !== 'failed' && Date.now() - began < maxSecondsUntilReady * 1000);
  check(state, { 'a file becomes ready': (reached) => reached === 'ready' });
  untilReady.add(Date.now() - began);
}

/** Reads the newest files, and the first of them. */
export function lookers() {
  const items = call('listActivity', { query: '?limit=20' }).json('items');
  if (items.length > 0) call('readAsset', { path: { assetId: items[0].assetId } });
}
