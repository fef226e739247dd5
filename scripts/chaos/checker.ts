import { setTimeout as pause } from 'node:timers/promises';
import type { UsageEvent } from '../../models/usage-event.ts';
import type { UsageMetric } from '../../models/usage-metric.ts';
import type { ApiClient } from './client.ts';
import { chunksPerRecording } from './recordings.ts';
import type { AcceptedDocument } from './workload.ts';

/** The counts of the checker. All but `documents`, `found` and `foundByMeaning` must be 0. */
export interface Verdict {
  documents: number;
  found: number;
  notFound: number;
  foundTwice: number;
  /** Searches that returned a file of another organization. */
  foundByOthers: number;
  /** Searches for another organization's marker that returned own files, because they are similar in meaning. */
  foundByMeaning: number;
  assetCountDifference: number;
  /** Recordings whose transcript does not contain the marker once for each chunk. */
  wrongTranscripts: number;
  usageLost: number;
  usageTwice: number;
  usageWrong: number;
}

const content = '/api/content/v1';

async function itemsFor(client: ApiClient, marker: string): Promise<{ assetId: string }[]> {
  const { status, body } = await client.askUntilAnswered('POST', `${content}/search`, { query: marker, limit: 20 });
  if (status !== 200 || !Array.isArray(body['items']))
    throw new Error(`a search was answered ${status} ${JSON.stringify(body)}`);
  return body['items'] as { assetId: string }[];
}

/**
 * Searches for every accepted document by its marker, as its owner and as the other organizations, and counts the
 * assets. The others may find own files that are similar in meaning, but never a file of another organization.
 */
export async function checkSearch(
  accepted: readonly AcceptedDocument[],
  clients: readonly ApiClient[],
): Promise<
  Pick<
    Verdict,
    'documents' | 'found' | 'notFound' | 'foundTwice' | 'foundByOthers' | 'foundByMeaning' | 'assetCountDifference'
  >
> {
  const verdict = {
    documents: accepted.length,
    found: 0,
    notFound: 0,
    foundTwice: 0,
    foundByOthers: 0,
    foundByMeaning: 0,
    assetCountDifference: 0,
  };
  const ownerOf = new Map(accepted.map(({ assetId, owner }) => [assetId, owner]));
  for (const { document, owner, assetId } of accepted) {
    const own = await itemsFor(owner, document.marker);
    const hits = own.filter((item) => item.assetId === assetId).length;
    if (hits === 0) verdict.notFound++;
    else verdict.found++;
    if (hits > 1) verdict.foundTwice++;
    for (const other of clients) {
      if (other === owner) continue;
      const items = await itemsFor(other, document.marker);
      if (items.some((item) => ownerOf.get(item.assetId) !== other)) verdict.foundByOthers++;
      else if (items.length > 0) verdict.foundByMeaning++;
    }
    if (own.some((item) => ownerOf.get(item.assetId) !== owner)) verdict.foundByOthers++;
  }
  for (const client of clients) {
    const { body } = await client.askUntilAnswered('GET', `${content}/assets?limit=1`);
    verdict.assetCountDifference += Math.abs(
      Number(body['total']) - accepted.filter((item) => item.owner === client).length,
    );
  }
  return verdict;
}

/** Asks for an answer about each document. Returns for each whether one was written. */
export async function checkAnswers(accepted: readonly AcceptedDocument[]): Promise<boolean[]> {
  const written: boolean[] = [];
  for (const { document, owner } of accepted) {
    const { status, body } = await owner.askUntilAnswered('POST', `${content}/answer`, { query: document.marker });
    if (status !== 200) throw new Error(`an answer was refused with ${status} ${JSON.stringify(body)}`);
    written.push(body['answer'] !== null);
  }
  return written;
}

/** What is wrong with the number of events of a metric. */
export function faultsOfCount(events: readonly UsageEvent[], metric: UsageMetric, expected: number): string[] {
  const { length } = events.filter((event) => event.metric === metric);
  return length === expected ? [] : [`${length} ${metric} are charged instead of ${expected}`];
}

/** Checks that the transcript of every recording contains its marker once for each chunk. */
export async function checkTranscripts(
  accepted: readonly AcceptedDocument[],
): Promise<Pick<Verdict, 'wrongTranscripts'>> {
  let wrongTranscripts = 0;
  for (const { document, owner, assetId } of accepted) {
    if (document.kind === 'document') continue;
    const { body } = await owner.askUntilAnswered('GET', `${content}/assets/${assetId}/transcript`);
    const texts = JSON.stringify(
      Array.isArray(body['segments']) ? (body['segments'] as { text: string }[]).map(({ text }) => text) : [],
    );
    if (texts.split(document.marker).length - 1 !== chunksPerRecording) wrongTranscripts++;
  }
  return { wrongTranscripts };
}

/**
 * Checks the ledger: for each accepted document one event for the read, and one for each metric that it is counted in,
 * with its exact size.
 */
export function checkUsage(
  accepted: readonly AcceptedDocument[],
  events: readonly UsageEvent[],
): Pick<Verdict, 'usageLost' | 'usageTwice' | 'usageWrong'> {
  const verdict = { usageLost: 0, usageTwice: 0, usageWrong: 0 };
  const byAsset = new Map<string, UsageEvent[]>();
  for (const event of events)
    if (event.assetId !== null) byAsset.set(event.assetId, [...(byAsset.get(event.assetId) ?? []), event]);
  for (const { document, owner, assetId } of accepted) {
    const own = byAsset.get(assetId) ?? [];
    byAsset.delete(assetId);
    for (const { metric, quantity } of [
      { metric: 'source_bytes', quantity: document.content.byteLength },
      ...document.charges,
    ]) {
      const found = own.filter((event) => event.metric === metric);
      if (found.length === 0) verdict.usageLost++;
      if (found.length > 1) verdict.usageTwice++;
      if (found.some((event) => event.quantity !== quantity || event.organizationId !== owner.organizationId))
        verdict.usageWrong++;
    }
  }
  verdict.usageWrong += [...byAsset.values()].flat().length;
  return verdict;
}

/**
 * A worker reports usage at the end of its run, otherwise the sweeper does within seconds, or half a minute after an
 * outage of the ledger. This is twice that time: what is missing then counts as lost.
 */
const maxReportingMs = 60_000;

/** Waits until all usage is in the ledger, or the maximum time is over; `checkUsage` counts what is missing then. */
export async function awaitLedger(isComplete: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + maxReportingMs;
  while (!(await isComplete()) && Date.now() < deadline) await pause(250);
}

/** The counts that must be 0. */
const faults = [
  'notFound',
  'foundTwice',
  'foundByOthers',
  'assetCountDifference',
  'wrongTranscripts',
  'usageLost',
  'usageTwice',
  'usageWrong',
] as const satisfies readonly (keyof Verdict)[];

/** Whether nothing was lost, duplicated or leaked. */
export function isClean(verdict: Verdict): boolean {
  return verdict.found === verdict.documents && faults.every((fault) => verdict[fault] === 0);
}
