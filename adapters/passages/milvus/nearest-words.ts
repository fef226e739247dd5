import type { Passages } from '../port.ts';
import { lookupOf, maxPrefix, maxExamined, nearest } from '../similar-words.ts';
import { stemDocument } from './ledger.ts';
import type { Ledger } from './ledger.ts';

/** Finds similar words in the stem counts, by an index of their parts. */
export function wordsOf(ledger: Ledger): Pick<Passages, 'nearestWords'> {
  return {
    nearestWords: (scope, questions) =>
      Promise.all(
        questions.map(async (question) => {
          const { parts, stems, ranges } = lookupOf(question);
          const words = ledger.stems(scope);
          const rows = await Promise.all([
            parts.length === 0 ? [] : words.find({ filter: { parts: { $hasAny: parts } }, limit: maxExamined }),
            stems.length === 0 ? [] : words.getMany(stems.map((stem) => stemDocument(scope, stem))),
            ...ranges.map(([after, before]) =>
              words.find({ filter: { stem: { $gt: after, $lt: before } }, limit: maxPrefix }),
            ),
          ]);
          return nearest(question, rows.flat());
        }),
      ),
  };
}
