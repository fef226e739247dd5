import { domainToASCII } from 'node:url';
import type { PurgeScope } from '../../../models/edge-change.ts';
import { invalid } from '../../../models/errors.ts';
import { readTarget } from '../../../models/links/target.ts';
import type { NewPurge } from '../../../models/schemas/purges.ts';
import { encodeKey, prefixFault } from '../../../models/storage-key.ts';

/** What a purge is about, read. */
export interface PurgeTargets {
  scope: PurgeScope;
  /** Encoded as in links, without a leading slash, once each. */
  targets: string[];
  /** The authorities of the addresses: host names in lower case, with user and port where there are any. */
  authorities: string[];
}

const address = /^https:\/\/([^/?#\\]*)([^?#]*)/i;

/** Reads what is to be purged. @throws Refusal `validation_error` */
export function readTargets({ urls, prefixes }: NewPurge): PurgeTargets {
  if (urls !== undefined) {
    const read = urls.map(readAddress);
    return {
      scope: 'urls',
      targets: [...new Set(read.map(({ path }) => path))],
      authorities: [...new Set(read.map(({ authority }) => authority))],
    };
  }
  if (prefixes === undefined) return { scope: 'all', targets: [], authorities: [] };
  return { scope: 'prefixes', targets: [...new Set(prefixes.map(readPrefix))], authorities: [] };
}

function readAddress(url: string, index: number): { authority: string; path: string } {
  const [, authority = '', path = ''] = address.exec(url) ?? [];
  if (authority === '') throw invalid(['body', 'urls', index], `body.urls.${index} must be an absolute https address.`);
  const target = readTarget(sendable(path));
  if (target === null) throw invalid(['body', 'urls', index], `body.urls.${index} has a path that no file can have.`);
  return { authority: hostOf(authority), path: target.path.slice(1) };
}

/** A path as browsers send it: what is not printable ASCII is encoded. */
function sendable(path: string): string {
  return path.isWellFormed() ? path.replace(/[^\x21-\x7e]/gu, encodeURIComponent) : '';
}

/** An authority that names a host alone in its `xn--` form; others as they are. */
function hostOf(authority: string): string {
  if (/[@:]/.test(authority)) return authority;
  return domainToASCII(authority).replace(/\.$/, '');
}

function readPrefix(prefix: string, index: number): string {
  const fault = prefix.isWellFormed() ? prefixFault(prefix) : 'must be valid Unicode';
  if (fault !== null) throw invalid(['body', 'prefixes', index], `body.prefixes.${index} ${fault}.`);
  return encodeKey(prefix);
}
