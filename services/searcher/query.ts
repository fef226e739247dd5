/** A word of a query, as the analyser returns it. */
export interface AnalysedQueryWord {
  /** As it was typed. */
  typed: string;
  /** Its possible stems in the index, best first. */
  stems: readonly string[];
  /** Whether it is too common to characterise a passage. */
  common: boolean;
}

/** A query, ready for both legs. */
export interface QueryPlan {
  /** Stems of each distinct query word of the keyword leg; empty if the query is searched by meaning alone. */
  terms: readonly (readonly string[])[];
  /** For each term its distinct spellings as typed, in lower case. */
  typed: readonly (readonly string[])[];
  /** How often each term occurs in the query. */
  occurrences: readonly number[];
}

/**
 * Chooses the terms of the keyword leg: each distinct word once, without very common ones. A query of only common words
 * is searched by meaning; without a vector leg its common words are searched. `readings` is the query as a text,
 * analysed in each language of the library; it determines how often a word occurs.
 */
export function planQuery(
  words: readonly AnalysedQueryWord[],
  readings: readonly (readonly { stem: string }[])[],
  hasVectorLeg: boolean,
): QueryPlan {
  const significant = words.filter((word) => !word.common);
  const chosen = significant.length > 0 || hasVectorLeg ? significant : words;
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
    occurrences: terms.map(({ stems }) =>
      Math.max(1, ...readings.map((reading) => reading.filter(({ stem }) => stems.includes(stem)).length)),
    ),
  };
}

/**
 * Whether a model for only these languages can read the query, decided by script: a model for languages in Latin script
 * is not used for a query in which most letters belong to another script. A query without letters and numbers (blanks,
 * punctuation) has no meaning, and its vector would be near any other. A query of symbols and emoji is embedded only by
 * multilingual models; others hardly know any.
 */
export function modelReads(query: string, modelLanguages: readonly string[] | null): boolean {
  if (modelLanguages === null) return /[\p{L}\p{N}\p{S}]/u.test(query);
  const letters = query.match(/\p{L}/gu)?.length ?? 0;
  if (letters === 0) return /\p{N}/u.test(query);
  const scripts = new Set(modelLanguages.map((language) => scriptOf(language)));
  if (scripts.has(null)) return true;
  const readable = [...scripts].reduce(
    (sum, script) => sum + (script === null ? 0 : (query.match(script)?.length ?? 0)),
    0,
  );
  return readable * 2 > letters;
}

/** Cached scripts; the languages are those of the one embedding model. */
const knownScripts = new Map<string, RegExp | null>();
const maxScripts = 500;

/** Matches letters of the script in which a language is usually written; null if unknown. */
function scriptOf(language: string): RegExp | null {
  const known = knownScripts.get(language);
  if (known !== undefined) return known;
  const script = lookUpScript(language);
  if (knownScripts.size < maxScripts) knownScripts.set(language, script);
  return script;
}

function lookUpScript(language: string): RegExp | null {
  const locale =
    Intl.Locale !== undefined && /^[a-z]{2,3}$/i.test(language)
      ? new Intl.Locale(language).maximize().script
      : undefined;
  if (locale === undefined) return null;
  const names: Record<string, string> = {
    Jpan: '[\\p{sc=Han}\\p{sc=Hira}\\p{sc=Kana}]',
    Hans: '\\p{sc=Han}',
    Hant: '\\p{sc=Han}',
    Kore: '[\\p{sc=Hang}\\p{sc=Han}]',
  };
  const letters = names[locale] ?? `\\p{sc=${locale}}`;
  try {
    return new RegExp(letters, 'gu');
  } catch {
    // The engine's Unicode tables do not know the script: the language is treated as unknown.
    return null;
  }
}
