import type { TestEntry } from './zip.ts';
import { buildZip } from './zip.ts';

/** A course to build: its files by path, and its manifest where the usual one does not do. */
export interface TestCourse {
  pages: Readonly<Record<string, string | Uint8Array>>;
  /** The whole XML; without it, one item and one resource for each page, titled by its path. */
  manifest?: string;
  /** Entries as they are, after all others. */
  entries?: readonly TestEntry[];
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** A manifest of SCORM 1.2 or 2004 around the XML of its items and resources. */
export function scormManifest(
  items: string,
  resources: string,
  {
    version = '1.2',
    title = 'Course',
    attributes = '',
    resourcesAttributes = '',
  }: { version?: '1.2' | '2004'; title?: string; attributes?: string; resourcesAttributes?: string } = {},
): string {
  const namespaces =
    version === '1.2'
      ? 'xmlns="http://www.imsproject.org/xsd/imscp_rootv1p1p2" xmlns:adlcp="http://www.adlnet.org/xsd/adlcp_rootv1p2"'
      : 'xmlns="http://www.imsglobal.org/xsd/imscp_v1p1" xmlns:adlcp="http://www.adlnet.org/xsd/adlcp_v1p3" xmlns:imsss="http://www.imsglobal.org/xsd/imsss"';
  return `<?xml version="1.0" encoding="UTF-8"?><manifest identifier="course" version="1" ${namespaces} ${attributes}><metadata><schema>ADL SCORM</schema><schemaversion>${version === '1.2' ? '1.2' : '2004 4th Edition'}</schemaversion></metadata>
<organizations default="way"><organization identifier="way"><title>${escaped(title)}</title>${items}</organization></organizations><resources ${resourcesAttributes}>${resources}</resources></manifest>`;
}

/** An item of a manifest, with the XML of the items inside it. */
export function courseItem(title: string, resource?: string, inner = '', attributes = ''): string {
  return `<item identifier="item-${resource ?? 'x'}"${resource === undefined ? '' : ` identifierref="${resource}"`} ${attributes}><title>${escaped(title)}</title>${inner}</item>`;
}

/** A resource of a manifest that launches a page, with further files. */
export function courseResource(
  identifier: string,
  href: string | null,
  files: readonly string[] = [],
  inner = '',
  attributes = '',
): string {
  return `<resource identifier="${identifier}" type="webcontent"${href === null ? '' : ` href="${escaped(href)}"`} ${attributes}>${files.map((file) => `<file href="${escaped(file)}"/>`).join('')}${inner}</resource>`;
}

/** Builds a SCORM package. */
export function buildCourse({ pages, manifest, entries = [] }: TestCourse): Buffer {
  const paths = Object.keys(pages);
  const xml =
    manifest ??
    scormManifest(
      paths.map((path, at) => courseItem(path, `r${at}`)).join(''),
      paths.map((path, at) => courseResource(`r${at}`, path, [path])).join(''),
    );
  return buildZip([
    { name: 'imsmanifest.xml', content: xml },
    ...Object.entries(pages).map(([name, content]): TestEntry => ({ name, content: Buffer.from(content) })),
    ...entries,
  ]);
}
