import http from 'k6/http';
import { check, sleep } from 'k6';

/*
 * The API as the load scripts use it. What they are told stands in the environment:
 *   API_URL          address of the API, without a path
 *   API_KEY          standard key of the account
 *   ORGANIZATION_ID  organization whose library is searched
 *   NEIGHBOUR_ID     another organization of the account (noisy-neighbour.js alone)
 *   SOURCE_URL       address of the source of made files, as the program reaches it (scripts/load/source-server.ts)
 *   SHORT            1 for short forms, which show that a script works and measure nothing
 *   SUMMARY          file that the results are written to, as JSON
 */

/** Every operation that is called here, by its name in the table of routes: method and path. */
const calls = JSON.parse(open(import.meta.resolve('./calls.json')));

/** Whether the short form is wanted. */
export const isShort = __ENV.SHORT === '1';

/** The organization whose library is searched. */
export const organization = __ENV.ORGANIZATION_ID;

/** Statistics of every time that the summary holds. */
export const statistics = ['count', 'avg', 'med', 'p(95)', 'p(99)', 'max'];

/**
 * Calls an operation. Its answers stand in the metrics under the operation's name, whatever ids its address holds.
 * @param {string} operation name in calls.json
 * @param {{ path?: object, query?: string, body?: object, as?: string, tags?: object }} [given] `as`: the organization that asks
 */
export function call(operation, { path = {}, query = '', body, as = organization, tags = {} } = {}) {
  const [method, template] = calls[operation];
  const address = template.replace(/\{(\w+)\}/g, (_, name) => path[name]);
  const answer = http.request(method, `${__ENV.API_URL}${address}${query}`, body === undefined ? null : JSON.stringify(body), {
    headers: { Authorization: `ApiKey ${__ENV.API_KEY}`, 'X-Organization-Id': as, 'Content-Type': 'application/json' },
    tags: { name: operation, ...tags },
    timeout: '60s',
  });
  check(answer, { [`${operation} is answered with success`]: ({ status }) => status >= 200 && status < 300 });
  return answer;
}

/** Queries about what the made files say, from the source itself. */
export function queriesOfSource() {
  return http.get(`${__ENV.SOURCE_URL}/queries`, { tags: { name: 'source' } }).json();
}

/** One of a list, by chance. */
export function anyOf(list) {
  return list[Math.floor(Math.random() * list.length)];
}

/** Registration of a made file of so many words. The same name is the same file. */
export function madeFile(name, words) {
  const filename = `${name}.txt`;
  return { externalId: name, sourceUrl: `${__ENV.SOURCE_URL}/text/${words}/${filename}`, sourceVersion: `"${words}-${filename}"`, filename, kind: 'document', language: 'en' };
}

/** A beginning of names that no run before has used. */
export function freshName(script) {
  return `${script}-${Date.now().toString(36)}`;
}

/** States of a job that is not at its end. */
const unfinished = ['queued', 'extracting', 'embedding', 'retry_scheduled'];

const began = new Date().toISOString();

function lists(as, query) {
  const answer = call('listActivity', { query: `?limit=1&${query}`, as });
  // An answer that failed counts against the script by its check, and must not look like an empty list.
  return answer.status !== 200 || answer.json('items').length > 0;
}

/** Whether an organization has a job in one of these states. */
export function hasJob(as, states) {
  return states.some((state) => lists(as, `state=${state}`));
}

/** Whether a file that was registered since the script began has failed. */
export function hasFailedJob(as) {
  return lists(as, `state=failed&createdAfter=${encodeURIComponent(began)}`);
}

/** Waits until an organization has no job that is not at its end: answers the seconds, or null where it has one still. */
export function waitUntilIdle(as, mostSeconds) {
  const asked = Date.now();
  while (Date.now() - asked < mostSeconds * 1000) {
    if (!hasJob(as, unfinished)) return (Date.now() - asked) / 1000;
    sleep(1);
  }
  return null;
}

/**
 * Writes the results into the file that SUMMARY names; without it, says how each threshold fared.
 * k6 calls it at the end: https://grafana.com/docs/k6/latest/results-output/end-of-test/custom-summary/
 */
export function handleSummary(data) {
  if (__ENV.SUMMARY) return { [__ENV.SUMMARY]: JSON.stringify(data) };
  const lines = Object.entries(data.metrics).flatMap(([name, { thresholds = {}, values }]) => Object.entries(thresholds).map(([limit, { ok }]) => `${ok ? 'kept  ' : 'MISSED'}  ${name}: ${limit}  ${JSON.stringify(values)}`));
  return { stdout: `\n${lines.join('\n')}\n` };
}
