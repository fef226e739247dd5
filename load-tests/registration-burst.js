import { check } from 'k6';
import exec from 'k6/execution';
import { Counter, Gauge } from 'k6/metrics';
import { searchOnce } from './common/searches.js';
import {
  call,
  freshName,
  hasFailedJob,
  isShort,
  generatedFile,
  organization,
  queriesOfSource,
  statistics,
  waitUntilIdle,
} from './common/ply.js';

export { handleSummary } from './common/ply.js';

const single = isShort ? 100 : 2000;
const imports = isShort ? 2 : 10;
const perImport = 100;
const words = 40;
const maxSecondsUntilIdle = 900;

const registered = new Counter('files_registered');
const secondsUntilIdle = new Gauge('seconds_until_all_ready');

/**
 * Thousands of files are registered at once, one by one and in imports, while the program starts to read them and
 * readers search.
 */
export const options = {
  summaryTrendStats: statistics,
  teardownTimeout: `${maxSecondsUntilIdle + 60}s`,
  scenarios: {
    oneByOne: { executor: 'shared-iterations', exec: 'oneByOne', vus: 16, iterations: single, maxDuration: '10m' },
    imports: { executor: 'shared-iterations', exec: 'importsOfMany', vus: 2, iterations: imports, maxDuration: '10m' },
    readers: {
      executor: 'constant-arrival-rate',
      exec: 'readers',
      rate: 2,
      duration: isShort ? '5s' : '20s',
      preAllocatedVUs: 4,
      maxVUs: 20,
    },
  },
  thresholds: {
    // A registration is one durable write. 16 and 2 concurrent clients wait for each other and for the reading of
    // files.
    'http_req_duration{name:registerAsset}': ['p(95)<500'],
    // A hundred writes, most of them in one flush.
    'http_req_duration{name:importAssets}': ['p(95)<3000'],
    // Reading files can wait, readers cannot: searches may be slower than usual, but must be answered.
    'http_req_duration{name:search}': ['p(95)<2000'],
    // Every request must succeed: the load is far below the rate limits.
    http_req_failed: ['rate==0'],
    checks: ['rate==1'],
    files_registered: [`count==${single + imports * perImport}`],
    // Everything that was accepted becomes ready.
    seconds_until_all_ready: [`value<${maxSecondsUntilIdle}`],
  },
};

/** Makes the queries and a name for the files of this run. */
export function setup() {
  return { queries: queriesOfSource(), name: freshName('burst') };
}

/** Registers one file. */
export function oneByOne({ name }) {
  const answer = call('registerAsset', { body: generatedFile(`${name}-${exec.scenario.iterationInTest}`, words) });
  if (answer.status === 202) registered.add(1);
}

/** Imports many files in one request. */
export function importsOfMany({ name }) {
  const first = exec.scenario.iterationInTest * perImport;
  const assets = Array.from({ length: perImport }, (_, index) =>
    generatedFile(`${name}-import-${first + index}`, words),
  );
  const answer = call('importAssets', { body: { assets } });
  if (answer.status === 202)
    registered.add(answer.json('results').filter(({ jobId }) => typeof jobId === 'string').length);
}

/** Searches while files are registered. */
export function readers({ queries }) {
  searchOnce(queries);
}

/** Measures how long the work takes to end, and checks that no job failed. */
export function teardown() {
  const seconds = waitUntilIdle(organization, maxSecondsUntilIdle);
  if (seconds !== null) secondsUntilIdle.add(seconds);
  check(null, {
    'all work is done in time': () => seconds !== null,
    'no job failed': () => !hasFailedJob(organization),
  });
}
