import type { AnalysedWord } from './analyser/analyser.ts';

/*
 * The stored words of a passage (`Passage.stems`): its stems in order, separated by single spaces, and in a second line
 * how words are written whose form differs from their stem, each pair once: ` note=0s happi=1y`. A pair is the stem,
 * the letters that the form lacks at its end, and the letters that it has instead. A stem without a pair is written as
 * it is. Passages that were indexed by earlier versions have no second line: the forms of their words are unknown. In a
 * table of contents the second line begins with ` =contents`, a pair of no stem.
 */

const lineBreak = '\n';
const contentsMark = ' =contents';
/** The count of missing letters is one digit; a pair with more is omitted. */
const maxMissing = 9;

function pairOf(stem: string, form: string): string {
  let same = 0;
  while (same < stem.length && same < form.length && stem[same] === form[same]) same += 1;
  const missing = stem.length - same;
  return missing > maxMissing ? '' : ` ${stem}=${missing}${form.slice(same)}`;
}

/** The stored words of a passage; `isContents` for one of a table of contents. */
export function storedWords(words: readonly Pick<AnalysedWord, 'stem' | 'form'>[], isContents = false): string {
  const inflected = new Set<string>();
  for (const { stem, form } of words) if (form !== stem) inflected.add(stem);
  const pairs = new Set<string>();
  for (const { stem, form } of words) if (inflected.has(stem)) pairs.add(pairOf(stem, form));
  return words.map(({ stem }) => stem).join(' ') + lineBreak + (isContents ? contentsMark : '') + [...pairs].join('');
}

/** The stems of stored words, separated by single spaces. */
export function stemsOnly(stored: string): string {
  const end = stored.indexOf(lineBreak);
  return end === -1 ? stored : stored.slice(0, end);
}

/** Whether stored words are those of a table of contents. */
export function isOfContents(stored: string): boolean {
  const line = stored.indexOf(lineBreak);
  return line !== -1 && stored.startsWith(contentsMark, line + 1);
}

/** The distinct forms in which stored words with this stem are written; null if they are unknown. */
export function formsOfStem(stored: string, stem: string): string[] | null {
  const line = stored.indexOf(lineBreak);
  if (line === -1) return null;
  const key = ` ${stem}=`;
  const forms: string[] = [];
  for (let at = stored.indexOf(key, line); at !== -1; at = stored.indexOf(key, at + key.length)) {
    const from = at + key.length;
    const space = stored.indexOf(' ', from);
    const missing = stored.charCodeAt(from) - 48;
    forms.push(stem.slice(0, stem.length - missing) + stored.slice(from + 1, space === -1 ? undefined : space));
  }
  return forms.length === 0 ? [stem] : forms;
}
