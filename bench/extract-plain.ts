import { stat } from 'node:fs/promises';
import { openArchive } from '../formats/archive.ts';
import type { Archive } from '../formats/archive.ts';
import { defaultLimits } from '../formats/reader.ts';

async function partText(archive: Archive, name: string): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of archive.read(name)) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

const unescape = (xml: string): string =>
  xml.replace(/&(lt|gt|amp|quot|apos|#x?[0-9a-fA-F]+);/g, (_, name: string) => {
    const known: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };
    return (
      known[name] ??
      String.fromCodePoint(name.startsWith('#x') ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1)))
    );
  });

/** Texts of the `t` elements of a part: joined within a `joined` element, separated by spaces otherwise. */
function textElements(xml: string, joined: string): string {
  const elements = xml.matchAll(
    new RegExp(`<(?:\\w+:)?(t)(?:\\s[^>]*)?>([^<]*)<|<(?:\\w+:)?(tab|br|cr)\\b[^>]*/>|</(?:\\w+:)?${joined}>`, 'g'),
  );
  return [...elements].map(([, t, text]) => (t === undefined ? ' ' : unescape(text ?? ''))).join('');
}

/** Titles and labels of a chart, and its cached names without duplicates. */
function chartTexts(xml: string): string {
  const kept = [...xml.matchAll(/<c:strCache>(.*?)<\/c:strCache>/gs)].flatMap(([, cache = '']) =>
    [...cache.matchAll(/<c:v>([^<]*)</g)].map(([, name = '']) => unescape(name)),
  );
  return [textElements(xml, 'p'), ...new Set(kept)].join(' ');
}

/** Escapes such as `_x005F_` represent a character (ST_Xstring, ECMA-376 part 1, 22.9.2.19). */
const unescapeCharacters = (text: string): string =>
  text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));

/**
 * Texts of the cells of a sheet: shared strings resolved, inline and computed ones unchanged, booleans as words.
 * Numbers are omitted.
 */
function cellTexts(sheet: string, shared: readonly string[]): string {
  const cells = sheet.matchAll(/<(?:\w+:)?c(\s[^>]*[^>/])?>(.*?)<\/(?:\w+:)?c>/gs);
  return [...cells]
    .map(([, attributes = '', content = '']) => {
      const type = /\st="(\w+)"/.exec(attributes)?.[1];
      if (type === 'inlineStr') return textElements(content, 'is');
      const value = /<(?:\w+:)?v(?:\s[^>]*)?>([^<]*)</.exec(content)?.[1] ?? '';
      if (type === 'b') return value === '1' ? 'TRUE' : 'FALSE';
      return type === 's' ? (shared[Number(value)] ?? '') : type === 'str' || type === 'e' ? unescape(value) : '';
    })
    .join(' ');
}

/**
 * The words of a Word file or workbook by a simple reading of its XML parts, for comparison: all text elements of the
 * body, diagrams, charts, notes, comments and different headers and footers; all texts of cells, comments and drawings.
 */
export async function plainOfficeText(path: string, format: 'docx' | 'xlsx'): Promise<string> {
  const archive = await openArchive({ path, bytes: (await stat(path)).size }, defaultLimits);
  try {
    if (format === 'docx') {
      const wanted = /^word\/(document|footnotes|endnotes|comments|header\d*|footer\d*|diagrams\/data\d*)\.xml$/i;
      const texts = new Set<string>();
      for (const name of archive.names()) {
        if (wanted.test(name)) texts.add(textElements(await partText(archive, name), 'p'));
        else if (/^word\/charts\/chart\d*\.xml$/i.test(name)) texts.add(chartTexts(await partText(archive, name)));
      }
      return [...texts].join('\n');
    }
    const strings = archive.find('xl/sharedStrings.xml');
    const xml =
      strings === null ? '' : (await partText(archive, strings)).replace(/<(?:\w+:)?rPh\b.*?<\/(?:\w+:)?rPh>/gs, '');
    const shared = [...xml.matchAll(/<(?:\w+:)?si(?:\s[^>]*)?>(.*?)<\/(?:\w+:)?si>|<(?:\w+:)?si\s*\/>/gs)].map(
      ([, item = '']) => textElements(item, 'si'),
    );
    const texts: string[] = [];
    for (const name of archive.names()) {
      if (/^xl\/worksheets\/[^/]+\.xml$/i.test(name))
        texts.push(unescapeCharacters(cellTexts(await partText(archive, name), shared)));
      else if (/^xl\/(comments\d*|drawings\/drawing\d*|charts\/chart\d*|diagrams\/data\d*)\.xml$/i.test(name))
        texts.push(textElements(await partText(archive, name), 'p'));
    }
    return texts.join('\n');
  } finally {
    archive.close();
  }
}
