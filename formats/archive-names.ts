import { isUtf8 } from 'node:buffer';
import yauzl from 'yauzl';
import type { Entry } from 'yauzl';
import { cleanText } from './clean.ts';

/** Bit of an entry's flags that says that its name is UTF-8 (APPNOTE.TXT 4.4.4, bit 11). */
const utf8Flag = 0x800;
/** File type bits of Unix modes, and the type of a symbolic link (stat(2)). */
const typeBits = 0o170000;
const symbolicLink = 0o120000;

/**
 * A path in an archive with forward slashes and without leading ones; null for a folder and for a path that climbs out.
 */
function normalName(name: string): string | null {
  const path = name
    .replaceAll('\\', '/')
    .replace(/^([A-Za-z]:)?\/+/, '')
    .replaceAll(/(^|\/)\.(?=\/)/g, '')
    .replace(/^\/+/, '');
  return path === '' || path.endsWith('/') || path.split('/').includes('..') ? null : path;
}

/** The same for names that readers of the archive take as equal: without case, accents composed (Unicode NFC). */
export function foldedName(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

/**
 * The name of an entry's file; null for a folder, for a path that climbs out, and for a symbolic link, whose content
 * is another file's name. Names that are UTF-8 without saying so are taken as UTF-8.
 */
export function nameOf(entry: Entry): string | null {
  if (((entry.externalFileAttributes >>> 16) & typeBits) === symbolicLink) return null;
  const unmarked = (entry.generalPurposeBitFlag & utf8Flag) === 0 && isUtf8(entry.fileNameRaw);
  const flags = unmarked ? entry.generalPurposeBitFlag | utf8Flag : entry.generalPurposeBitFlag;
  return normalName(cleanText(yauzl.getFileNameLowLevel(flags, entry.fileNameRaw, entry.extraFields, false)));
}
