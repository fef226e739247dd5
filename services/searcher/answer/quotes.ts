import type { Marking } from '../present.ts';
import { sentencesOf } from './sentences.ts';
import type { Offered, Written } from './offered.ts';

/** Maximum sentences of an answer. */
const maxSentences = 3;
/** Approximate maximum length of a sentence in UTF-16 code units; a longer one is cut between words. */
const maxSentenceLength = 320;
/** Factor on the weight of a query word that the answer already contains. */
const repeatedTermFactor = 0.5;
/** Bonus of a passage's first sentence; decides among passages that were found by meaning alone. */
const firstSentenceBonus = 0.15;
/** Minimum gain of a further sentence, as a share of the first one's. */
const minShare = 0.4;
/** Minimum words of a statement; shorter sentences are mostly headings. */
const minWords = 5;
/** Factor for headings and questions, which rarely answer. */
const nonStatementFactor = 0.5;

interface Quotable {
  of: Offered;
  /** Index among the sentences of its passage. */
  index: number;
  text: string;
  /** Equal for equal sentences, regardless of punctuation and letter case. */
  key: string;
  /** The query terms in the sentence. */
  terms: ReadonlySet<number>;
  /** Quality from the passage's relevance and the sentence's form, 0 to 1. */
  quality: number;
}

/** Formats a sentence for quotation: on one line, of limited length, and without text that looks like a citation. */
function quotedText(sentence: string, firstMark: number): string {
  let text = sentence;
  if (text.length > maxSentenceLength) {
    const from =
      firstMark > maxSentenceLength / 2 ? Math.max(0, text.lastIndexOf(' ', firstMark - maxSentenceLength / 4)) : 0;
    const until = from + maxSentenceLength;
    const space = until < text.length ? text.lastIndexOf(' ', until) : text.length;
    const end = space > from + maxSentenceLength / 2 ? space : Math.min(until, text.length);
    text = `${from > 0 ? '…' : ''}${text.slice(from, end).trim()}${end < text.length ? '…' : ''}`.toWellFormed();
  }
  return text
    .replace(/\s+/gu, ' ')
    .replace(/[[【［]\s*(\^?[\d\s,;–-]+)[^\]】］]{0,20}[\]】］]/gu, '($1)')
    .trim();
}

function quotables(offered: Offered, marking: Marking): Quotable[] {
  const { passage, hit } = offered;
  const words = marking.wordsOf(passage);
  const marked = marking.marksOf(hit.candidate, passage, words);
  let [word, mark] = [0, 0];
  return sentencesOf(passage.text, passage.analysedAs).map(({ start, end }, index) => {
    const firstWord = word;
    while ((words[word]?.start ?? Infinity) < end) word += 1;
    const stems = words
      .slice(firstWord, word)
      .map(({ stem }) => stem)
      .join(' ');
    const terms = new Set<number>();
    let firstMark = -1;
    for (let next = marked[mark]; next !== undefined && next.start < end; next = marked[++mark]) {
      if (firstMark < 0) firstMark = Math.max(0, next.start - start);
      terms.add(next.term);
    }
    const sentence = passage.text.slice(start, end);
    const isNonStatement = /[?？؟]["”»)]*$/u.test(sentence) || word - firstWord < minWords;
    const text = quotedText(sentence, firstMark);
    return {
      of: offered,
      index,
      text,
      key: stems === '' ? text.toLowerCase() : stems,
      terms,
      quality: hit.relevance * (isNonStatement ? nonStatementFactor : 1),
    };
  });
}

function repeats(one: Quotable, others: readonly Quotable[]): boolean {
  return others.some(({ key }) => ` ${key} `.includes(` ${one.key} `) || ` ${one.key} `.includes(` ${key} `));
}

/**
 * Composes an answer from sentences of the passages. Greedily selects the sentence with the largest gain, from the
 * weight of its query words and its passage's relevance. The selected sentences are in the order of their passages,
 * each followed by its passage's number. A sentence is quoted once, even if several files contain it.
 */
export function quotesOf(offered: readonly Offered[], marking: Marking): Written {
  const all = offered.flatMap((each) => quotables(each, marking)).filter(({ text }) => /[\p{L}\p{N}]/u.test(text));
  const weightOf = (term: number): number => marking.weights[term] ?? 0;
  const total = Math.max(
    Number.EPSILON,
    marking.weights.reduce((sum, weight) => sum + weight, 0),
  );
  const chosen: Quotable[] = [];
  const covered = new Set<number>();
  const gainOf = ({ terms, quality, index }: Quotable): number => {
    let weight = 0;
    for (const term of terms) weight += weightOf(term) * (covered.has(term) ? repeatedTermFactor : 1);
    return quality * (weight / total + firstSentenceBonus / (1 + index));
  };
  let firstGain = 0;
  while (chosen.length < maxSentences) {
    let best: { sentence: Quotable; gain: number } | null = null;
    for (const sentence of all) {
      const gain = gainOf(sentence);
      if (gain > (best?.gain ?? 0) && !repeats(sentence, chosen)) best = { sentence, gain };
    }
    if (best === null || best.gain < firstGain * minShare) break;
    if (chosen.length === 0) firstGain = best.gain;
    chosen.push(best.sentence);
    for (const term of best.sentence.terms) covered.add(term);
  }
  chosen.sort((one, other) => one.of.number - other.of.number || one.index - other.index);
  return {
    text: chosen.map(({ text, of }) => `${text} [${of.number}]`).join(' '),
    cited: new Set(chosen.map(({ of }) => of.number)),
  };
}
