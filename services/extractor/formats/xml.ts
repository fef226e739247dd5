import { TextDecoder } from 'node:util';
import { SaxesParser } from 'saxes';
import { tooComplex, unreadable } from './failure.ts';

const deepestNesting = 1000;

/** Attributes by local name: the prefixes of namespaces are left off. */
export type XmlAttributes = Readonly<Record<string, string>>;

/** What is told about an XML part. Names are local names: strict and transitional Office files differ only in namespaces. */
export interface XmlHandler {
  open(name: string, attributes: XmlAttributes): void;
  close(name: string): void;
  text?(text: string): void;
}

function localName(name: string): string {
  const colon = name.indexOf(':');
  return colon < 0 ? name : name.slice(colon + 1);
}

/** The decoder of an XML part by its byte order mark: UTF-8 without one. */
function decoderOf(start: Uint8Array): TextDecoder {
  if (start[0] === 0xff && start[1] === 0xfe) return new TextDecoder('utf-16le');
  if (start[0] === 0xfe && start[1] === 0xff) return new TextDecoder('utf-16be');
  return new TextDecoder('utf-8');
}

/**
 * Walks an XML part; control comes back after each chunk, so that what the handler gathered can be handed on.
 * Entities other than XML's own five are refused (none is ever expanded or fetched).
 *
 * @throws ExtractionFailure `document_unreadable` for malformed XML, `document_too_complex` for nesting without end.
 */
export async function* walkXml(chunks: AsyncIterable<Uint8Array>, handler: XmlHandler): AsyncGenerator<void, void, undefined> {
  const parser = new SaxesParser({ xmlns: false, position: false });
  let depth = 0;
  parser.on('error', (error) => { throw unreadable(`XML: ${error.message}`); });
  parser.on('opentag', (tag) => {
    if (++depth > deepestNesting) throw tooComplex('XML elements are nested too deeply');
    const attributes: Record<string, string> = {};
    for (const name in tag.attributes) {
      const local = localName(name);
      // A relationship id (r:id) must not hide an attribute `id` of no namespace; it is read as `r:id`.
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
    decoder ??= decoderOf(chunk);
    parser.write(decoder.decode(chunk, { stream: true }));
    yield;
  }
  parser.write(decoder?.decode() ?? '');
  parser.close();
  yield;
}

/** Walks a whole part of which nothing is handed on before its end. */
export async function walkWholeXml(chunks: AsyncIterable<Uint8Array>, handler: XmlHandler): Promise<void> {
  for await (const _ of walkXml(chunks, handler)) continue;
}
