import { setTimeout as sleep } from 'node:timers/promises';
import { partsOfStem } from '../../../models/analyser/spelling.ts';
import { claimLease, underLease, type Lease, type LeaseFields } from '../../../models/lease.ts';
import type { OrganizationScope } from '../../../models/scope.ts';
import type { Filter } from '../../records/port.ts';
import { countWords, noWords } from '../word-counts.ts';
import type { WordCounts } from '../word-counts.ts';
import { organizationDocument, revisionDocument, stemDocument } from './ledger.ts';
import type { IndexedRevision, Ledger, StemCount } from './ledger.ts';

/** Number of stem counts that are changed between two checkpoints. */
const portion = 64;
/** Maximum documents that are changed concurrently. */
const maxConcurrent = 8;
/** Each checkpoint renews the lease. */
const leaseMs = 10_000;
const pollMs = 100;

/** Stores the counting lease in a revision's document. */
const countingLease: LeaseFields<IndexedRevision> = {
  token: 'countingToken',
  read: ({ countingToken, countingUntil }) => ({ token: countingToken ?? null, until: countingUntil }),
  write: ({ token, until }) => ({ countingToken: token, countingUntil: until }),
};

/** The part of a passage that is counted. */
export interface Counted {
  stems: string;
  length: number;
  analysedAs: string;
}

/**
 * Changes the statistics until they include exactly the revision's rows below `target`. After each portion of stems a
 * checkpoint is written to the revision's document; a worker that takes over continues from it, so that a crash counts
 * at most one portion twice. One worker counts a revision at a time.
 */
export async function countTo(
  ledger: Ledger,
  scope: OrganizationScope,
  revision: { assetId: string; revision: number },
  target: number,
  read: (from: number, to: number) => AsyncIterable<Counted>,
): Promise<void> {
  const documents = ledger.revisions(scope);
  const _id = revisionDocument(scope, revision.assetId, revision.revision);
  for (;;) {
    const known = await documents.get(_id);
    if (known === null || (known.counted === target && known.countingUntil === 0)) return;
    const claim = claimLease(countingLease, known, { owner: '', now: ledger.time(), durationMs: leaseMs });
    if (claim === null) {
      await sleep(pollMs);
      continue;
    }
    const begin = known.countingUntil === 0 ? { countingTo: target, countingDone: 0 } : {};
    const leased = await documents.update(
      _id,
      { ...claim.filter, countingUntil: known.countingUntil, counted: known.counted },
      { set: { ...claim.set, ...begin } },
    );
    if (leased !== null) await countLeased(ledger, scope, leased, claim.lease, read);
  }
}

async function countLeased(
  ledger: Ledger,
  scope: OrganizationScope,
  leased: IndexedRevision,
  lease: Lease,
  read: (from: number, to: number) => AsyncIterable<Counted>,
): Promise<void> {
  const documents = ledger.revisions(scope);
  const { counted, countingTo } = leased;
  const counts = noWords();
  for await (const passage of read(Math.min(counted, countingTo), Math.max(counted, countingTo)))
    countWords(counts, passage, countingTo > counted ? 1 : -1);
  // A fixed order, so that the number of stems done identifies them.
  const changes = [...counts.stems].sort(([a], [b]) => (a < b ? -1 : 1));
  let { until } = lease;
  // Earlier versions take a lease over without a new token, so the expiry is a condition too.
  const filter = (): Filter => ({ ...underLease(countingLease, lease), countingUntil: until });
  for (let done = leased.countingDone; done < changes.length; done += portion) {
    await changeStems(ledger, scope, changes.slice(done, done + portion));
    const next = ledger.time() + leaseMs;
    const set = { countingDone: Math.min(done + portion, changes.length), countingUntil: next };
    if ((await documents.update(leased._id, filter(), { set })) === null) return;
    until = next;
  }
  const finished = await documents.update(leased._id, filter(), {
    set: { counted: countingTo, countingUntil: 0, countingDone: 0 },
    increment: { passages: counts.passages },
  });
  if (finished !== null) await changeOrganization(ledger, scope, counts);
}

/** Applies counts without a checkpoint, for rows of a published revision that are written again. */
export async function applyCounts(ledger: Ledger, scope: OrganizationScope, counts: WordCounts): Promise<void> {
  await changeStems(ledger, scope, [...counts.stems]);
  await changeOrganization(ledger, scope, counts);
}

async function changeOrganization(ledger: Ledger, scope: OrganizationScope, counts: WordCounts): Promise<void> {
  const languages = [...counts.languages]
    .filter(([, change]) => change !== 0)
    .map(([language, change]): [string, number] => [`languages.${language}`, change]);
  if (counts.passages === 0 && counts.words === 0 && languages.length === 0) return;
  await ledger
    .organizations(scope)
    .update(
      organizationDocument(scope),
      {},
      { increment: { passages: counts.passages, words: counts.words, ...Object.fromEntries<number>(languages) } },
    );
}

async function changeStems(
  ledger: Ledger,
  scope: OrganizationScope,
  changes: readonly (readonly [string, number])[],
): Promise<void> {
  const documents = ledger.stems(scope);
  const newCount = (stem: string, passages: number): StemCount => ({
    _id: stemDocument(scope, stem),
    organizationId: scope.organizationId,
    passages,
    stem,
    parts: partsOfStem(stem),
  });
  // Most stems of a long table are new: one request inserts a portion of them, while each stem alone takes three.
  const added = new Set<string>();
  for (let from = 0; from < changes.length; from += portion) {
    const grown = changes.slice(from, from + portion).filter(([, change]) => change > 0);
    if (grown.length > 0)
      for (const _id of await documents.insertNew(grown.map(([stem, change]) => newCount(stem, change))))
        added.add(_id);
  }
  const remaining = changes.filter(([stem, change]) => change !== 0 && !added.has(stemDocument(scope, stem)));
  async function work(): Promise<void> {
    for (let next = remaining.pop(); next !== undefined; next = remaining.pop()) {
      const [stem, change] = next;
      const _id = stemDocument(scope, stem);
      const increment = { passages: change };
      let now = await documents.update(_id, {}, { increment });
      if (now === null && change > 0) {
        await documents.insertNew([newCount(stem, 0)]);
        now = await documents.update(_id, {}, { increment });
      }
      if (now !== null && now.passages <= 0) await documents.remove(_id, { passages: { $lte: 0 } });
    }
  }
  await Promise.all(Array.from({ length: maxConcurrent }, work));
}
