import { SaxesParser } from 'saxes';
import { Fault } from './faults.ts';

/** A document, as the protocol writes it. */
export function xmlDocument(content: string): string {
  return `<?xml version="1.0" encoding="utf-8"?>${content}`;
}

/** A leaf of a document, or the end of it. */
export interface XmlLeaf {
  /** Names of the elements from the root to this one. */
  path: readonly string[];
  text: string;
}

const maxDepth = 8;

/**
 * Reads the elements without children of a document that comes in pieces. Entities beyond the five of XML, document types
 * and deep nesting are refused.
 * @throws Fault `InvalidXmlDocument`
 */
export async function* readLeaves(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<XmlLeaf> {
  const parser = new SaxesParser();
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const path: string[] = [];
  let text = '';
  let isLeaf = false;
  let leaves: XmlLeaf[] = [];
  const refuse = (): never => {
    throw new Fault('InvalidXmlDocument');
  };
  parser.on('error', refuse);
  parser.on('doctype', refuse);
  parser.on('opentag', ({ name }) => {
    if (path.length >= maxDepth) refuse();
    path.push(name);
    text = '';
    isLeaf = true;
  });
  const append = (more: string): void => void (text += more);
  parser.on('text', append);
  parser.on('cdata', append);
  parser.on('closetag', () => {
    if (isLeaf) leaves.push({ path: [...path], text });
    isLeaf = false;
    path.pop();
  });
  let isEmpty = true;
  const write = (part: string): void => {
    if (part === '') return;
    isEmpty = false;
    parser.write(part);
  };
  for await (const piece of pieces) {
    write(decode(decoder, piece));
    yield* leaves;
    leaves = [];
  }
  write(decode(decoder));
  if (!isEmpty) parser.close();
  yield* leaves;
}

/** @throws Fault for bytes that are no UTF-8 */
function decode(
  decoder: { decode(piece?: Uint8Array, options?: { stream: boolean }): string },
  piece?: Uint8Array,
): string {
  try {
    return piece === undefined ? decoder.decode() : decoder.decode(piece, { stream: true });
  } catch {
    throw new Fault('InvalidXmlDocument');
  }
}
