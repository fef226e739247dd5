import { anyOf, call, isShort, kindsBelow, readFile, statistics, withoutPause } from './common/ply.js';

export { handleSummary } from './common/ply.js';

const KiB = 1024;
/** Different links of one private file, as different readers have them. */
const signedLinks = isShort ? 20 : 200;
/** Bytes of a range, as players ask for them. */
const rangeSize = 64 * KiB;

/** What readers ask for, by name: each takes what `setup` returns, and reads one file. */
const reads = {
  'public-1k': (kind, { small }) => readFile(kind, small, { bytes: KiB }),
  'public-100k': (kind, { medium }) => readFile(kind, medium, { bytes: 100 * KiB }),
  signed: (kind, { signed }) => readFile(kind, anyOf(signed), { bytes: 100 * KiB }),
  range: (kind, { large }) => {
    const first = Math.floor(Math.random() * (1024 * KiB - rangeSize));
    const headers = { Range: `bytes=${first}-${first + rangeSize - 1}` };
    readFile(kind, large, { headers, status: 206, bytes: rangeSize });
  },
  unchanged: (kind, { medium, tag }) =>
    readFile(kind, medium, { headers: { 'If-None-Match': tag }, status: 304, bytes: 0 }),
  // A private file without its link. It must stay refused under load as well.
  refused: (kind, { signed }) => readFile(kind, anyOf(signed).replace(/\?.*$/, ''), { status: 403 }),
};

/**
 * Sixteen readers ask an edge for files of every kind, each as soon as the last is answered. Measures how many are
 * answered per second.
 */
export const options = {
  summaryTrendStats: statistics,
  scenarios: { readers: withoutPause },
  thresholds: {
    // A page waits for dozens of files, of which a browser asks for six at a time. The readers never pause, so this is
    // the worst case: even then a file must take a fraction of the second that people expect of a page. The bound is the
    // same for each way of reading: none of them may be slow.
    ...kindsBelow(100, reads),
    // Sixteen readers are no overload: nothing may fail. Answers with 206, 304 and 403 count as expected where they are
    // asked for.
    http_req_failed: ['rate==0'],
    // Every answer has the expected status and the bytes that were asked for, and no private file is delivered without
    // a link.
    checks: ['rate==1'],
  },
};

function addressOf(bucketId, key, ttlSeconds) {
  return call('sign', { body: { bucketId, key, ttlSeconds } }).json('url');
}

/** Makes the addresses of the files, and reads the tag of one for conditional requests. */
export function setup() {
  const [small, medium, large] = ['1k', '100k', '1m'].map((key) => addressOf(__ENV.PUBLIC_BUCKET_ID, key, 3600));
  const signed = Array.from({ length: signedLinks }, (_, index) =>
    addressOf(__ENV.PRIVATE_BUCKET_ID, '100k', 3600 + index),
  );
  const tag = readFile('first', medium, { bytes: 100 * KiB }).headers['Etag'];
  return { small, medium, large, signed, tag };
}

export default function (addresses) {
  const kind = anyOf(Object.keys(reads));
  reads[kind](kind, addresses);
}
