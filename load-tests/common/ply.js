import http from 'k6/http';
import { check, sleep } from 'k6';

/*
 * The API client of the load scripts. Their parameters are environment variables:
 *   API_URL          address of the API, without a path
 *   API_KEY          standard key of the account
 *   ORGANIZATION_ID  organization whose library is searched
 *   NEIGHBOUR_ID     another organization of the account (only for noisy-neighbour.js)
 *   SOURCE_URL       address of the source of generated files as seen from the program (scripts/load/source-server.ts)
 *   DELIVERY_URL, PUBLIC_BUCKET_ID, PRIVATE_BUCKET_ID
 *                    address of an edge, and two buckets with files (only for delivery.js; scripts/load/stored-files.ts)
 *   S3_URL, S3_ACCESS_KEY_ID, S3_SECRET, BLOB_URL, BLOB_SAS
 *                    addresses of an S3 and a Blob door, and what requests to them are signed with (only for doors.js;
 *                    scripts/load/door-keys.ts)
 *   CAPACITY         searches per second of eight readers (only for overload.js)
 *   SECONDS          duration of the soak
 *   SHORT            1 for short forms, which only show that a script works
 *   SUMMARY          file that the results are written to, as JSON
 */

/** Method and path of every called operation, by its name in the table of routes. */
const calls = JSON.parse(open(import.meta.resolve('./calls.json')));

/** Whether the short form runs. */
export const isShort = __ENV.SHORT === '1';

/** The organization whose library is searched. */
export const organization = __ENV.ORGANIZATION_ID;

/** The statistics of times in the summary. */
export const statistics = ['count', 'avg', 'med', 'p(95)', 'p(99)', 'max'];

/** Sixteen clients, of which each goes on as soon as it is answered. */
export const withoutPause = { executor: 'constant-vus', vus: 16, duration: isShort ? '8s' : '1m' };

/**
 * Thresholds by which 95 percent of the requests of each kind take less than so many milliseconds.
 * @param {number} milliseconds
 * @param {object} kinds what is done, by the name of its kind
 */
export function kindsBelow(milliseconds, kinds) {
  return Object.fromEntries(
    Object.keys(kinds).map((kind) => [`http_req_duration{kind:${kind}}`, [`p(95)<${milliseconds}`]]),
  );
}

const successOrShed = http.expectedStatuses({ min: 200, max: 299 }, 429, 503);

/**
 * Calls an operation. The metrics list its responses under the operation's name, whatever ids its address contains.
 * @param {string} operation name in calls.json
 * @param {{ path?: object, query?: string, body?: object, as?: string, tags?: object, mayBeShed?: boolean }} [given]
 *   `as`: the calling organization; `mayBeShed`: 429 and 503 are expected as well
 */
export function call(operation, { path = {}, query = '', body, as = organization, tags = {}, mayBeShed = false } = {}) {
  const [method, template] = calls[operation];
  const address = template.replace(/\{(\w+)\}/g, (_, name) => path[name]);
  const answer = http.request(
    method,
    `${__ENV.API_URL}${address}${query}`,
    body === undefined ? null : JSON.stringify(body),
    {
      headers: {
        Authorization: `ApiKey ${__ENV.API_KEY}`,
        'X-Organization-Id': as,
        'Content-Type': 'application/json',
      },
      tags: { name: operation, ...tags },
      timeout: '60s',
      ...(mayBeShed ? { responseCallback: successOrShed } : {}),
    },
  );
  check(answer, {
    [`${operation} is answered with ${mayBeShed ? 'success, or refused for the time being' : 'success'}`]: ({
      status,
    }) => (status >= 200 && status < 300) || (mayBeShed && (status === 429 || status === 503)),
  });
  return answer;
}

/**
 * Reads a file at the edge, by its address as `sign` answers it. The check includes the number of bytes where it is given.
 * @param {string} kind name of this way of reading in the metrics
 * @param {string} address with the bucket's hostname, which the edge is told in a header
 * @param {{ headers?: object, status?: number, bytes?: number }} [expected] `status`: 200 by default
 */
export function readFile(kind, address, { headers = {}, status = 200, bytes } = {}) {
  const [, hostname, target] = /^https?:\/\/([^/]+)(\/.*)$/.exec(address);
  return ask('file', kind, 'GET', `${__ENV.DELIVERY_URL}${target}`, {
    headers: { Host: hostname, ...headers },
    responseType: 'binary',
    status,
    bytes,
  });
}

/**
 * Sends a request to a door. The check includes the number of bytes where it is given.
 * @param {string} kind name of this kind of request in the metrics
 * @param {string} method
 * @param {string} address with the query
 * @param {{ headers?: object, body?: string, status?: number, bytes?: number }} [given] `status`: 200 by default
 */
export function askDoor(kind, method, address, given) {
  return ask('door', kind, method, address, { responseType: 'text', ...given });
}

function ask(name, kind, method, address, { headers = {}, body = null, responseType, status = 200, bytes }) {
  const answer = http.request(method, address, body, {
    headers,
    tags: { name, kind },
    responseType,
    responseCallback: http.expectedStatuses(status),
    timeout: '60s',
  });
  check(answer, {
    [`${kind} is answered with ${status} and the bytes asked for`]: ({ status: answered, body: received }) =>
      answered === status && (bytes === undefined || (received?.byteLength ?? received?.length ?? 0) === bytes),
  });
  return answer;
}

/** Queries about the content of the generated files, from their source. */
export function queriesOfSource() {
  return http.get(`${__ENV.SOURCE_URL}/queries`, { tags: { name: 'source' } }).json();
}

/** A random item of a list. */
export function anyOf(list) {
  return list[Math.floor(Math.random() * list.length)];
}

/** The registration of a generated file with this number of words. The same name gives the same file. */
export function generatedFile(name, words) {
  const filename = `${name}.txt`;
  return {
    externalId: name,
    sourceUrl: `${__ENV.SOURCE_URL}/text/${words}/${filename}`,
    sourceVersion: `"${words}-${filename}"`,
    filename,
    kind: 'document',
    language: 'en',
  };
}

/** A prefix of names that no earlier run has used. */
export function freshName(script) {
  return `${script}-${Date.now().toString(36)}`;
}

/** States of an unfinished job. */
export const unfinished = ['queued', 'extracting', 'embedding', 'retry_scheduled'];

const began = new Date().toISOString();

function lists(as, query) {
  const answer = call('listActivity', { query: `?limit=1&${query}`, as });
  // The check of `call` counts a failed response; it must not look like an empty list.
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

/**
 * Waits until an organization has no unfinished jobs. Returns the seconds that it took, or null if some remain.
 */
export function waitUntilIdle(as, maxSeconds) {
  const asked = Date.now();
  while (Date.now() - asked < maxSeconds * 1000) {
    if (!hasJob(as, unfinished)) return (Date.now() - asked) / 1000;
    sleep(1);
  }
  return null;
}

/**
 * Writes the results into the file SUMMARY; without it, prints the outcome of each threshold.
 * k6 calls it at the end: https://grafana.com/docs/k6/latest/results-output/end-of-test/custom-summary/
 */
export function handleSummary(data) {
  if (__ENV.SUMMARY) return { [__ENV.SUMMARY]: JSON.stringify(data) };
  const lines = Object.entries(data.metrics).flatMap(([name, { thresholds = {}, values }]) =>
    Object.entries(thresholds).map(
      ([limit, { ok }]) => `${ok ? 'met   ' : 'MISSED'}  ${name}: ${limit}  ${JSON.stringify(values)}`,
    ),
  );
  return { stdout: `\n${lines.join('\n')}\n` };
}
