import { check } from 'k6';
import { Rate } from 'k6/metrics';
import { anyOf, call } from './ply.js';

/** Share of unrestricted searches that found nothing. */
export const foundNothing = new Rate('found_nothing');

/** The mix of a reader's searches: share, name, and further fields of the body. */
const mix = [
  [0.5, 'everything', () => ({})],
  // Staff see open files and files for staff.
  [0.2, 'staff', () => ({ principals: ['staff'] })],
  // A visitor sees open files only.
  [0.15, 'visitor', () => ({ principals: [] })],
  [0.1, 'filtered', () => ({ filter: { metadata: { department: anyOf(['sales', 'research', 'support']) } } })],
  [0.05, 'second-page', () => ({ group: 'file', offset: 10 })],
];

/** Names of the kinds of searches; each has a threshold. */
export const kinds = mix.map(([, kind]) => kind);

function drawKind() {
  let left = Math.random();
  return mix.find(([share]) => (left -= share) < 0) ?? mix[0];
}

/** Sends one search of the mix, and returns the answer. Also checks that visitors find no files for staff, even under load. */
export function searchOnce(queries, tags = {}, mayBeShed = false) {
  const [, kind, extra] = drawKind();
  const body = { query: anyOf(queries), limit: 10, ...extra() };
  const answer = call('search', { body, tags: { kind, ...tags }, mayBeShed });
  if (answer.status !== 200) return answer;
  const items = answer.json('items');
  if (kind === 'everything') foundNothing.add(items.length === 0);
  if (kind === 'visitor')
    check(items, {
      'a visitor finds no file that is for staff': (found) =>
        found.every(({ metadata }) => metadata.audience !== 'staff'),
    });
  return answer;
}
