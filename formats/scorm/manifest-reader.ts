import { joinWhiteSpace } from '../clean.ts';
import { isUnreadable, tooComplex } from '../../models/extraction-failure.ts';
import type { XmlAttributes, XmlHandler } from '../xml.ts';
import { encodingOf } from '../html-charset.ts';
import { walkWholeXml } from '../xml.ts';
import type { Archive } from '../archive.ts';
import type { Item, Manifest, ManifestReading, Organization, Reference, Resource } from './manifest.ts';

/**
 * Maximum number of organizations, items, resources, files and dependencies of a manifest. The largest courses have
 * some thousands.
 */
const maxElements = 200_000;
const longestTitle = 300;
/** Longer addresses and identifiers are ignored: they are repeated for each file below them. */
const longestAddress = 4096;
/** Maximum nesting of manifests. */
const deepestManifest = 20;
const chunkBytes = 64 * 1024;
/** Maximum size of a manifest: one with a thousand pages is below 1 MiB. */
const largestManifest = 32 * 1024 * 1024;

/** The lists of an open manifest. */
interface OpenManifest {
  identifier: string;
  bases: readonly string[];
  resourcesBase: string;
  shownFirst: string;
  organizations: Organization[];
  resources: Resource[];
  manifests: Manifest[];
}

interface OpenItem {
  title: string;
  items: Item[];
}

const short = (value: string | undefined): string | undefined =>
  value !== undefined && value.length > longestAddress ? undefined : value;

const finished = ({ identifier, organizations, resources, manifests, shownFirst }: OpenManifest): Manifest => ({
  identifier,
  organizations: [
    ...organizations.filter((one) => one.identifier === shownFirst),
    ...organizations.filter((one) => one.identifier !== shownFirst),
  ],
  resources,
  manifests,
});

