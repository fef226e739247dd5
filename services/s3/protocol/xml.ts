import { SaxesParser } from 'saxes';
import { Fault } from './faults.ts';

const namespace = 'http://s3.amazonaws.com/doc/2006-03-01/';
/** A document with the protocol's namespace. @param content elements, escaped */
export function xmlDocument(root: string, content: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${root} xmlns="${namespace}">${content}</${root}>`;
}

/** The document of an error, which has no namespace. */
export function errorDocument(content: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<Error>${content}</Error>`;
}

/** An element of a document that was read. */
export interface XmlNode {
  name: string;
  text: string;
  children: XmlNode[];
}

const maxDepth = 8;
const maxNodes = 50_000;

/**
 * Reads a document without entities of its own, document type or deep nesting. Namespaces are not looked at.
 * @throws Fault `MalformedXML`
 */
export function readXml(bytes: Uint8Array): XmlNode {
  const refuse = (): never => {
    throw new Fault('MalformedXML');
  };
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return refuse();
  }
  const parser = new SaxesParser();
  const top: XmlNode = { name: '', text: '', children: [] };
  const open = [top];
  let nodes = 0;
  parser.on('error', refuse);
  parser.on('doctype', refuse);
  parser.on('opentag', ({ name }) => {
    nodes += 1;
    if (open.length > maxDepth || nodes > maxNodes) refuse();
    const node = { name: name.slice(name.indexOf(':') + 1), text: '', children: [] };
    open.at(-1)?.children.push(node);
    open.push(node);
  });
  const append = (more: string): void => {
    const node = open.at(-1);
    if (node !== undefined) node.text += more;
  };
  parser.on('text', append);
  parser.on('cdata', append);
  parser.on('closetag', () => void open.pop());
  parser.write(text).close();
  return top.children[0] ?? refuse();
}

/** The text of the child with a name; null if there is none. */
export function childText({ children }: XmlNode, name: string): string | null {
  return children.find((child) => child.name === name)?.text ?? null;
}
