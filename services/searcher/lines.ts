/** Signs with which a line begins that is an item of a list, a heading, a row of a table or a quotation; and numbers of items. */
const lineSign = /^\s*(?:[-–—*+•◦▪‣·|>]|#{1,6}\s|\(?\d{1,3}[.)]\s)/u;
/** What stands between two cells of a row. */
const betweenCells = ' | ';

/** Where the line that holds this offset starts. */
export function lineStart(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1;
}

/** The line that holds this offset. */
export function lineAt(text: string, offset: number): string {
  const end = text.indexOf('\n', offset);
  return text.slice(lineStart(text, offset), end === -1 ? text.length : end);
}

/**
 * Whether what a line says ends with it: it is a row of a table, or what follows is a row, an item of a list or a heading.
 * Other lines end anywhere, in a PDF in the middle of a word group.
 */
export function endsWithItsLine(line: string, next: string): boolean {
  return line.includes(betweenCells) || next.includes(betweenCells) || lineSign.test(next);
}
