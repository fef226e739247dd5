import { fold } from './folding.ts';
import { otherSpellings, stemsOf } from './stemming.ts';

/**
 * How a word of a text relates to a query word: the word itself, another inflection of it, a word that has its stem in
 * the text's language, as derivations do and some words of other origin, or another word.
 */
export type Kinship = 'same' | 'inflected' | 'derived' | 'other';

/** Object pronouns that Spanish and Portuguese write onto infinitives. */
const pronouns = '(?:me|te|se|nos|lo|la|le|los|las|les)?';

/**
 * The endings of inflection by language, without accents, one pattern for each group of endings that the forms of a
 * word share. Two forms are inflections of one word if a group has the endings of both.
 */
const endingsOf: ReadonlyMap<string, readonly RegExp[]> = new Map([
  ['en', [/^(?:|s|ed|ing)$/, /^(?:|s|d)$/, /^(?:e|es|ed|ing)$/, /^(?:y|ies|ied|ying)$/]],
  [
    'de',
    [/^(?:|e|n|en|er|ern|em|es|s|ens|se|sen|nen|in|innen|en?e[nrms]?|(?:e?st|end)(?:e[nrms]?)?|e?t(?:e(?:n|st|t)?)?)$/],
  ],
  ['nl', [/^(?:|e|n|en|s|t|d|de|den|te|ten|end|ende)$/]],
  [
    'fr',
    [
      /^(?:|e|s|es|x|al|ale|aux|ales|eux|euse|euses|if|ive|ifs|ives|el|elle|els|elles|en|enne|ens|ennes)$/,
      /^(?:e|es|ee|ees|er|ons|ez|ent|ai|ais|ait|ions|iez|aient|as|a|ames|ates|erent|era?s?|erai[st]?|eront|erons|erez|eraient|erions|eriez|ants?|antes?)$/,
      /^(?:|s|t|i|is|it|ie|ies|ir|re|ons|ez|ent|u|us|ue|ues|iss(?:e|es|ent|ant|ants|ons|ez|ait|aient|ais)|ir(?:a|as|ai|ait|aient|ont|ons|ez)|irent)$/,
    ],
  ],
  [
    'es',
    [
      /^(?:|s|es|o|a|os|as|e)$/,
      new RegExp(
        `^(?:[aei]r${pronouns}|o|[aei]s?|[aei]mos|[ae]is|[ae]n|aba(?:s|n|mos|is)?|ia(?:s|n|mos|is)?|aste|iste|io|aron|ieron|asteis|isteis|[aei]r(?:a|as|an|e|emos|eis|ia|ias|ian|iamos)|ase[sn]?|ie[rs][ae][sn]?|(?:a|ie|ye)ndo${pronouns}|[ai]d[oa]s?|ad|ed|id)$`,
      ),
    ],
  ],
  [
    'pt',
    [
      /^(?:|s|es|o|a|os|as|e|ao|oes|aes|al|ais|el|eis)$/,
      new RegExp(
        `^(?:[aei]r(?:em|mos|es)?${pronouns}|o|[aei]s?|[aei]mos|ais|eis|am|em|ava[sm]?|avamos|ia[sm]?|iamos|ei|ou|eu|iu|aram|eram|iram|[aei]r(?:a|as|ao|ei|emos|ia|iam|iamos)|asse[sm]?|esse[sm]?|isse[sm]?|[aei]ndo|[ai]d[oa]s?)$`,
      ),
    ],
  ],
  [
    'it',
    [
      /^(?:|o|a|i|e|hi|he)$/,
      /^(?:[aei]re|o|i|a|e|iamo|ate|ete|ite|ano|ono|[aei]v[oai]|[aei]vamo|[aei]vano|ai|asti|isti|aste|iste|arono|erono|irono|[ei]r(?:o|ai|a|emo|ete|anno|ei|ebbe|ebbero)|ass[ei]|assero|ess[ei]|iss[ei]|(?:a|e)ndo|[aiu]t[oaie]|ant[ei]|ent[ei])$/,
    ],
  ],
]);

/** What an English word ends with that forms its plural with `es`. */
const sibilant = /(?:s|x|z|ch|sh|o)$/;
/** For languages without a list, the most letters of an ending of inflection. */
const longestEnding = 4;
/** Languages that write several prefixes and suffixes onto a word: its stem alone shows which word it is. */
const affixing: ReadonlySet<string> = new Set(['ar', 'eu', 'fi', 'hu', 'hy', 'ko', 'ta', 'tr']);

/** The forms in which a query word may be written in a text in this language. */
export function formsOfWord(typed: string, language: string): string[] {
  return [...new Set([typed, ...otherSpellings(typed, language)].map(fold))].filter((form) => form !== '');
}

function sharedLetters(one: string, other: string): number {
  let same = 0;
  while (same < one.length && same < other.length && one[same] === other[same]) same += 1;
  return same;
}

/** The endings of two words after their stem, or after the letters that they share if the stem is written otherwise. */
function endings(one: string, other: string, language: string): [string, string] {
  const shared = sharedLetters(one, other);
  const stem = stemsOf(one, language)[0]?.length ?? shared;
  // English stems end within words (`happi`), and all its endings are short.
  const at = language === 'en' ? shared : Math.min(shared, stem);
  return [one.slice(at), other.slice(at)];
}

/** A doubled consonant before an English ending counts as one: `stop`, `stopped`. */
function undoubled(ending: string, before: string): string {
  return /^([b-df-hj-np-tv-z])./.test(ending) && ending[0] === before.at(-1) ? ending.slice(1) : ending;
}

function isInflection(one: string, other: string, language: string): boolean {
  if (affixing.has(language)) return true;
  let [first, second] = endings(one, other, language);
  if (language === 'en') {
    const before = one.slice(0, one.length - first.length);
    [first, second] = [undoubled(first, before), undoubled(second, before)];
    if (sibilant.test(before) && [first, second].every((ending) => ending === '' || ending === 'es')) return true;
  }
  const groups = endingsOf.get(language);
  if (groups === undefined) return first.length <= longestEnding && second.length <= longestEnding;
  return groups.some((group) => group.test(first) && group.test(second));
}

/**
 * The relation of a word of a text in this language to a query word.
 * @param typed the query word's forms (`formsOfWord`)
 * @param form the text's word in the form in which words are compared
 */
export function kinshipOf(typed: readonly string[], form: string, language: string): Kinship {
  if (typed.includes(form)) return 'same';
  const [stem] = stemsOf(form, language);
  const akin = typed.filter((each) => stemsOf(each, language)[0] === stem);
  if (akin.length === 0) return 'other';
  return akin.some((each) => isInflection(each, form, language)) ? 'inflected' : 'derived';
}
