import type { ServedRow } from '../../models/traffic.ts';

/** The responses of one bucket in a batch, and the hours of which the edge lost some. */
export interface BucketRows {
  bucketId: string;
  rows: ServedRow[];
  missingHours: number[];
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function rowOf(fields: readonly unknown[]): ServedRow | null {
  const [at, status, bytes, country, cache, key, query, isLinkValid] = fields;
  if (!isCount(at) || !isCount(status) || !isCount(bytes)) return null;
  if (country !== null && typeof country !== 'string') return null;
  if (typeof key !== 'string' || typeof query !== 'string') return null;
  return [
    at,
    status,
    bytes,
    country,
    cache === 'h' || cache === 'm' ? cache : null,
    key.toWellFormed(),
    query.toWellFormed(),
    isLinkValid === 1 ? 1 : 0,
  ];
}

/** The lines of a batch by bucket, in the order of their first lines. Lines of another form are left out. */
export function rowsByBucket(lines: string): BucketRows[] {
  const found = new Map<string, BucketRows>();
  for (const line of lines.split('\n')) {
    if (line === '') continue;
    const [, bucketId, ...rest] = fieldsOf(line);
    if (typeof bucketId !== 'string') continue;
    const ofBucket = found.get(bucketId) ?? { bucketId, rows: [], missingHours: [] };
    found.set(bucketId, ofBucket);
    const [hour] = rest;
    if (rest.length === 1 && isCount(hour)) ofBucket.missingHours.push(hour);
    const row = rowOf(rest);
    if (row !== null) ofBucket.rows.push(row);
  }
  return [...found.values()];
}

function fieldsOf(line: string): readonly unknown[] {
  try {
    const parsed: unknown = JSON.parse(line);
    return Array.isArray(parsed) ? parsed : [];
  } catch {
    return [];
  }
}
