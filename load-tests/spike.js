import exec from 'k6/execution';
import { searchOnce } from './common/searches.js';
import { isShort, queriesOfSource, statistics } from './common/ply.js';

export { handleSummary } from './common/ply.js';

const seconds = isShort
  ? { before: 4, rise: 1, high: 4, fall: 1, rest: 3, after: 4 }
  : { before: 30, rise: 5, high: 30, fall: 5, rest: 20, after: 40 };
const usual = 5;
const high = 100;

/**
 * Twenty times the usual searches per second for half a minute, which is more than two cores can answer. The program
 * must survive that and recover soon after.
 */
export const options = {
  summaryTrendStats: statistics,
  scenarios: {
    readers: {
      executor: 'ramping-arrival-rate',
      startRate: usual,
      // At most a hundred readers wait at a time. Further searches are counted as dropped, and not sent.
      preAllocatedVUs: 100,
      maxVUs: 100,
      stages: [
        { duration: `${seconds.before}s`, target: usual },
        { duration: `${seconds.rise}s`, target: high },
        { duration: `${seconds.high}s`, target: high },
        { duration: `${seconds.fall}s`, target: usual },
        { duration: `${seconds.rest + seconds.after}s`, target: usual },
      ],
    },
  },
  thresholds: {
    'http_req_duration{phase:before}': ['p(95)<1000'],
    // A hundred wait at a time. A reader gives up after ten seconds.
    'http_req_duration{phase:spike}': ['p(95)<10000'],
    // Some seconds later there is no effect left: no queue that is still being processed, and no slow store.
    'http_req_duration{phase:after}': ['p(95)<1000'],
    // Searches get slow, or are refused with 503 and a time to try again: every accepted one is answered.
    http_req_failed: ['rate==0'],
    checks: ['rate==1'],
  },
};

function phaseAt(now) {
  const { before, rise, high: top, fall, rest } = seconds;
  if (now < before) return 'before';
  const endOfSpike = before + rise + top + fall;
  if (now < endOfSpike) return 'spike';
  return now < endOfSpike + rest ? 'rest' : 'after';
}

/** Makes the queries. */
export function setup() {
  return queriesOfSource();
}

export default function (queries) {
  searchOnce(queries, { phase: phaseAt((Date.now() - exec.scenario.startTime) / 1000) }, true);
}