/** Walks the XML of a manifest. Names are local names, so SCORM 1.2 and 2004 are read alike. */
function manifestWalker(): { handler: XmlHandler; manifest(): Manifest | null } {
  const open: OpenManifest[] = [];
  let whole: OpenManifest | null = null;
  /** Names of the open elements. */
  const path: string[] = [];
  /** The open organization and items. */
  const items: OpenItem[] = [];
  let organization: (OpenItem & { identifier: string }) | null = null;
  let resource: { bases: string[]; files: Reference[]; dependencies: string[] } | null = null;
  let title: string | null = null;
  let elements = 0;
  /** Whether the package is of another standard. */
  let foreign = false;
  let schema = '';

  const count = (): void => {
    if (++elements > maxElements) throw tooComplex(`the manifest has more than ${maxElements} elements`);
  };
  const startManifest = (attributes: XmlAttributes): void => {
    count();
    if (open.length >= deepestManifest) throw tooComplex('manifests are nested too deeply');
    const base = short(attributes['base']);
    const bases = [...(open.at(-1)?.bases ?? []), ...(base === undefined ? [] : [base])];
    const started: OpenManifest = {
      identifier: attributes['identifier'] ?? '',
      bases,
      resourcesBase: '',
      shownFirst: '',
      organizations: [],
      resources: [],
      manifests: [],
    };
    whole ??= started;
    open.push(started);
  };
  const startResource = (manifest: OpenManifest, attributes: XmlAttributes): void => {
    count();
    const bases = [...manifest.bases, manifest.resourcesBase, short(attributes['base']) ?? ''];
    resource = { bases, files: [], dependencies: [] };
    const href = short(attributes['href']);
    const launch = href === undefined || href.trim() === '' ? null : { href, bases };
    manifest.resources.push({
      identifier: attributes['identifier'] ?? '',
      launch,
      files: resource.files,
      dependencies: resource.dependencies,
    });
  };
  const startItem = (attributes: XmlAttributes): void => {
    count();
    const item: OpenItem & Item = {
      title: '',
      resource: attributes['identifierref'] ?? null,
      parameters: short(attributes['parameters']) ?? '',
      items: [],
    };
    (items.at(-1) ?? organization)?.items.push(item);
    items.push(item);
  };

  const handler: XmlHandler = {
    open: (name, attributes) => {
      const parent = path.at(-1) ?? '';
      path.push(name);
      const manifest = open.at(-1);
      if (name === 'manifest' && (path.length === 1 || parent === 'manifest')) return startManifest(attributes);
      if (manifest === undefined) return;
      switch (name) {
        case 'organizations':
          manifest.shownFirst = attributes['default'] ?? '';
          break;
        case 'organization':
          if (parent === 'organizations') {
            count();
            organization = { identifier: attributes['identifier'] ?? '', title: '', items: [] };
            manifest.organizations.push(organization);
          }
          break;
        case 'item':
          if (parent === 'item' || parent === 'organization') startItem(attributes);
          break;
        case 'title':
          if (parent === 'item' || parent === 'organization') title = '';
          break;
        case 'resources':
          manifest.resourcesBase = short(attributes['base']) ?? '';
          break;
        case 'resource':
          if (parent === 'resources') startResource(manifest, attributes);
          break;
        case 'file': {
          const href = short(attributes['href']);
          if (resource === null || href === undefined) break;
          count();
          resource.files.push({ href, bases: resource.bases });
          break;
        }
        case 'dependency':
          if (resource !== null && attributes['identifierref'] !== undefined) {
            count();
            resource.dependencies.push(attributes['identifierref']);
          }
          break;
        case 'schema':
          if (parent === 'metadata' && path.length === 3) schema = '';
          break;
        default:
          break;
      }
    },
    close: (name) => {
      path.pop();
      switch (name) {
        case 'manifest': {
          const closed = open.pop();
          if (closed !== undefined) open.at(-1)?.manifests.push(finished(closed));
          break;
        }
        case 'title': {
          const owner = items.at(-1) ?? organization;
          if (title !== null && owner !== null && owner.title === '')
            owner.title = joinWhiteSpace(title).slice(0, longestTitle).toWellFormed();
          title = null;
          break;
        }
        case 'item':
          items.pop();
          break;
        case 'organization':
          organization = null;
          items.length = 0;
          break;
        case 'resource':
          resource = null;
          break;
        case 'schema':
          foreign ||= /cartridge|\bqti\b/i.test(schema);
          break;
        default:
          break;
      }
    },
    text: (text) => {
      if (title !== null && title.length < longestTitle * 4) title += text;
      else if (path.at(-1) === 'schema' && schema.length < 200) schema += text;
    },
  };
  return { handler, manifest: () => (whole === null || foreign ? null : finished(whole)) };
}

/** The manifest as UTF-8, without anything that precedes the XML declaration. */
async function* asUtf8(chunks: AsyncIterable<Buffer>, encoding: string): AsyncGenerator<Buffer, void, undefined> {
  const decoder = new TextDecoder(encoding);
  let started = false;
  for await (const chunk of chunks) {
    const text: string = decoder.decode(chunk, { stream: true });
    const kept: string = started ? text : text.trimStart();
    started ||= kept !== '';
    yield Buffer.from(kept);
  }
  yield Buffer.from(decoder.decode());
}

/**
 * Reads the manifest of a package. A broken one yields what precedes the error.
 * @throws ExtractionFailure `document_too_complex` past a limit, `document_encrypted`.
 */
export async function readManifest(archive: Archive, name: string): Promise<ManifestReading> {
  if (archive.size(name) > largestManifest) throw tooComplex(`the manifest has ${archive.size(name)} bytes`);
  const source = await archive.source(name);
  if (source?.content === undefined) throw tooComplex('the manifest does not fit into memory');
  const { content } = source;
  const chunked = async function* (): AsyncGenerator<Buffer, void, undefined> {
    for (let at = 0; at < content.length; at += chunkBytes) yield content.subarray(at, at + chunkBytes);
  };
  const { handler, manifest } = manifestWalker();
  let brokenBy: string | null = null;
  try {
    await walkWholeXml(asUtf8(chunked(), await encodingOf(source)), handler, true);
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    brokenBy = error.message;
  }
  return { manifest: manifest(), brokenBy };
}
