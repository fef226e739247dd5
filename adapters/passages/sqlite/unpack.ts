import type { Candidate, Retrieval, RetrievalResult } from '../port.ts';
import { packedWidth, type PackedRetrieval } from './messages.ts';

const noPositions: readonly number[] = [];

/** The positions of a candidate; each is counted for its term. */
function takePositions(positions: Int32Array, from: number, count: number, frequencies: number[]): number[] {
  const own: number[] = [];
  for (let at = from; at < from + count; at += 2) {
    const term = positions[at + 1] ?? 0;
    own.push(positions[at] ?? 0, term);
    frequencies[term] = (frequencies[term] ?? 0) + 1;
  }
  return own;
}

/** The forms of a candidate's terms. */
function takeForms(
  pairs: Int32Array,
  texts: readonly (readonly string[])[],
  from: number,
  count: number,
  terms: number,
): (readonly string[])[] {
  const own = Array<readonly string[]>(terms).fill([]);
  for (let at = from; at < from + count; at += 2) own[pairs[at] ?? 0] = texts[pairs[at + 1] ?? 0] ?? [];
  return own;
}

/** The result of a retrieval as the port has it. */
export function unpack(answer: PackedRetrieval, { terms, vectors }: Retrieval): RetrievalResult {
  const { numbers, positions, assetIds, languages, passages, averageLength, documentFrequencies, formsOfTerms } =
    answer;
  const texts = answer.forms.split('\n').map((text) => text.split(' '));
  const candidates: Candidate[] = [];
  const none = Array<number>(terms.length).fill(0);
  let [taken, takenForms] = [0, 0];
  for (let at = 0; at < numbers.length; at += packedWidth) {
    const numberAt = (index: number): number => numbers[at + index] ?? 0;
    const cosine = numberAt(4);
    // Many candidates match only by vector and contain none of the words.
    const isMet = numberAt(7) > 0;
    const frequencies = isMet ? none.slice() : none;
    const own = isMet ? takePositions(positions, taken, numberAt(7), frequencies) : noPositions;
    taken += own.length;
    const formCount = numberAt(9);
    const forms = formCount === 0 ? null : takeForms(formsOfTerms, texts, takenForms, formCount, terms.length);
    takenForms += formCount;
    candidates.push({
      assetId: assetIds[numberAt(5)] ?? '',
      revision: numberAt(0),
      ordinal: numberAt(1),
      attributesVersion: numberAt(2),
      frequencies,
      positions: own,
      forms,
      length: numberAt(3),
      cosine: Number.isNaN(cosine) ? null : cosine,
      model: Number.isNaN(cosine) ? null : (vectors[numberAt(8)]?.model ?? null),
      analysedAs: languages[numberAt(6)] ?? '',
      ...(numberAt(10) === 1 ? { isContents: true } : {}),
    });
  }
  return { candidates, statistics: { passages, averageLength, documentFrequencies } };
}
