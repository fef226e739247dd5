import { cacheTerms } from './cache-rules.ts';
import type { Copy } from './copies.ts';
import type { Site } from './sites.ts';

/** The headers of a copy's responses as long as its bucket does not change: names and values in turn. */
export interface Head {
  /** The site that it was made for. */
  readonly site: Site;
  /** How long the copy may be delivered, in milliseconds. */
  readonly ttlMs: number;
  /** Of 200, 206 and 304. */
  readonly always: readonly string[];
  readonly contentType: string;
  /** All of a 200, with its length. */
  readonly full: readonly string[];
}

/** Content types that can run script, besides those that end in `+xml`: they are delivered as sandboxed downloads. */
const scriptTypes: ReadonlySet<string> = new Set([
  'text/html',
  'text/xml',
  'text/xsl',
  'application/xml',
  'application/xml-dtd',
  'application/xml-external-parsed-entity',
  'text/xml-external-parsed-entity',
  'multipart/x-mixed-replace',
  'multipart/related',
  'message/rfc822',
]);

const typeForm = /^[\w.+!#$&^-]+\/[\w.+!#$&^-]+$/;

/** Media type without parameters, lower case; null where it has no form that browsers read alike. */
function essenceOf(contentType: string): string | null {
  const essence = (contentType.split(';', 1)[0] ?? '').trim().toLowerCase();
  return typeForm.test(essence) && /^[\t\x20-\x7e\x80-\xff]*$/.test(contentType) ? essence : null;
}

/** Whether a browser may run script of this type. */
export function canRunScript(essence: string): boolean {
  return scriptTypes.has(essence) || essence.endsWith('+xml');
}

/** The headers of a copy, made once for each copy and state of its bucket. */
export function headOf(site: Site, copy: Copy): Head {
  const known = copy.head;
  if (known !== null && known.site === site) return known;
  return (copy.head = makeHead(site, copy));
}

function makeHead(site: Site, { object }: Copy): Head {
  const { bucket, vary } = site;
  const { visibility, settings } = bucket;
  const { edgeTtlMs, cacheControl } = cacheTerms(settings.cache, visibility, object.key);
  const essence = essenceOf(object.contentType);
  const always = [
    ...['ETag', object.etag.startsWith('"') ? object.etag : `"${object.etag}"`],
    ...['Last-Modified', new Date(object.updatedAt).toUTCString()],
    ...['Cache-Control', cacheControl, 'Accept-Ranges', 'bytes', 'X-Content-Type-Options', 'nosniff'],
    ...(visibility === 'public'
      ? ['Cross-Origin-Resource-Policy', 'cross-origin']
      : // The address is a credential: pages that a file opens must not learn it.
        ['Referrer-Policy', 'no-referrer']),
    ...(essence === null || canRunScript(essence)
      ? sandbox(object.key)
      : stored('Content-Disposition', object.headers?.contentDisposition)),
    ...stored('Content-Encoding', object.headers?.contentEncoding),
    ...stored('Content-Language', object.headers?.contentLanguage),
    ...vary,
  ];
  const contentType = essence === null ? 'application/octet-stream' : object.contentType;
  return {
    site,
    ttlMs: edgeTtlMs,
    always,
    contentType,
    // Node writes a Content-Disposition that follows the length in another encoding, or refuses to write it.
    full: ['Content-Type', contentType, ...always, 'Content-Length', String(object.size)],
  };
}

/** A header that a client stored with an object, where it has a form that may be sent. */
function stored(name: string, value: string | undefined): string[] {
  return value !== undefined && /^[\t\x20-\x7e\x80-\xff]+$/.test(value) ? [name, value] : [];
}

/** A download that cannot run script, even where it is opened in a page. */
function sandbox(key: string): string[] {
  const name = encodeURIComponent(key.slice(key.lastIndexOf('/') + 1)).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  // RFC 6266 with the encoding of RFC 8187.
  return [
    ...['Content-Security-Policy', "sandbox; default-src 'none'"],
    ...['Content-Disposition', `attachment; filename*=UTF-8''${name}`],
  ];
}
