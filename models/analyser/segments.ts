/** Scripts without spaces between words, which are segmented by a dictionary. */
const spacelessScripts =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}\\u30fc\\uff70';

const spaceless = new RegExp(`[${spacelessScripts}]`, 'u');
const scriptRuns = new RegExp(`[${spacelessScripts}\\p{M}]+|[^${spacelessScripts}]+`, 'gu');

let segmenter: Intl.Segmenter | undefined;

/** Whether any letter of the text belongs to a script without spaces. */
export function hasSpacelessScript(text: string): boolean {
  return spaceless.test(text);
}

/**
 * Splits a run of letters into words: runs in scripts without spaces by the dictionaries of ICU
 * (https://tc39.es/ecma402/#segmenter-objects), everything else at the change of script. Offsets are UTF-16 code units.
 */
export function wordsOfRun(run: string): { start: number; end: number }[] {
  segmenter ??= new Intl.Segmenter('und', { granularity: 'word' });
  const words: { start: number; end: number }[] = [];
  for (const section of run.matchAll(scriptRuns)) {
    const from = section.index;
    if (!spaceless.test(section[0])) {
      words.push({ start: from, end: from + section[0].length });
      continue;
    }
    for (const part of segmenter.segment(section[0])) {
      if (part.isWordLike === true)
        words.push({ start: from + part.index, end: from + part.index + part.segment.length });
    }
  }
  return words;
}
