import { setTimeout as sleep } from 'node:timers/promises';
import { partsOfStem } from '../../../models/analyser/spelling.ts';
import type { OrganizationScope } from '../../../models/scope.ts';
import { countWords, noWords } from '../wording.ts';
import type { WordCounts } from '../wording.ts';
import { organizationDocument, revisionDocument, stemDocument } from './ledger.ts';
import type { IndexedRevision, Ledger, StemCount } from './ledger.ts';

/** Stems whose counts are changed before that is noted. */
const portion = 64;
/** Documents that are changed at once. */
const atOnce = 8;
/** How long a worker holds a revision's counting without a word, in milliseconds. */
const holdFor = 10_000;
const waitFor = 100;

/** A passage as it is counted. */
export interface Counted {
  stems: string;
  length: number;
  analysedAs: string;
}

/**
 * Brings the statistics to hold exactly the revision's rows below `target`. The way is noted in the revision's
 * document after each portion of stems, so that a worker that takes over goes on from there: what a crash can count
 * twice is one portion. One worker counts a revision at a time.
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
    const now = ledger.time();
    const resumed = known.countingUntil !== 0;
    if (resumed && known.countingUntil > now) {
      await sleep(waitFor);
      continue;
    }
    const claim = { countingUntil: now + holdFor, ...(resumed ? {} : { countingTo: target, countingDone: 0 }) };
    const held = await documents.update(_id, { countingUntil: known.countingUntil, counted: known.counted }, { set: claim });
    if (held !== null) await carryOut(ledger, scope, held, read);
  }
}

async function carryOut(ledger: Ledger, scope: OrganizationScope, held: IndexedRevision, read: (from: number, to: number) => AsyncIterable<Counted>): Promise<void> {
  const documents = ledger.revisions(scope);
  const { counted, countingTo } = held;
  const counts = noWords();
  for await (const passage of read(Math.min(counted, countingTo), Math.max(counted, countingTo))) countWords(counts, passage, countingTo > counted ? 1 : -1);
  // A fixed order, so that the number of stems that are done says which.
  const changes = [...counts.stems].sort(([a], [b]) => (a < b ? -1 : 1));
  let until = held.countingUntil;
  for (let done = held.countingDone; done < changes.length; done += portion) {
    await changeStems(ledger, scope, changes.slice(done, done + portion));
    const next = ledger.time() + holdFor;
    const noted = await documents.update(held._id, { countingUntil: until }, { set: { countingDone: Math.min(done + portion, changes.length), countingUntil: next } });
    if (noted === null) return;
    until = next;
  }
  const over = await documents.update(held._id, { countingUntil: until }, { set: { counted: countingTo, countingUntil: 0, countingDone: 0 }, increment: { passages: counts.passages } });
  if (over !== null) await changeOrganization(ledger, scope, counts);
}

/** Applies counts that stand for themselves: rows of a published revision that were written once more. */
export async function applyCounts(ledger: Ledger, scope: OrganizationScope, counts: WordCounts): Promise<void> {
  await changeStems(ledger, scope, [...counts.stems]);
  await changeOrganization(ledger, scope, counts);
}

async function changeOrganization(ledger: Ledger, scope: OrganizationScope, counts: WordCounts): Promise<void> {
  const languages = [...counts.languages].filter(([, change]) => change !== 0).map(([language, change]): [string, number] => [`languages.${language}`, change]);
  if (counts.passages === 0 && counts.words === 0 && languages.length === 0) return;
  await ledger.organizations(scope).update(organizationDocument(scope), {}, { increment: { passages: counts.passages, words: counts.words, ...Object.fromEntries<number>(languages) } });
}

async function changeStems(ledger: Ledger, scope: OrganizationScope, changes: readonly (readonly [string, number])[]): Promise<void> {
  const documents = ledger.stems(scope);
  const made = (stem: string, passages: number): StemCount => ({ _id: stemDocument(scope, stem), organizationId: scope.organizationId, passages, stem, parts: partsOfStem(stem) });
  // Of a long table most stems are new: one request adds a portion of them, where each by itself takes three.
  const added = new Set<string>();
  for (let from = 0; from < changes.length; from += portion) {
    const grown = changes.slice(from, from + portion).filter(([, change]) => change > 0);
    if (grown.length > 0) for (const _id of await documents.insertNew(grown.map(([stem, change]) => made(stem, change)))) added.add(_id);
  }
  const waiting = changes.filter(([stem, change]) => change !== 0 && !added.has(stemDocument(scope, stem)));
  async function work(): Promise<void> {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const [stem, change] = next;
      const _id = stemDocument(scope, stem);
      const increment = { passages: change };
      let now = await documents.update(_id, {}, { increment });
      if (now === null && change > 0) {
        await documents.insertNew([made(stem, 0)]);
        now = await documents.update(_id, {}, { increment });
      }
      if (now !== null && now.passages <= 0) await documents.remove(_id, { passages: { $lte: 0 } });
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work));
}
