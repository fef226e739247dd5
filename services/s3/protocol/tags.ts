import type { ObjectTags } from '../../../models/storage-object.ts';
import { badArgument, Fault } from './faults.ts';
import { childText, readXml, xmlDocument, type XmlNode } from './xml.ts';
import { element } from '../../../mixins/storage/door-xml.ts';

/** Most tags of a bucket, and of an object. */
const maxTags = { Bucket: 50, Object: 10 } as const;
type Tagged = keyof typeof maxTags;
const maxNameLength = 128;
const maxValueLength = 256;
/** Characters that AWS documents for names and values. */
const tagForm = /^[\p{L}\p{Z}\p{N}_.:/=+\-@]*$/u;

function invalidTag(message: string, [name, value]: ObjectTags[number]): Fault {
  return new Fault('InvalidTag', { message, elements: { TagKey: name, TagValue: value } });
}

/** Checks tags. @throws Fault `InvalidTag`, `BadRequest` where there are too many */
function requireTags(tags: ObjectTags, of: Tagged = 'Object'): ObjectTags {
  if (tags.length > maxTags[of])
    throw new Fault('BadRequest', {
      message:
        of === 'Object'
          ? `Object tags cannot be greater than ${maxTags[of]}`
          : `Bucket tag count cannot be greater than ${maxTags[of]}`,
    });
  const names = new Set<string>();
  for (const tag of tags) {
    const [name, value] = tag;
    if (name === '' || name.length > maxNameLength || !tagForm.test(name) || /^aws:/i.test(name))
      throw invalidTag('The TagKey you have provided is invalid', tag);
    if (value.length > maxValueLength || !tagForm.test(value))
      throw invalidTag('The TagValue you have provided is invalid', tag);
    if (names.has(name)) throw invalidTag('Cannot provide multiple Tags with the same key', tag);
    names.add(name);
  }
  return tags;
}

/** Reads tags as the header `x-amz-tagging` has them: the query of an address, ordered by name. @throws Fault */
export function readTagHeader(sent: string): ObjectTags {
  const malformed = (): Fault =>
    badArgument(
      'x-amz-tagging',
      "The header 'x-amz-tagging' shall be encoded as UTF-8 then URLEncoded URL query parameters without tag name duplicates.",
      sent,
    );
  const decoded = (text: string): string => {
    try {
      return decodeURIComponent(text.replaceAll('+', ' '));
    } catch {
      throw malformed();
    }
  };
  const tags = sent
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair): ObjectTags[number] => {
      const equals = pair.indexOf('=');
      return equals < 0 ? [decoded(pair), ''] : [decoded(pair.slice(0, equals)), decoded(pair.slice(equals + 1))];
    })
    .sort(([one], [other]) => (one < other ? -1 : 1));
  if (tags.some(([name], at) => name === '' || name === tags[at + 1]?.[0])) throw malformed();
  return requireTags(tags);
}

/** Reads the tags below an element. @throws Fault `MalformedXML`, `InvalidTag`, `BadRequest` */
export function readTagElements(parent: XmlNode, of: Tagged): ObjectTags {
  return requireTags(
    parent.children.map((node): ObjectTags[number] => {
      const [name, value] = [childText(node, 'Key'), childText(node, 'Value')];
      if (node.name !== 'Tag' || name === null || value === null) throw new Fault('MalformedXML');
      return [name, value];
    }),
    of,
  );
}

/** Reads a `Tagging` document. @throws Fault `MalformedXML`, `InvalidTag`, `BadRequest` */
export function readTagging(bytes: Uint8Array, of: Tagged = 'Object'): ObjectTags {
  const root = readXml(bytes);
  const set = root.children.find(({ name }) => name === 'TagSet');
  if (root.name !== 'Tagging' || set === undefined) throw new Fault('MalformedXML');
  return readTagElements(set, of);
}

/** The document of tags. */
export function tagging(tags: ObjectTags): string {
  const lines = tags.map(([name, value]) => `<Tag>${element('Key', name)}${element('Value', value)}</Tag>`);
  return xmlDocument('Tagging', `<TagSet>${lines.join('')}</TagSet>`);
}
