import { Memo } from '../../models/analyser/memo.ts';
import { asciiRunPattern } from '../../models/analyser/pieces.ts';
import type { Passage } from '../../models/passage.ts';
import { WordCollector, Words, type TextWord } from './words.ts';

type Analyse = (text: string, language: string) => readonly TextWord[];
type ShownPassage = Pick<Passage, 'text' | 'stems' | 'analysedAs'>;

/** Texts of one generation; two are held, at about 25 bytes for each of their words. */
const capacity = 400;
/** UTF-16 code units of a text that is too long to be remembered. */
const longestRemembered = 4000;

/**
 * The words of passages that are shown, as the analyser gives them. Passages that people find are shown again and again:
 * a bounded memory holds the words of the last ones.
 */
export function shownWords(analyse: Analyse): (passage: ShownPassage) => Words {
  const known = new Memo<Words>(capacity);
  const collector = new WordCollector();
  return (passage) => {
    const key = `${passage.analysedAs} ${passage.text}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    const words = alongStems(passage, analyse, collector) ?? Words.of(analyse(passage.text, passage.analysedAs));
    if (key.length <= longestRemembered) known.set(key, words);
    return words;
  };
}

const notAscii = /[^\0-\x7f]/;
const runPattern = new RegExp(asciiRunPattern);
const [upperA, upperZ, lowerA, lowerZ] = [0x41, 0x5a, 0x61, 0x7a];

function isUpper(code: number): boolean {
  return code >= upperA && code <= upperZ;
}

function isLetter(code: number): boolean {
  return isUpper(code) || (code >= lowerA && code <= lowerZ);
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** Signs that hold words of ASCII together: - . @ _ ' */
function isJoining(code: number): boolean {
  return code === 0x2d || code === 0x2e || code === 0x40 || code === 0x5f || code === 0x27;
}

/**
 * The words of a passage of ASCII by walking along the stems that were kept with it: a plain run of letters is one word,
 * whose stem is the next one; other runs are analysed. So nearly no word is looked up, which is several times as fast.
 * Null where text and stems do not go together to the end: then the text must be analysed.
 */
function alongStems({ text, stems, analysedAs }: ShownPassage, analyse: Analyse, words: WordCollector): Words | null {
  if (notAscii.test(text)) return null;
  words.begin();
  /** Where the next stem begins; behind the last one is one more than the length of all. */
  let from = 0;
  let hasEmpty = false;
  const passStem = (): void => {
    const space = stems.indexOf(' ', from);
    const end = space === -1 ? stems.length : space;
    hasEmpty ||= end <= from;
    from = end + 1;
  };
  for (let at = 0; at < text.length;) {
    let end = at;
    let capitals = 0;
    let code = text.charCodeAt(end);
    for (; isLetter(code); code = text.charCodeAt(++end)) if (isUpper(code)) capitals += 1;
    const goesOn = isDigit(code) || (end > at && isJoining(code) && (isLetter(text.charCodeAt(end + 1)) || isDigit(text.charCodeAt(end + 1))));
    const isPlain = capitals === 0 || capitals === end - at || (capitals === 1 && isUpper(text.charCodeAt(at)));
    if (!goesOn && end === at) {
      at += 1;
    } else if (!goesOn && isPlain) {
      words.add(at, end, from);
      passStem();
      at = end;
    } else {
      runPattern.lastIndex = at;
      const run = runPattern.exec(text)?.[0] ?? '';
      for (const { start, end: after, stem } of analyse(run, analysedAs)) {
        words.add(at + start, at + after, from);
        const stemStart = from;
        passStem();
        if (stems.slice(stemStart, from - 1) !== stem) return null;
      }
      if (run === '') return null;
      at += run.length;
    }
  }
  return from === stems.length + 1 && !hasEmpty ? words.taken(stems) : null;
}
