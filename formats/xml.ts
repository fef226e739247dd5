import { TextDecoder } from 'node:util';
import { SaxesParser } from 'saxes';
import { tooComplex, unreadable } from '../models/extraction-failure.ts';

const deepestNesting = 1000;

/** Attributes by local name, without namespace prefixes. */
export type XmlAttributes = Readonly<Record<string, string>>;

/**
 * Receives the elements of an XML part. Names are local names, because strict and transitional Office files differ only
 * in namespaces.
 */
export interface XmlHandler {
  open(name: string, attributes: XmlAttributes): void;
  close(name: string): void;
  text?(text: string): void;
}

function localName(name: string): string {
  const colon = name.indexOf(':');
  return colon < 0 ? name : name.slice(colon + 1);
}

/** Leading bytes that hold the XML declaration. */
const declarationBytes = 200;

/**
 * The decoder of an XML part: by its byte order mark, by its first character, else by its declaration (XML 1.0,
 * appendix F). UTF-8 if nothing is declared, or the name is unknown.
 */
function decoderOf(start: Uint8Array): TextDecoder {
  const [first = 0, second = 0] = start;
  if ((first === 0xff && second === 0xfe) || (first === 0x3c && second === 0)) return new TextDecoder('utf-16le');
  if ((first === 0xfe && second === 0xff) || (first === 0 && second === 0x3c)) return new TextDecoder('utf-16be');
  const declared =
    /^(?:\xef\xbb\xbf)?<\?xml[^>]*?\sencoding\s*=\s*["']([\w.:-]+)["']/.exec(
      Buffer.from(start.subarray(0, declarationBytes)).toString('latin1'),
    )?.[1] ?? 'utf-8';
  // The declaration is readable as 8-bit characters, so the text is not UTF-16.
  if (/^utf-?(8|16)/i.test(declared)) return new TextDecoder('utf-8');
  try {
    return new TextDecoder(declared);
  } catch {
    // Unknown to the Encoding standard.
    return new TextDecoder('utf-8');
  }
}

/**
 * Walks an XML part and returns control after each chunk, so that the caller can emit what the handler gathered.
 * Entities other than XML's own five are rejected (none is ever expanded or fetched).
 * @param isUtf8 whether the chunks are already UTF-8, whatever the declaration
 * @throws ExtractionFailure `document_unreadable` for malformed XML, `document_too_complex` for excessive nesting.
 */
export async function* walkXml(
  chunks: AsyncIterable<Uint8Array>,
  handler: XmlHandler,
  isUtf8 = false,
): AsyncGenerator<void, void, undefined> {
  const parser = new SaxesParser({ xmlns: false, position: false });
  let depth = 0;
  parser.on('error', (error) => {
    throw unreadable(`XML: ${error.message}`);
  });
  parser.on('opentag', (tag) => {
    if (++depth > deepestNesting) throw tooComplex('XML elements are nested too deeply');
    const attributes: Record<string, string> = {};
    for (const name in tag.attributes) {
      const local = localName(name);
      // A relationship id (r:id) must not hide an attribute `id` without a namespace; it keeps its prefix.
      attributes[local === 'id' && local !== name ? 'r:id' : local] = tag.attributes[name] ?? '';
    }
    handler.open(localName(tag.name), attributes);
  });
  parser.on('closetag', (tag) => {
    depth--;
    handler.close(localName(tag.name));
  });
  const { text } = handler;
  if (text !== undefined) {
    parser.on('text', text);
    parser.on('cdata', text);
  }
  let decoder: TextDecoder | null = null;
  for await (const chunk of chunks) {
    decoder ??= isUtf8 ? new TextDecoder('utf-8') : decoderOf(chunk);
    parser.write(decoder.decode(chunk, { stream: true }));
    yield;
  }
  parser.write(decoder?.decode() ?? '');
  parser.close();
  yield;
}

/** Walks a whole part before anything is emitted; otherwise like `walkXml`. */
export async function walkWholeXml(
  chunks: AsyncIterable<Uint8Array>,
  handler: XmlHandler,
  isUtf8 = false,
): Promise<void> {
  for await (const _ of walkXml(chunks, handler, isUtf8)) continue;
}
