import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Passages } from '../../adapters/passages/port.ts';
import { analyse, analyseQuery, isCommon } from '../../models/analyser/analyser.ts';
import { confidenceOf, type RelevanceModel } from '../../models/relevance/relevance.ts';
import { scopeOf } from '../../models/scope.ts';
import { storedWords } from '../../models/passage-words.ts';
import { grader } from '../../services/searcher/grade.ts';
import { expandQuery } from '../../services/searcher/query-expansion.ts';
import { languagesOfQuery } from '../../models/analyser/query-languages.ts';
import { planQuery } from '../../services/searcher/query.ts';

/** Where the labelled collections may lie beside the project. */
export const usualFolder = join(import.meta.dirname, '../../../shared/data/ir');

/** A text of the library, or one that is kept out of it to take words from. */
interface Text {
  language: string;
  text: string;
}

/** A single-word query. */
export interface WordQuery {
  word: string;
  /** What is meant by a mistyped word; the word itself if absent. */
  meant?: string;
  language: string;
}

/** A library in several languages, and words for it. */
export interface MixedLibrary {
  texts: Text[];
  /** Words that no text of the library contains, by language. */
  absent: Map<string, WordQuery[]>;
  /** Absent words of which the library has another inflection, by language. */
  inflected: Map<string, WordQuery[]>;
  /** Words of the library with a letter left out, by language. */
  mistyped: Map<string, WordQuery[]>;
}

/** What a search for one word shows. */
export interface Shown {
  query: WordQuery;
  confidence: 'high' | 'moderate' | 'low' | null;
  /** Words of the best passage that matched, with the passage's language. */
  matched: string[];
  passageLanguage: string;
  /** Whether the matched words are of another meaning, as far as their letters tell. */
  isOther: boolean;
  /** The highest confidence of a passage with the word or its kin. */
  kin: Shown['confidence'];
}

const organization = scopeOf('6e3ad0c8-0000-4000-8000-000000000031');
/** The languages of the words. */
export const wordLanguages: readonly string[] = ['en', 'de', 'es', 'ru', 'ar'];
/** The share of a word that it has in common with one of the same root, and the least letters of it. */
const [kinShare, kinLetters] = [0.6, 3];
/** Letters of the endings of two inflections, at most. */
const maxEnding = 2;

/** Whether the folder has the collections. */
export function hasCollections(folder: string): boolean {
  return existsSync(join(folder, 'xquad-mix', 'corpus.jsonl'));
}

function textsOf(folder: string, collection: string): { id: string; text: string }[] {
  return readFileSync(join(folder, collection, 'corpus.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => {
      const { _id: id, text } = JSON.parse(line) as { _id: string; text: string };
      return { id, text };
    });
}

/** Every `step`th of the words from the first on, at most `count`. */
function spread<T>(all: readonly T[], count: number): T[] {
  return Array.from(
    { length: Math.min(count, all.length) },
    (_, index) => all[Math.floor((index * all.length) / Math.min(count, all.length))],
  ).flatMap((each) => (each === undefined ? [] : [each]));
}

/**
 * A library of about 2,900 passages in six languages. A third of the paragraphs is kept out of it; the absent words are
 * taken from them.
 */
export function mixedLibrary(folder: string, wordsPerLanguage: number): MixedLibrary {
  const texts: Text[] = [];
  const outside: Text[] = [];
  for (const { id, text } of textsOf(folder, 'xquad-mix'))
    (Number(id.slice(2)) % 3 === 0 ? outside : texts).push({ language: id.slice(0, 2), text });
  for (const [index, { text }] of textsOf(folder, 'nq-boolq').entries())
    if (index % 3 !== 0) continue;
    else (index % 9 === 0 ? outside : texts).push({ language: 'en', text });
  for (const { text } of textsOf(folder, 'medquad').slice(0, 400))
    texts.push({ language: 'en', text: text.slice(0, 1500) });
  for (const { text } of textsOf(folder, 'drcd-zh').slice(0, 300)) texts.push({ language: 'zh', text });
  const forms = new Set<string>();
  /** The forms of each stem, by language. */
  const stems = new Map<string, Map<string, Set<string>>>();
  for (const { text, language } of texts) {
    const own = stems.get(language) ?? new Map<string, Set<string>>();
    stems.set(language, own);
    for (const { form, stem } of analyse(text, language)) {
      forms.add(form);
      own.set(stem, (own.get(stem) ?? new Set<string>()).add(form));
    }
  }
  const library: MixedLibrary = { texts, absent: new Map(), inflected: new Map(), mistyped: new Map() };
  for (const language of wordLanguages) {
    const [own, absent, inflected] = [stems.get(language), new Set<string>(), new Set<string>()];
    for (const { text } of outside.filter((each) => each.language === language)) {
      for (const { start, end, form, stem } of analyse(text, language)) {
        const word = text.slice(start, end);
        if (!/^\p{Ll}{3,}$|^\p{Lo}{3,}$|^\p{Lu}\p{Ll}{2,}$/u.test(word) || forms.has(form) || isCommon(word, language))
          continue;
        absent.add(word);
        if ([...(own?.get(stem) ?? [])].some((other) => isInflectionOf(form, other))) inflected.add(word);
      }
    }
    const mistyped = [...(own?.values() ?? [])]
      .flatMap((each) => [...each])
      .filter((form) => /^\p{L}{7,}$/u.test(form))
      .sort()
      .map((meant) => ({ word: meant.slice(0, 3) + meant.slice(4), meant, language }))
      .filter(({ word }) => !forms.has(word));
    const queries = (words: Iterable<string>): WordQuery[] =>
      spread([...words].sort(), wordsPerLanguage).map((word) => ({ word, language }));
    library.absent.set(language, queries(absent));
    library.inflected.set(language, queries(inflected));
    library.mistyped.set(language, spread(mistyped, wordsPerLanguage));
  }
  return library;
}

