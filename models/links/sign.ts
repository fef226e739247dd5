import type { LinkScheme } from '../region.ts';
import { encodeKey } from '../storage-key.ts';
import { tagQuery, type LinkTags } from './tags.ts';
import { directoryText, fileText, tokenOf, type DirectoryScheme, type LinkKey } from './token.ts';

/** What a link binds besides the file or directory that it covers. */
export interface LinkTerms {
  /** Unix time in seconds from which on the link does not work. */
  expires: number;
  /** IPv4 address that may use it, in dotted form. */
  ip?: string | null;
}

function queryOf({ keyId }: LinkKey, { expires, ip = null }: LinkTerms): string {
  return `expires=${expires}&kid=${keyId}${ip === null ? '' : `&ip=${ip}`}`;
}

/** Signs a link to one file. Returns path and query, which follow `https://{hostname}`. */
export function signLink(
  scheme: LinkScheme,
  key: LinkKey,
  objectKey: string,
  terms: LinkTerms & { tags?: LinkTags },
): string {
  const path = `/${encodeKey(objectKey)}`;
  const query = `${queryOf(key, terms)}${tagQuery(terms.tags ?? {})}`;
  return `${path}?${query}&token=${tokenOf(key.key, fileText(scheme, path, query))}`;
}

/** A link to all files of a directory, in its two forms. */
export interface DirectoryLink {
  /** What follows the path of a file and `?`. */
  query: string;
  /** What precedes the path of a file: `/` and a segment that relative addresses keep. */
  nativePrefix: string;
}

/** Signs a link to a directory. @param directory key of the directory, without a slash at its ends */
export function signDirectory(
  scheme: DirectoryScheme,
  key: LinkKey,
  directory: string,
  terms: LinkTerms,
): DirectoryLink {
  const { keyId } = key;
  const ip = terms.ip ?? null;
  const expires = String(terms.expires);
  const token = tokenOf(key.key, directoryText(scheme, { directory: `/${encodeKey(directory)}/`, expires, keyId, ip }));
  return {
    query: `${queryOf(key, terms)}&token=${token}`,
    nativePrefix: `/~${token}~${expires}~${keyId}${ip === null ? '' : `~${ip}`}`,
  };
}
