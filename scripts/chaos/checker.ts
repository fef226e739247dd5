import { setTimeout as pause } from 'node:timers/promises';
import type { UsageEvent } from '../../models/usage-event.ts';
import type { ApiClient } from './client.ts';
import { piecesOfRecording } from './recordings.ts';
import type { AcceptedDocument } from './workload.ts';

/** What the checker counted. Everything but `documents`, `found` and `likeByMeaning` has to be 0. */
export interface Verdict {
  documents: number;
  found: number;
  notFound: number;
  foundTwice: number;
  /** Searches that showed a file of another organization. */
  foundByOthers: number;
  /** Searches for a word that the organization has not, which showed files of its own: they are like it by meaning. */
  likeByMeaning: number;
  assetsUnaccounted: number;
  /** Recordings whose transcript has not each piece's word once. */
  transcriptsWrong: number;
  usageLost: number;
  usageTwice: number;
  usageWrong: number;
}

const content = '/api/content/v1';

async function itemsFor(client: ApiClient, marker: string): Promise<{ assetId: string }[]> {
  const { status, body } = await client.insist('POST', `${content}/search`, { query: marker, limit: 20 });
  if (status !== 200 || !Array.isArray(body['items']))
    throw new Error(`a search was answered ${status} ${JSON.stringify(body)}`);
  return body['items'] as { assetId: string }[];
}

/**
 * Looks for every accepted document as its owner and as the others, by its own word, and counts the assets. Whoever
 * does not have the word may be shown files of its own that are like it by meaning, and never another's.
 */
export async function checkSearch(
  accepted: readonly AcceptedDocument[],
  clients: readonly ApiClient[],
): Promise<
  Pick<
    Verdict,
    'documents' | 'found' | 'notFound' | 'foundTwice' | 'foundByOthers' | 'likeByMeaning' | 'assetsUnaccounted'
  >
> {
  const verdict = {
    documents: accepted.length,
    found: 0,
    notFound: 0,
    foundTwice: 0,
    foundByOthers: 0,
    likeByMeaning: 0,
    assetsUnaccounted: 0,
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
      else if (items.length > 0) verdict.likeByMeaning++;
    }
    if (own.some((item) => ownerOf.get(item.assetId) !== owner)) verdict.foundByOthers++;
  }
  for (const client of clients) {
    const { body } = await client.insist('GET', `${content}/assets?limit=1`);
    verdict.assetsUnaccounted += Math.abs(
      Number(body['total']) - accepted.filter((item) => item.owner === client).length,
    );
  }
  return verdict;
}

/** Holds the transcript of every recording against what was said in it: its word, once in each of its pieces. */
export async function checkTranscripts(
  accepted: readonly AcceptedDocument[],
): Promise<Pick<Verdict, 'transcriptsWrong'>> {
  let transcriptsWrong = 0;
  for (const { document, owner, assetId } of accepted) {
    if (document.kind !== 'audio') continue;
    const { body } = await owner.insist('GET', `${content}/assets/${assetId}/transcript`);
    const said = JSON.stringify(
      Array.isArray(body['segments']) ? (body['segments'] as { text: string }[]).map(({ text }) => text) : [],
    );
    if (said.split(document.marker).length - 1 !== piecesOfRecording) transcriptsWrong++;
  }
  return { transcriptsWrong };
}

/** Holds the ledger against what was accepted: one read and one charge for each document, of its exact size. */
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
      document.charge,
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
 * What a run owes at its end is told by its worker at once, else by the sweeper within seconds, or half a minute after
 * a ledger that was away: what is not told after twice that is lost.
 */
const tellingMs = 60_000;

/**
 * Waits until nothing is owed to the ledger any more, for as long as the telling may take; what is missing then,
 * `checkUsage` counts.
 */
export async function awaitLedger(isTold: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + tellingMs;
  while (!(await isTold()) && Date.now() < deadline) await pause(250);
}

/** What has to be 0. */
const faults = [
  'notFound',
  'foundTwice',
  'foundByOthers',
  'assetsUnaccounted',
  'transcriptsWrong',
  'usageLost',
  'usageTwice',
  'usageWrong',
] as const satisfies readonly (keyof Verdict)[];

/** Whether nothing was lost, doubled or leaked. */
export function isClean(verdict: Verdict): boolean {
  return verdict.found === verdict.documents && faults.every((fault) => verdict[fault] === 0);
}
