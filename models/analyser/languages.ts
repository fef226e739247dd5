/** Definition of a language: its Snowball algorithm, its list of very common words (ISO 639-3), its number format. */
interface LanguageDefinition {
  stemmer?: string;
  commonWords?: string;
  /** True where `1.000,5` is a thousand and a half. */
  decimalComma?: boolean;
}

/**
 * Languages by primary subtag. A language that is not here is searched by whole words.
 * Stemming algorithms: https://snowballstem.org/algorithms/
 */
export const languageDefinitions: ReadonlyMap<string, LanguageDefinition> = new Map<string, LanguageDefinition>([
  ['af', { commonWords: 'afr', decimalComma: true }],
  ['ar', { stemmer: 'arabic', commonWords: 'ara' }],
  ['bg', { commonWords: 'bul', decimalComma: true }],
  ['ca', { stemmer: 'catalan', commonWords: 'cat', decimalComma: true }],
  ['cs', { stemmer: 'czech', commonWords: 'ces', decimalComma: true }],
  ['da', { stemmer: 'danish', commonWords: 'dan', decimalComma: true }],
  ['de', { stemmer: 'german', commonWords: 'deu', decimalComma: true }],
  ['el', { commonWords: 'ell', decimalComma: true }],
  ['en', { stemmer: 'english', commonWords: 'eng' }],
  ['es', { stemmer: 'spanish', commonWords: 'spa', decimalComma: true }],
  ['et', { commonWords: 'est', decimalComma: true }],
  ['eu', { stemmer: 'basque', commonWords: 'eus', decimalComma: true }],
  ['fa', { commonWords: 'fas' }],
  ['fi', { stemmer: 'finnish', commonWords: 'fin', decimalComma: true }],
  ['fr', { stemmer: 'french', commonWords: 'fra', decimalComma: true }],
  ['ga', { stemmer: 'irish', commonWords: 'gle' }],
  ['he', { commonWords: 'heb' }],
  ['hi', { commonWords: 'hin' }],
  ['hr', { commonWords: 'hrv', decimalComma: true }],
  ['hu', { stemmer: 'hungarian', commonWords: 'hun', decimalComma: true }],
  ['hy', { stemmer: 'armenian', commonWords: 'hye', decimalComma: true }],
  ['id', { commonWords: 'ind', decimalComma: true }],
  ['it', { stemmer: 'italian', commonWords: 'ita', decimalComma: true }],
  ['ja', { commonWords: 'jpn' }],
  ['ko', { commonWords: 'kor' }],
  ['lt', { commonWords: 'lit', decimalComma: true }],
  ['lv', { commonWords: 'lav', decimalComma: true }],
  ['nl', { stemmer: 'dutch', commonWords: 'nld', decimalComma: true }],
  ['no', { stemmer: 'norwegian', commonWords: 'nob', decimalComma: true }],
  ['pl', { commonWords: 'pol', decimalComma: true }],
  ['pt', { stemmer: 'portuguese', commonWords: 'por', decimalComma: true }],
  ['ro', { stemmer: 'romanian', commonWords: 'ron', decimalComma: true }],
  ['ru', { stemmer: 'russian', commonWords: 'rus', decimalComma: true }],
  ['sk', { commonWords: 'slk', decimalComma: true }],
  ['sl', { stemmer: 'slovene', commonWords: 'slv', decimalComma: true }],
  ['sv', { stemmer: 'swedish', commonWords: 'swe', decimalComma: true }],
  ['ta', { stemmer: 'tamil' }],
  ['th', { commonWords: 'tha' }],
  ['tr', { stemmer: 'turkish', commonWords: 'tur', decimalComma: true }],
  ['uk', { commonWords: 'ukr', decimalComma: true }],
  ['ur', { commonWords: 'urd' }],
  ['vi', { commonWords: 'vie', decimalComma: true }],
  ['zh', { commonWords: 'zho' }],
]);

/** Aliases of languages. */
const aliases: ReadonlyMap<string, string> = new Map([
  ['nb', 'no'],
  ['nn', 'no'],
  ['iw', 'he'],
  ['in', 'id'],
  ['eng', 'en'],
  ['deu', 'de'],
  ['ger', 'de'],
  ['fra', 'fr'],
  ['fre', 'fr'],
  ['spa', 'es'],
  ['ita', 'it'],
  ['por', 'pt'],
  ['rus', 'ru'],
  ['zho', 'zh'],
  ['chi', 'zh'],
  ['jpn', 'ja'],
  ['kor', 'ko'],
  ['ara', 'ar'],
  ['nld', 'nl'],
  ['dut', 'nl'],
  ['cmn', 'zh'],
  ['yue', 'zh'],
]);

/**
 * The primary subtag of a language tag (RFC 5646) in lower case: `en` for `en-GB`, `en_US` and `ENG`. `und` if the text
 * does not name one language (`multi`, empty, malformed).
 */
export function primarySubtag(tag: string): string {
  const primary = /^([a-z]{2,3})(?:[-_][a-z0-9_-]*)?$/i.exec(tag.trim())?.[1]?.toLowerCase();
  if (primary === undefined || primary === 'mul' || primary === 'und' || primary === 'zxx') return 'und';
  return aliases.get(primary) ?? primary;
}
