import { setTimeout as pause } from 'node:timers/promises';
import { ApiClient } from '../chaos/client.ts';
import type { Installation } from './installation.ts';

const path = '/api/content/v1';
/** Words of a file, which has nine passages. */
const wordsPerFile = 2000;
const passagesPerFile = 9;
const perImport = 50;
const unfinished = ['queued', 'extracting', 'embedding', 'retry_scheduled'];
const departments = ['sales', 'research', 'support'];

/** How an installation was filled. */
export interface Filled {
  files: number;
  /** Seconds from the first registration until the last file was ready. */
  seconds: number;
}

/**
 * A generated file of the library. Every tenth is for staff only, and its metadata says so, to check that no visitor
 * finds it.
 */
function registration(sourceUrl: string, index: number): object {
  const filename = `library-${index}.txt`;
  const isForStaff = index % 10 === 0;
  return {
    externalId: filename,
    filename,
    sourceUrl: `${sourceUrl}/text/${wordsPerFile}/${filename}`,
    sourceVersion: `"${wordsPerFile}-${filename}"`,
    kind: 'document',
    language: 'en',
    metadata: {
      department: departments[index % departments.length] ?? '',
      audience: isForStaff ? 'staff' : 'everybody',
    },
    ...(isForStaff ? { principals: ['staff'] } : {}),
  };
}

async function countOf(client: ApiClient, query: string): Promise<number> {
  const { status, body } = await client.askUntilAnswered('GET', `${path}/activity?limit=1&${query}`);
  if (status !== 200 || !Array.isArray(body['items']))
    throw new Error(`GET /activity was answered ${status}: ${JSON.stringify(body)}`);
  return body['items'].length;
}

/** Waits until an organization has no unfinished jobs. @throws after an hour */
export async function waitUntilIdle(client: ApiClient, signal: AbortSignal): Promise<void> {
  const deadline = Date.now() + 3_600_000;
  for (const state of unfinished) {
    while ((await countOf(client, `state=${state}`)) > 0) {
      if (Date.now() > deadline) throw new Error('files are not ready after an hour');
      await pause(500, undefined, { signal });
    }
  }
  // A job moves from state to state: one that was missed above is found here.
  for (const state of unfinished)
    if ((await countOf(client, `state=${state}`)) > 0) return waitUntilIdle(client, signal);
}

/**
 * Registers files with about the given number of passages, in imports, and waits until all are ready. @throws if a file
 * is refused or fails
 */
export async function fill(
  installation: Installation,
  sourceUrl: string,
  passages: number,
  signal: AbortSignal,
): Promise<Filled> {
  const client = new ApiClient(installation.url, installation.organizationId, installation.key);
  const files = Math.ceil(passages / passagesPerFile);
  const began = performance.now();
  for (let first = 0; first < files; first += perImport) {
    const assets = Array.from({ length: Math.min(perImport, files - first) }, (_, index) =>
      registration(sourceUrl, first + index),
    );
    const { status, body } = await client.askUntilAnswered('POST', `${path}/imports`, { assets });
    const results: unknown[] = Array.isArray(body['results']) ? body['results'] : [];
    const refused = results.find(
      (item) => typeof item === 'object' && item !== null && !('jobId' in item && typeof item.jobId === 'string'),
    );
    if (status !== 202 || refused !== undefined)
      throw new Error(`a file of the library was refused (${status}): ${JSON.stringify(refused ?? body)}`);
    signal.throwIfAborted();
  }
  await waitUntilIdle(client, signal);
  const seconds = (performance.now() - began) / 1000;
  if ((await countOf(client, 'state=failed')) > 0)
    throw new Error('a file of the library failed; see the log of the program');
  return { files, seconds };
}