/** Whether two words of one stem differ in a short ending alone. */
function isInflectionOf(one: string, other: string): boolean {
  return sharedLetters(one, other) >= Math.max(one.length, other.length) - maxEnding;
}

/** Indexes the texts, each as one passage of one open file, without vectors. */
export async function indexTexts(passages: Passages, texts: readonly Text[]): Promise<void> {
  for (const language of new Set(texts.map((each) => each.language))) {
    const rows = texts
      .filter((each) => each.language === language)
      .map(({ text }, ordinal) => {
        const words = analyse(text, language);
        return {
          ordinal,
          text,
          stems: storedWords(words),
          length: words.length,
          location: {},
          language: null,
          speaker: null,
          analysedAs: language,
          vector: null,
        };
      });
    const file = { assetId: `file-${language}`, revision: 1, embeddingModel: null };
    await passages.write(organization, file, rows);
    await passages.publish(organization, 1, rows.length, {
      assetId: file.assetId,
      attributesVersion: 1,
      aclMode: 'open',
      principals: [],
      kind: 'document',
      externalId: file.assetId,
      metadata: {},
      collections: [],
      createdAt: 1,
      present: true,
    });
  }
}

function sharedLetters(one: string, other: string): number {
  let same = 0;
  while (same < one.length && one[same] === other[same]) same += 1;
  return same;
}

function isKin(
  { word, meant = word, language }: WordQuery,
  matched: readonly string[],
  passageLanguage: string,
): boolean {
  if (passageLanguage !== language) return false;
  const [{ form, stem } = { form: meant, stem: meant }] = analyse(meant, language);
  return matched.some((other) => {
    if (language === 'ar' && analyse(other, language).some((each) => each.stem === stem)) return true;
    const shared = sharedLetters(form, other);
    return shared >= kinLetters && shared >= kinShare * Math.min(form.length, other.length);
  });
}

/** Searches for one word by words alone; the best passage shown. */
export async function searchWord(passages: Passages, model: RelevanceModel, query: WordQuery): Promise<Shown> {
  const languages = await passages.languages(organization);
  const plan = planQuery(
    analyseQuery(query.word, languages),
    languages.map((language) => analyse(query.word, language)),
    false,
  );
  const result = await expandQuery(
    passages,
    organization,
    plan,
    languages,
    languagesOfQuery(query.word, languages),
  ).retrieve({
    principals: null,
    filter: {},
    terms: plan.terms,
    vectors: [],
    limit: 200,
  });
  const gradeOf = grader(model, result, plan.occurrences);
  const graded = result.candidates
    .map((candidate) => ({ candidate, ...gradeOf(candidate) }))
    .sort((one, other) => other.evidence - one.evidence);
  const confidenceOfFirst = (found: (typeof graded)[number] | undefined): Shown['confidence'] =>
    found === undefined ? null : confidenceOf(model, found.relevance);
  const isAkin = ({ candidate }: (typeof graded)[number]): boolean =>
    isKin(query, matchedForms(candidate), candidate.analysedAs);
  const [best] = graded;
  const kin = confidenceOfFirst(graded.find(isAkin));
  const confidence = confidenceOfFirst(best);
  if (best === undefined || confidence === null)
    return { query, confidence: null, matched: [], passageLanguage: '', isOther: false, kin };
  const matched = matchedForms(best.candidate);
  return { query, confidence, matched, passageLanguage: best.candidate.analysedAs, isOther: !isAkin(best), kin };
}

function matchedForms({ forms }: { forms: readonly (readonly string[])[] | null }): string[] {
  return (forms ?? []).flat();
}

/** Share of the searches for which something holds. */
export function shareOf(shown: readonly Shown[], holds: (each: Shown) => boolean): number {
  return shown.length === 0 ? 0 : shown.filter(holds).length / shown.length;
}
