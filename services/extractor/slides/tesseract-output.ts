/** Words that tesseract is less sure of are mostly marks of a picture (0-100). */
const minConfidence = 40;
/** A line counts when it holds a word that tesseract is this sure of. */
const sureConfidence = 60;

/**
 * The lines of text in tesseract's tab-separated output, in its order of reading. Columns: level, page, block,
 * paragraph, line, word, left, top, width, height, confidence, text (tesseract's manual, `tsv`).
 */
export function linesOfTsv(output: string): string[] {
  const lines = new Map<string, { words: string[]; isSure: boolean }>();
  for (const row of output.split('\n')) {
    const [level, page, block, paragraph, line, , , , , , confidence, text] = row.split('\t');
    const word = text?.trim() ?? '';
    const certainty = Number(confidence);
    if (level !== '5' || word === '' || !(certainty >= minConfidence)) continue;
    const name = [page, block, paragraph, line].join(' ');
    const found = lines.get(name) ?? { words: [], isSure: false };
    found.words.push(word);
    found.isSure ||=
      certainty >= sureConfidence &&
      /[\p{L}\p{N}]{2}|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u.test(word);
    lines.set(name, found);
  }
  return [...lines.values()].filter(({ isSure }) => isSure).map(({ words }) => words.join(' '));
}
