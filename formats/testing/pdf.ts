/** A page of a test PDF: lines from top to bottom in Helvetica, and content operators to add as they are. */
export interface TestPage {
  lines?: readonly string[];
  operators?: string;
  /** Degrees by which the page is shown turned. */
  rotate?: number;
  /** Further entries of the page's dictionary. */
  entries?: string;
  /** Further entries of its resources. */
  resources?: string;
}

const escaped = (line: string): string => line.replace(/[\\()]/g, '\\$&');

/**
 * Operators that write a line at a place, from the page's lower left corner, in points. `size` is that of the font F1.
 */
export function textAt(x: number, y: number, line: string, size = 11): string {
  return `BT /F1 ${size} Tf 1 0 0 1 ${x} ${y} Tm (${escaped(line)}) Tj ET `;
}

/**
 * Builds a PDF (ISO 32000-1, 7.5) of Latin-1 text. `trailer` is added to the trailer dictionary, and `objects`
 * after the pages (numbered from 4 + twice the pages on); `font` is added to the font's dictionary, and `fontObject`
 * stands in the place of the whole of it; `catalog` is added to the document's catalog.
 */
export function buildPdf(
  pages: readonly TestPage[],
  extra: { trailer?: string; objects?: readonly string[]; font?: string; fontObject?: string; catalog?: string } = {},
): Buffer {
  const pageIds = pages.map((_, index) => 4 + index * 2);
  const objects = [
    `<< /Type /Catalog /Pages 2 0 R ${extra.catalog ?? ''} >>`,
    `<< /Type /Pages /Kids [${pageIds.map((id) => `${id} 0 R`).join(' ')}] /Count ${pages.length} >>`,
    extra.fontObject ??
      `<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding ${extra.font ?? ''} >>`,
  ];
  pages.forEach(({ lines = [], operators = '', rotate = 0, entries = '', resources = '' }, index) => {
    const text =
      lines.length === 0
        ? ''
        : `BT /F1 11 Tf 14 TL 60 760 Td ${lines.map((line) => `(${escaped(line)}) Tj T*`).join(' ')} ET `;
    const content = text + operators;
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Rotate ${rotate} ${entries} /Resources << /Font << /F1 3 0 R >> ${resources} >> /Contents ${(pageIds[index] ?? 0) + 1} 0 R >>`,
    );
    objects.push(`<< /Length ${Buffer.byteLength(content, 'latin1')} >>\nstream\n${content}\nendstream`);
  });
  objects.push(...(extra.objects ?? []));
  const parts = [Buffer.from('%PDF-1.7\n', 'latin1')];
  const offsets: number[] = [];
  let length = parts[0]?.length ?? 0;
  objects.forEach((object, index) => {
    offsets.push(length);
    const part = Buffer.from(`${index + 1} 0 obj\n${object}\nendobj\n`, 'latin1');
    parts.push(part);
    length += part.length;
  });
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  parts.push(
    Buffer.from(
      `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R ${extra.trailer ?? ''} >>\nstartxref\n${length}\n%%EOF\n`,
      'latin1',
    ),
  );
  return Buffer.concat(parts);
}

/**
 * A stream that gives codes, all of one or all of two bytes, their Unicode text (ISO 32000-1, 9.10.3), as an object for
 * `objects`.
 */
export function unicodeMap(texts: Readonly<Record<string, string>>): string {
  const hexadecimal = (text: string): string => Buffer.from(text, 'utf16le').swap16().toString('hex');
  const bytes = Object.keys(texts)[0]?.length ?? 1;
  const pairs = Object.entries(texts).map(
    ([code, text]) => `<${Buffer.from(code, 'latin1').toString('hex')}> <${hexadecimal(text)}>`,
  );
  const map = `/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <${'00'.repeat(bytes)}> <${'FF'.repeat(bytes)}> endcodespacerange ${pairs.length} beginbfchar ${pairs.join(' ')} endbfchar endcmap end`;
  return `<< /Length ${map.length} >>\nstream\n${map}\nendstream`;
}
