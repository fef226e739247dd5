/** A document as lines of text. */
export interface TextContent {
  lines: readonly string[];
  /** What the numbers of the lines are called in places of passages; null: they are not numbered. */
  numbering: 'line' | 'row' | null;
}

/** The text of bytes: UTF-8, or UTF-16 with its mark, and Windows-1252 for what is neither. */
export function decoded(bytes: ArrayBuffer): string {
  const [first, second] = new Uint8Array(bytes, 0, Math.min(2, bytes.byteLength));
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

/** The records of a CSV file (RFC 4180), their cells joined as passages have them. */
export function recordsOf(text: string): string[] {
  const head = text.slice(0, 4096).split(/\r?\n/, 1)[0] ?? '';
  const comma = [',', ';', '\t', '|'].reduce((best, sign) =>
    head.split(sign).length > head.split(best).length ? sign : best,
  );
  const records: string[] = [];
  let cells: string[] = [];
  let cell = '';
  let isQuoted = false;
  const endCell = (): void => {
    cells.push(cell);
    cell = '';
  };
  for (let at = 0; at < text.length; at += 1) {
    const sign = text.charAt(at);
    if (isQuoted) {
      if (sign !== '"') cell += sign;
      else if (text.charAt(at + 1) === '"') {
        cell += '"';
        at += 1;
      } else isQuoted = false;
    } else if (sign === '"' && cell === '') isQuoted = true;
    else if (sign === comma) endCell();
    else if (sign === '\n' || sign === '\r') {
      if (sign === '\r' && text.charAt(at + 1) === '\n') at += 1;
      endCell();
      records.push(cells.filter((one) => one !== '').join(' | '));
      cells = [];
    } else cell += sign;
  }
  endCell();
  if (cells.some((one) => one !== '')) records.push(cells.filter((one) => one !== '').join(' | '));
  return records;
}

const blocks = new Set(
  'ADDRESS ARTICLE ASIDE BLOCKQUOTE BODY CAPTION DD DIV DL DT FIGCAPTION FIGURE FOOTER FORM H1 H2 H3 H4 H5 H6 HEADER HR LI MAIN NAV OL P PRE SECTION TABLE TBODY TD TFOOT TH THEAD TR UL BR'.split(
    ' ',
  ),
);
const silent = new Set('SCRIPT STYLE TEMPLATE NOSCRIPT SVG MATH IFRAME OBJECT'.split(' '));

/** The text of a page in HTML, a line for each paragraph. It is parsed without running or loading anything of it. */
export function linesOfHtml(html: string): string[] {
  const lines: string[] = [];
  let line = '';
  const end = (): void => {
    const text = line.replace(/\s+/g, ' ').trim();
    if (text !== '') lines.push(text);
    line = '';
  };
  const pending: (Node | null)[] = [new DOMParser().parseFromString(html, 'text/html').body];
  while (pending.length > 0) {
    const node = pending.pop() ?? null;
    if (node === null) end();
    else if (node instanceof Text) line += node.data;
    else if (node instanceof Element && !silent.has(node.tagName.toUpperCase())) {
      const isBlock = blocks.has(node.tagName.toUpperCase());
      if (isBlock) end();
      // Null stands for the end of a block; what is pushed last comes first.
      if (isBlock) pending.push(null);
      pending.push(...[...node.childNodes].reverse());
    }
  }
  end();
  return lines;
}

/** Extensions of the documents that are shown as text. */
export const textExtensions: ReadonlySet<string> = new Set(['txt', 'md', 'csv', 'html', 'htm', 'xhtml']);

/** The lines of a document by its extension, one of `textExtensions`. */
export function textContent(bytes: ArrayBuffer, extension: string): TextContent {
  const text = decoded(bytes);
  if (extension === 'csv') return { lines: recordsOf(text), numbering: 'row' };
  if (extension === 'txt' || extension === 'md') return { lines: text.split(/\r\n|\n|\r/), numbering: 'line' };
  return { lines: linesOfHtml(text), numbering: null };
}
