import { createHash } from 'node:crypto';
import { request } from 'node:http';

/** One request to an edge, as its client saw it. */
export interface Delivered {
  /** Unique; it is the query of the request, so that the request can be found among the counted ones. */
  mark: string;
  bucketId: string;
  /** 0 where no head arrived. */
  status: number;
  bytes: number;
  sha256: string;
  /** Whether the response arrived whole. */
  isWhole: boolean;
  /** Date.now() before the request, and after the response or the failure. */
  startedAt: number;
  endedAt: number;
}

/** Milliseconds without a byte after which a client gives up. */
const idleMs = 15_000;

/** Downloads a file from an edge; what fails is an outcome too. @param rate bytes a second that the client takes; null: all */
export function download(
  port: number,
  { hostname, bucketId, key }: { hostname: string; bucketId: string; key: string },
  mark: string,
  rate: number | null = null,
): Promise<Delivered> {
  const startedAt = Date.now();
  const hash = createHash('sha256');
  let [status, bytes] = [0, 0];
  return new Promise((resolve) => {
    const end = (isWhole: boolean): void =>
      resolve({ mark, bucketId, status, bytes, sha256: hash.digest('hex'), isWhole, startedAt, endedAt: Date.now() });
    const path = `/${key.split('/').map(encodeURIComponent).join('/')}?${mark}`;
    const asked = request({ host: '127.0.0.1', port, path, headers: { Host: hostname }, agent: false }, (response) => {
      status = response.statusCode ?? 0;
      response.on('data', (chunk: Buffer) => {
        hash.update(chunk);
        bytes += chunk.length;
        if (rate === null) return;
        response.pause();
        setTimeout(() => response.resume(), (chunk.length / rate) * 1000);
      });
      response.once('close', () => end(response.complete));
    });
    asked.setTimeout(idleMs, () => asked.destroy());
    asked.once('error', () => {
      if (status === 0) end(false);
    });
    asked.end();
  });
}

/** A counted response: the row of a batch of traffic. */
export interface Counted {
  bucketId: string;
  mark: string;
  status: number;
  bytes: number;
}

/** What is wrong with the counting of traffic; each number must be 0, and `counted` greater. */
export interface TrafficVerdict {
  counted: number;
  countedTwice: number;
  /** Responses that were over long before a kill of their edge, and are not counted. */
  lost: number;
  /** Responses whose counted bytes are not those that the client got. */
  wrongBytes: number;
  /** Counted responses that no client asked for. */
  unknown: number;
}

/** A response that ended this long before a kill of its edge is on disk, in milliseconds; 20 on an idle machine. */
const certainMs = 1500;

/**
 * Compares what clients got with what was counted, response by response.
 * @param kills Date.now() of each kill of an edge
 */
export function compareTraffic(
  delivered: readonly Delivered[],
  counted: readonly Counted[],
  kills: readonly number[],
): TrafficVerdict {
  const verdict: TrafficVerdict = { counted: counted.length, countedTwice: 0, lost: 0, wrongBytes: 0, unknown: 0 };
  const byMark = new Map<string, Counted>();
  for (const row of counted) {
    if (byMark.has(row.mark)) verdict.countedTwice++;
    byMark.set(row.mark, row);
  }
  for (const { mark, bucketId, bytes, status, isWhole, endedAt } of delivered) {
    const row = byMark.get(mark);
    byMark.delete(mark);
    if (row === undefined) {
      const isCertain = isWhole && !kills.some((at) => at >= endedAt - certainMs && at - endedAt < certainMs);
      if (isCertain) verdict.lost++;
    } else if (isWhole && (row.bytes !== bytes || row.status !== status || row.bucketId !== bucketId))
      verdict.wrongBytes++;
    // The connection may have taken more than the client read before it ended.
    else if (row.bytes < bytes) verdict.wrongBytes++;
  }
  verdict.unknown = byMark.size;
  return verdict;
}
