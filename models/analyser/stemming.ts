import snowball, { type Stemmer } from 'snowball-stemmers';
import { fold, normalise } from './folding.ts';
import { languageDefinitions } from './languages.ts';

const stemmers = new Map<string, Stemmer | null>();

function stemmerOf(language: string): Stemmer | null {
  const known = stemmers.get(language);
  if (known !== undefined) return known;
  const algorithm = languageDefinitions.get(language)?.stemmer;
  const stemmer = algorithm === undefined ? null : snowball.newStemmer(algorithm);
  stemmers.set(language, stemmer);
  return stemmer;
}

/**
 * Case endings and particles that Korean writes onto its nouns, longest first. A noun of at least two syllables
 * loses one: the light stemming that Korean search commonly does without a dictionary.
 */
const koreanParticles = [
  '에서는',
  '으로는',
  '에게서',
  '까지',
  '부터',
  '에서',
  '에게',
  '으로',
  '처럼',
  '보다',
  '하고',
  '이나',
  '은',
  '는',
  '이',
  '가',
  '을',
  '를',
  '에',
  '의',
  '와',
  '과',
  '도',
  '로',
  '만',
];

function withoutParticle(word: string): string {
  const particle = /^[\uac00-\ud7a3]+$/.test(word)
    ? koreanParticles.find((ending) => word.endsWith(ending) && word.length - ending.length >= 2)
    : undefined;
  return particle === undefined ? word : word.slice(0, -particle.length);
}

/**
 * The stems of one word, the best first. English drops accents before stemming (they are borrowed there: `résumé` is
 * `resume`). Other stemmers need their accents, so the word is stemmed as written and folded then. Where the word
 * typed without its accents would have another stem, that one comes second: it lets `cafe` find `Café`.
 * Empty for text without letters or digits.
 */
export function stemsOf(word: string, language: string): string[] {
  const bare = fold(word);
  if (bare === '') return [];
  if (language === 'ko') return [withoutParticle(bare)];
  const stemmer = stemmerOf(language);
  if (stemmer === null) return [bare];
  const unaccented = fold(stemmer.stem(language === 'en' ? apostrophesKept(word, bare) : bare)) || bare;
  if (language === 'en') return [unaccented];
  const written = normalise(word);
  if (written === bare) return [unaccented];
  const accented = fold(stemmer.stem(written)) || bare;
  return accented === unaccented ? [accented] : [accented, unaccented];
}

/** The English stemmer knows what to do with `'s`, if it still sees it. */
function apostrophesKept(word: string, bare: string): string {
  const suffix = /['\u2019](?:s|t|d|m|re|ve|ll)$/i.exec(word)?.[0];
  return suffix === undefined ? bare : `${fold(word.slice(0, -suffix.length))}'${suffix.slice(1).toLowerCase()}`;
}

/**
 * Alternative spellings of a query word in texts: German `Mueller` for `Müller` and vice versa. Empty for most words.
 */
export function otherSpellings(word: string, language: string): string[] {
  if (language !== 'de') return [];
  const lower = word.toLowerCase();
  const spelledOut = lower.replace(/[äöü]/g, (umlaut) => ({ ä: 'ae', ö: 'oe', ü: 'ue' })[umlaut] ?? umlaut);
  const drawnTogether = lower.replace(/ae|oe|(?<!q)ue/g, (pair) => pair.charAt(0));
  return [spelledOut, drawnTogether].filter((spelling) => spelling !== lower);
}
