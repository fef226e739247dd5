import type { Marking } from '../present.ts';
import { sentencesOf } from './sentences.ts';
import type { Offered, Written } from './offered.ts';

/** Sentences of an answer. */
const mostSentences = 3;
/** UTF-16 code units of one sentence, about; a longer one is cut at words. */
const longestSentence = 320;
/** What a query word counts that the answer holds already. */
const heldAlready = 0.5;
/** What standing first in its passage counts: what is found by meaning alone has no other hold. */
const firstPlace = 0.15;
/** A further sentence gains at least this share of what the first did. */
const leastShare = 0.4;
/** Words of a sentence that says something; shorter ones are mostly headings. */
const fewWords = 5;
/** What headings and questions count: they seldom answer. */
const hardlyAnswers = 0.5;

interface Quotable {
  of: Offered;
  /** Place among the sentences of its passage. */
  place: number;
  text: string;
  /** The same sentence has the same key, whatever its signs and letter case. */
  key: string;
  /** Query terms that it holds, each once. */
  terms: ReadonlySet<number>;
  /** What its passage's grade and its own form make of it, 0 to 1. */
  worth: number;
}

/** A sentence as it is quoted: on one line, not too long, and without anything that looks like a citation. */
function quotedText(sentence: string, firstMark: number): string {
  let text = sentence;
  if (text.length > longestSentence) {
    const from = firstMark > longestSentence / 2 ? Math.max(0, text.lastIndexOf(' ', firstMark - longestSentence / 4)) : 0;
    const until = from + longestSentence;
    const space = until < text.length ? text.lastIndexOf(' ', until) : text.length;
    const end = space > from + longestSentence / 2 ? space : Math.min(until, text.length);
    text = `${from > 0 ? '…' : ''}${text.slice(from, end).trim()}${end < text.length ? '…' : ''}`.toWellFormed();
  }
  return text.replace(/\s+/gu, ' ').replace(/[[【［]\s*(\^?[\d\s,;–-]+)[^\]】］]{0,20}[\]】］]/gu, '($1)').trim();
}

function quotables(offered: Offered, marking: Marking): Quotable[] {
  const { passage, hit } = offered;
  const words = marking.wordsOf(passage);
  const marked = marking.marksOf(hit.candidate, passage, words);
  let [word, mark] = [0, 0];
  return sentencesOf(passage.text, passage.analysedAs).map(({ start, end }, place) => {
    const firstWord = word;
    while (words.startOf(word) < end) word += 1;
    const stems = words.stemsOf(firstWord, word);
    const terms = new Set<number>();
    let firstMark = -1;
    for (let next = marked[mark]; next !== undefined && next.start < end; next = marked[++mark]) {
      if (firstMark < 0) firstMark = Math.max(0, next.start - start);
      terms.add(next.term);
    }
    const sentence = passage.text.slice(start, end);
    const saysLittle = /[?？؟]["”»)]*$/u.test(sentence) || word - firstWord < fewWords;
    const text = quotedText(sentence, firstMark);
    return { of: offered, place, text, key: stems === '' ? text.toLowerCase() : stems, terms, worth: hit.relevance * (saysLittle ? hardlyAnswers : 1) };
  });
}

function repeats(one: Quotable, others: readonly Quotable[]): boolean {
  return others.some(({ key }) => ` ${key} `.includes(` ${one.key} `) || ` ${one.key} `.includes(` ${key} `));
}

/**
 * Writes an answer of sentences of the passages: one after the other the sentence that adds most, by the weight of the
 * query words that it holds and its passage's grade; then in the order of the passages, each followed by the number of
 * its own. No sentence stands there twice, also where several files hold it.
 */
export function quotesOf(offered: readonly Offered[], marking: Marking): Written {
  const all = offered.flatMap((each) => quotables(each, marking)).filter(({ text }) => /[\p{L}\p{N}]/u.test(text));
  const weightOf = (term: number): number => marking.weights[term] ?? 0;
  const total = Math.max(Number.EPSILON, marking.weights.reduce((sum, weight) => sum + weight, 0));
  const chosen: Quotable[] = [];
  const held = new Set<number>();
  const gainOf = ({ terms, worth, place }: Quotable): number => {
    let weight = 0;
    for (const term of terms) weight += weightOf(term) * (held.has(term) ? heldAlready : 1);
    return worth * (weight / total + firstPlace / (1 + place));
  };
  let firstGain = 0;
  while (chosen.length < mostSentences) {
    let best: { sentence: Quotable; gain: number } | null = null;
    for (const sentence of all) {
      const gain = gainOf(sentence);
      if (gain > (best?.gain ?? 0) && !repeats(sentence, chosen)) best = { sentence, gain };
    }
    if (best === null || best.gain < firstGain * leastShare) break;
    if (chosen.length === 0) firstGain = best.gain;
    chosen.push(best.sentence);
    for (const term of best.sentence.terms) held.add(term);
  }
  chosen.sort((one, other) => one.of.number - other.of.number || one.place - other.place);
  return { text: chosen.map(({ text, of }) => `${text} [${of.number}]`).join(' '), cited: new Set(chosen.map(({ of }) => of.number)) };
}
