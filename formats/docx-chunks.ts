import { TextDecoder } from 'node:util';
import type { Block } from '../models/block.ts';
import type { Archive } from './archive.ts';
import { readHtml } from './html.ts';
import type { ExtractionLimits, FormatReader, SourceFile } from './reader.ts';

/** Leading bytes of a web archive that are read: the text is at its start, pictures follow. */
const examinedBytes = 32 * 1024 * 1024;
const silent = (): void => undefined;

/** The value of a MIME header field (RFC 2045), including continuation lines; empty if absent. */
function fieldOf(header: string, name: string): string {
  return new RegExp(`^${name}:(.*(?:\\r?\\n[ \\t].*)*)`, 'im').exec(header)?.[1]?.trim() ?? '';
}

const parameterOf = (field: string, name: string): string =>
  new RegExp(`;\\s*${name}\\s*=\\s*(?:"([^"]*)"|([^\\s;]+))`, 'i')
    .exec(field)
    ?.slice(1)
    .find((value) => value !== undefined) ?? '';

/** Header and body of a MIME entity, one byte per character; null if the header has no end. */
function entityOf(text: string): { header: string; body: string } | null {
  const end = /\r?\n\r?\n/.exec(text);
  return end === null ? null : { header: text.slice(0, end.index), body: text.slice(end.index + end[0].length) };
}

function decoded(body: string, encoding: string): Buffer {
  if (/^base64$/i.test(encoding)) return Buffer.from(body, 'base64');
  if (!/^quoted-printable$/i.test(encoding)) return Buffer.from(body, 'latin1');
  return Buffer.from(
    body
      .replace(/=[ \t]*\r?\n/g, '')
      .replace(/=([0-9A-Fa-f]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
    'latin1',
  );
}

/** The page of a web archive (MHTML, RFC 2557): its first HTML in its own encoding; null if there is none. */
export function pageOfWebArchive(archive: Buffer): Buffer | null {
  const whole = entityOf(archive.toString('latin1', 0, examinedBytes));
  if (whole === null) return null;
  const boundary = parameterOf(fieldOf(whole.header, 'content-type'), 'boundary');
  const parts =
    boundary === '' ? [whole] : whole.body.split(`--${boundary}`).map((part) => entityOf(part.replace(/^\r?\n/, '')));
  for (const part of parts) {
    const type = part === null ? '' : fieldOf(part.header, 'content-type');
    if (part === null || !/^(text\/html|application\/xhtml)/i.test(type)) continue;
    const page = decoded(part.body, fieldOf(part.header, 'content-transfer-encoding'));
    const charset = parameterOf(type, 'charset');
    try {
      return charset === '' ? page : Buffer.from(`\ufeff${new TextDecoder(charset).decode(page)}`);
    } catch {
      // Unknown to the Encoding standard: the page declares its own encoding.
      return page;
    }
  }
  return null;
}

/**
 * The blocks of a document embedded in a Word file (`altChunk`, ECMA-376 part 1, 17.17.2.1): web pages, web archives
 * and Word files, by extension. Converters from web pages write nothing else.
 */
export async function* chunkBlocks(
  archive: Archive,
  part: string,
  limits: ExtractionLimits,
  readWord: FormatReader,
): AsyncGenerator<Block, void, undefined> {
  const extension = part.slice(part.lastIndexOf('.') + 1).toLowerCase();
  const isPage = /^x?html?$/.test(extension);
  if (!isPage && !/^(mht(ml)?|doc[xm])$/.test(extension)) return;
  const source = await archive.source(part);
  if (source === null) return;
  const of = (content: Buffer): SourceFile => ({ ...source, content, bytes: content.length });
  if (isPage) yield* readHtml(source, limits, silent);
  else if (extension.startsWith('doc')) yield* readWord(source, limits, silent);
  else {
    const page = source.content === undefined ? null : pageOfWebArchive(source.content);
    if (page !== null) yield* readHtml(of(page), limits, silent);
  }
}
