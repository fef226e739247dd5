import exec from 'k6/execution';
import { searchOnce } from './common/searches.js';
import { isShort, queriesOfSource, statistics } from './common/ply.js';

export { handleSummary } from './common/ply.js';

const seconds = isShort ? { before: 4, rise: 1, high: 4, fall: 1, rest: 3, after: 4 } : { before: 30, rise: 5, high: 30, fall: 5, rest: 20, after: 40 };
const usual = 5;
const high = 100;

/** Twenty times the usual searches a second for half a minute, more than two cores answer: it must bear that, and be itself again soon after. */
export const options = {
  summaryTrendStats: statistics,
  scenarios: {
    readers: {
      executor: 'ramping-arrival-rate',
      startRate: usual,
      // As many readers as wait at a time: those who come when a hundred wait already are counted as dropped, not sent.
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
    // A hundred wait at a time; who waits ten seconds has gone away.
    'http_req_duration{phase:spike}': ['p(95)<10000'],
    // Some seconds later nothing of it is left: no queue that is still worked off, no store that is out of breath.
    'http_req_duration{phase:after}': ['p(95)<1000'],
    // It gets slow, but nobody is turned away: what is accepted is answered.
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

export function setup() {
  return queriesOfSource();
}

export default function (queries) {
  searchOnce(queries, { phase: phaseAt((Date.now() - exec.scenario.startTime) / 1000) });
}
