import { isUtf8 } from 'node:buffer';
import yauzl from 'yauzl';
import type { Entry } from 'yauzl';
import { cleanText } from './clean.ts';

/** Flag of an entry whose name is UTF-8 (APPNOTE.TXT 4.4.4, bit 11). */
const utf8Flag = 0x800;
/** File type bits of Unix modes, and the type of a symbolic link (stat(2)). */
const typeBits = 0o170000;
const symbolicLink = 0o120000;

/**
 * A path in an archive with forward slashes and without leading ones; null for a folder and for a path that leaves the
 * archive.
 */
function normalName(name: string): string | null {
  const path = name
    .replaceAll('\\', '/')
    .replace(/^([A-Za-z]:)?\/+/, '')
    .replaceAll(/(^|\/)\.(?=\/)/g, '')
    .replace(/^\/+/, '');
  return path === '' || path.endsWith('/') || path.split('/').includes('..') ? null : path;
}

/** A key that is equal for names that archive readers treat as equal: lower case, composed accents (Unicode NFC). */
export function foldedName(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

/**
 * The name of an entry's file; null for a folder, for a path that leaves the archive, and for a symbolic link, whose
 * content is another file's name. Names that are valid UTF-8 without the flag are decoded as UTF-8.
 */
export function nameOf(entry: Entry): string | null {
  if (((entry.externalFileAttributes >>> 16) & typeBits) === symbolicLink) return null;
  const unmarked = (entry.generalPurposeBitFlag & utf8Flag) === 0 && isUtf8(entry.fileNameRaw);
  const flags = unmarked ? entry.generalPurposeBitFlag | utf8Flag : entry.generalPurposeBitFlag;
  return normalName(cleanText(yauzl.getFileNameLowLevel(flags, entry.fileNameRaw, entry.extraFields, false)));
}
