/** A line of a table of contents: a title, dots that lead to the right, a page number. */
const leadingLine = /\p{L}.*?(?:\.{4,}|(?:\s\.){4,}|\u2026{2,}|(?:\s\u2026){2,})[\s.]*(?:\d{1,4}|[ivxlc]{1,7})\s*$/iu;
/** The heading of a table of contents, in common languages. */
const contentsHeading =
  /^(?:\d+\.?\s*)?(?:table of |list of )?(?:contents|figures|tables)$|^(?:inhalt(?:sverzeichnis)?|table des matières|sommaire|índice|contenido|sumário|indice|sommario|inhoud(?:sopgave)?|spis treści|innehåll|indhold|innhold|sisällys|содержание|оглавление|目录|目次)$/iu;
/** A title with the number of its page. */
const numberedLine = /\p{L}.*\s(\d{1,4})$/u;
/** Least lines of a table of contents, and the length of such a line, at most. */
const [minLines, longestLine] = [4, 300];

/** Whether a page is a table of contents: half of its lines or more lead to page numbers. */
export function isContentsPage(text: string): boolean {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const entries = lines.filter((line) => line.length <= longestLine);
  if (entries.length < Math.max(minLines, lines.length / 2)) return false;
  if (entries.filter((line) => leadingLine.test(line)).length >= Math.max(minLines, lines.length / 2)) return true;
  if (!entries.slice(0, minLines).some((line) => contentsHeading.test(line.trim()))) return false;
  const numbers = entries.flatMap((line) => {
    const number = numberedLine.exec(line.trim())?.[1];
    return number === undefined ? [] : [Number(number)];
  });
  const ascending = numbers.filter((number, index) => index === 0 || number >= (numbers[index - 1] ?? 0)).length;
  return numbers.length >= Math.max(minLines, lines.length / 2) && ascending >= numbers.length * 0.9;
}
