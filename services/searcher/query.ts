/** A word of a query as the analyser gives it. */
export interface AnalysedQueryWord {
  /** As it was typed. */
  typed: string;
  /** What it may stand as in the index, best first. */
  stems: readonly string[];
  /** Whether it is so common that it says nothing. */
  common: boolean;
}

/** A query, ready for both legs. */
export interface QueryPlan {
  /** Stems of each distinct query word that is searched for; empty where the query is searched by meaning alone. */
  terms: readonly (readonly string[])[];
  /** For each term the spellings that were typed, lower case, each once. */
  typed: readonly (readonly string[])[];
  /** How often each term stands in the query. */
  occurrences: readonly number[];
}

/**
 * Chooses what the word leg looks for: each distinct word once, without very common ones. A query of nothing but
 * common words is searched by meaning; where there is no meaning leg its words are all there is, and they are taken.
 * `readings` is the query as a text, analysed in each language of the library: it tells how often a word stands there.
 */
export function planQuery(words: readonly AnalysedQueryWord[], readings: readonly (readonly { stem: string }[])[], hasMeaning: boolean): QueryPlan {
  const telling = words.filter((word) => !word.common);
  const chosen = telling.length > 0 || hasMeaning ? telling : words;
  const byStems = new Map<string, { stems: readonly string[]; typed: Set<string> }>();
  for (const word of chosen) {
    if (word.stems.length === 0) continue;
    const key = word.stems.join(' ');
    const term = byStems.get(key) ?? { stems: word.stems, typed: new Set<string>() };
    byStems.set(key, term);
    term.typed.add(word.typed.toLowerCase());
  }
  const terms = [...byStems.values()];
  return {
    terms: terms.map((term) => term.stems),
    typed: terms.map((term) => [...term.typed]),
    occurrences: terms.map(({ stems }) => Math.max(1, ...readings.map((reading) => reading.filter(({ stem }) => stems.includes(stem)).length))),
  };
}

/**
 * Whether a model that knows only these languages can read the query at all. Languages are told apart by script: a
 * model of languages in Latin script is not asked about a query most of whose letters are of another. A query without
 * a letter or a number (blanks, punctuation) means nothing: its vector would be near to anything. Signs and emoji are
 * asked of models of all languages alone; others know hardly one.
 */
export function modelReads(query: string, modelLanguages: readonly string[] | null): boolean {
  if (modelLanguages === null) return /[\p{L}\p{N}\p{S}]/u.test(query);
  const letters = query.match(/\p{L}/gu)?.length ?? 0;
  if (letters === 0) return /\p{N}/u.test(query);
  const scripts = new Set(modelLanguages.map((language) => scriptOf(language)));
  if (scripts.has(null)) return true;
  const readable = [...scripts].reduce((sum, script) => sum + (script === null ? 0 : query.match(script)?.length ?? 0), 0);
  return readable * 2 > letters;
}

/** Scripts that were looked up: the languages are those of the program's one model. */
const knownScripts = new Map<string, RegExp | null>();
const mostScripts = 500;

/** Letters of the script that a language is usually written in; null where it is not known here. */
function scriptOf(language: string): RegExp | null {
  const known = knownScripts.get(language);
  if (known !== undefined) return known;
  const script = lookUpScript(language);
  if (knownScripts.size < mostScripts) knownScripts.set(language, script);
  return script;
}

function lookUpScript(language: string): RegExp | null {
  const locale = Intl.Locale !== undefined && /^[a-z]{2,3}$/i.test(language) ? new Intl.Locale(language).maximize().script : undefined;
  if (locale === undefined) return null;
  const names: Record<string, string> = { Jpan: '[\\p{sc=Han}\\p{sc=Hira}\\p{sc=Kana}]', Hans: '\\p{sc=Han}', Hant: '\\p{sc=Han}', Kore: '[\\p{sc=Hang}\\p{sc=Han}]' };
  const letters = names[locale] ?? `\\p{sc=${locale}}`;
  try {
    return new RegExp(letters, 'gu');
  } catch {
    // A script that this engine's Unicode tables do not name: then the language is not judged by script.
    return null;
  }
}
