import { kinds, searchOnce } from './common/searches.js';
import { isShort, queriesOfSource, statistics } from './common/ply.js';

export { handleSummary } from './common/ply.js';

/** Eight readers ask one search after the other, of every kind, as fast as they are answered: how many a second are there? */
export const options = {
  summaryTrendStats: statistics,
  scenarios: { readers: { executor: 'constant-vus', vus: 8, duration: isShort ? '8s' : '2m' } },
  thresholds: {
    // All cores are busy all the time here, so this is the worst that a reader meets: still within the second that
    // people take for an answer to what they did.
    'http_req_duration{name:search}': ['p(95)<1000'],
    // A restriction or filter must not make a kind of search a slow one.
    ...Object.fromEntries(kinds.map((kind) => [`http_req_duration{kind:${kind}}`, ['p(95)<1000']])),
    // Eight at a time is no overload: nothing may fail.
    http_req_failed: ['rate==0'],
    checks: ['rate==1'],
    // The queries are about topics of the library. If many found nothing, the quick ones would not count. The small library
    // of the short form does not hold every topic.
    found_nothing: [isShort ? 'rate<0.5' : 'rate<0.05'],
  },
};

export function setup() {
  return queriesOfSource();
}

export default function (queries) {
  searchOnce(queries);
}
