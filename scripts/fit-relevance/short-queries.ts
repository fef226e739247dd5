import { analyse, analyseQuery, isCommon } from '../../models/analyser/analyser.ts';
import type { LabelledCollection } from './collection.ts';

/** Queries made for each collection and number of words. */
const each = 60;

/** A repeatable source of chance (mulberry32), so that a fit gives the same numbers again. */
function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Short queries of one to three consecutive words of a passage: what people type to find what they know is there.
 * Labelled collections have long questions only; without these a single rare word would be graded like a question of
 * which next to nothing was found. What holds all the words answers such a query.
 */
export function shortQueriesOf(collection: LabelledCollection, seed: number): string[] {
  const random = chance(seed);
  const texts = collection.documents.flatMap((document) => document.passages);
  const queries = new Set<string>();
  for (const count of [1, 2, 3]) {
    const wanted = queries.size + each;
    for (let attempt = 0; queries.size < wanted && attempt < each * 100; attempt += 1) {
      const text = texts[Math.floor(random() * texts.length)] ?? '';
      const words = analyse(text, 'en')
        .map((word) => text.slice(word.start, word.end).toLowerCase())
        .filter((word) => /^[a-z]{3,}$/.test(word) && !isCommon(word, 'en'));
      const start = Math.floor(random() * Math.max(1, words.length - count + 1));
      const query = words.slice(start, start + count).join(' ');
      if (words.length >= count && analyseQuery(query, ['en']).filter((word) => !word.common).length === count)
        queries.add(query);
    }
  }
  return [...queries];
}
