import { check } from 'k6';
import exec from 'k6/execution';
import { Counter, Rate, Trend } from 'k6/metrics';
import { searchOnce } from './common/searches.js';
import {
  call,
  freshName,
  generatedFile,
  hasFailedJob,
  isShort,
  organization,
  queriesOfSource,
  statistics,
  waitUntilIdle,
} from './common/ply.js';

export { handleSummary } from './common/ply.js';

const seconds = isShort
  ? { capacity: 5, overload: 8, rest: 10, after: 5 }
  : { capacity: 30, overload: 60, rest: 10, after: 30 };
/** Searches per second of eight readers, which `npm run load` measures before; a hundred if k6 is started by hand. */
const capacity = Number(__ENV.CAPACITY || 100);
const overloadBegins = seconds.capacity + 2;
const afterBegins = overloadBegins + seconds.overload + seconds.rest;
const words = 200;
const maxSecondsUntilIdle = 600;

const accepted = new Trend('accepted', true);
const shed = new Counter('shed');
const properlyShed = new Rate('properly_shed');

/**
 * Three times as many searches as the program can answer, and some registrations: it refuses what is too much, answers the
 * rest in time, loses nothing, and ten seconds later nothing is refused any more.
 */
export const options = {
  summaryTrendStats: statistics,
  teardownTimeout: `${maxSecondsUntilIdle + 60}s`,
  scenarios: {
    capacity: {
      executor: 'constant-vus',
      exec: 'readers',
      vus: 8,
      duration: `${seconds.capacity}s`,
      gracefulStop: '2s',
    },
    overload: {
      executor: 'constant-arrival-rate',
      exec: 'readers',
      startTime: `${overloadBegins}s`,
      duration: `${seconds.overload}s`,
      rate: Math.ceil(3 * capacity),
      preAllocatedVUs: 200,
      maxVUs: 400,
      gracefulStop: '10s',
    },
    writers: {
      executor: 'constant-arrival-rate',
      exec: 'writers',
      startTime: `${overloadBegins}s`,
      duration: `${seconds.overload}s`,
      rate: 2,
      preAllocatedVUs: 20,
      maxVUs: 50,
    },
    after: {
      executor: 'constant-arrival-rate',
      exec: 'readers',
      startTime: `${afterBegins}s`,
      duration: `${seconds.after}s`,
      rate: Math.max(1, Math.floor(capacity / 3)),
      preAllocatedVUs: 20,
      maxVUs: 100,
    },
  },
  thresholds: {
    // Their ratio is a bound of its own (scripts/load/rows.ts): accepted answers take at most twice as long as at capacity.
    'accepted{scenario:capacity}': ['max>=0'],
    'accepted{scenario:overload}': ['max>=0'],
    'accepted{scenario:after}': ['max>=0'],
    // At three times the capacity, something has to be refused, and with a time to try again.
    'shed{scenario:overload}': ['count>0'],
    properly_shed: ['rate==1'],
    // Below capacity, and ten seconds after the overload, nothing is refused.
    'shed{scenario:capacity}': ['count==0'],
    'shed{scenario:after}': ['count==0'],
    // Refusals with 429 and 503 count as expected; anything else does not.
    http_req_failed: ['rate==0'],
    checks: ['rate==1'],
  },
};

/** Makes the queries and a name for the files of this run. */
export function setup() {
  return { queries: queriesOfSource(), name: freshName('overload') };
}

/** Notes an answer; returns whether it was accepted. */
function isAccepted({ status, headers }) {
  if (status >= 200 && status < 300) return true;
  shed.add(1);
  properlyShed.add(Number(headers['Retry-After']) > 0);
  return false;
}

/** Searches once; a refusal is noted and not repeated. */
export function readers({ queries }) {
  const answer = searchOnce(queries, {}, true);
  if (isAccepted(answer)) accepted.add(answer.timings.duration);
}

/** Registers a file. */
export function writers({ name }) {
  const body = generatedFile(`${name}-${exec.scenario.iterationInTest}`, words);
  isAccepted(call('registerAsset', { body, mayBeShed: true }));
}

/** Nothing that was accepted is lost: every registered file becomes ready. */
export function teardown() {
  const idle = waitUntilIdle(organization, maxSecondsUntilIdle);
  check(null, { 'all registered files become ready': () => idle !== null && !hasFailedJob(organization) });
}
