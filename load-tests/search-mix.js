import { kinds, searchOnce } from './common/searches.js';
import { isShort, queriesOfSource, statistics } from './common/ply.js';

export { handleSummary } from './common/ply.js';

/**
 * Eight readers send searches of every kind, each as soon as the last is answered. Measures how many are answered per
 * second.
 */
export const options = {
  summaryTrendStats: statistics,
  scenarios: { readers: { executor: 'constant-vus', vus: 8, duration: isShort ? '8s' : '2m' } },
  thresholds: {
    // All cores are busy all the time, so this is the worst case for a reader. It must stay within the second that
    // people expect of a response.
    'http_req_duration{name:search}': ['p(95)<1000'],
    // No restriction or filter may make a kind of search slow.
    ...Object.fromEntries(kinds.map((kind) => [`http_req_duration{kind:${kind}}`, ['p(95)<1000']])),
    // Eight concurrent searches are no overload: nothing may fail.
    http_req_failed: ['rate==0'],
    checks: ['rate==1'],
    // The queries are about topics of the library. If many found nothing, the times would be meaningless. The small
    // library of the short form does not contain every topic.
    found_nothing: [isShort ? 'rate<0.5' : 'rate<0.05'],
  },
};

/** Makes the queries. */
export function setup() {
  return queriesOfSource();
}

export default function (queries) {
  searchOnce(queries);
}
