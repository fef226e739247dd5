import type { SourceEntry } from '../port.ts';
import { idOf, optionalId, textOf, timeOf, type Fields } from './fields.ts';
import { isStaffOnly, type Folders } from './visibility.ts';

/** The location of a Canvas instance. */
export interface CanvasInstance {
  /** Without a trailing slash. */
  base: string;
  /** With the port where it is not the default. */
  host: string;
}

/** A file of a course, without who may see it. */
export interface CourseFile {
  id: string;
  entry: SourceEntry;
  isKeptBack: boolean;
}

/**
 * A version that changes with the content of a file. It does not contain the `uuid`, which allows reading the file
 * without a login.
 */
export function versionOf(file: Fields): string {
  const modified = timeOf(file['modified_at']) ?? timeOf(file['updated_at']) ?? 0;
  return `"canvas-${idOf(file['id'])}-${Number.isNaN(modified) ? 0 : modified}-${bytesOf(file)}"`;
}

/**
 * Reads a listed file; null for one whose upload is not complete. @throws SourceError `refused` for one without a
 * usable id
 */
export function courseFile(
  instance: CanvasInstance,
  course: string,
  file: Fields,
  folders: Folders,
  now: number,
): CourseFile | null {
  const status = textOf(file['upload_status']);
  if (status !== '' && status !== 'success') return null;
  const id = idOf(file['id']);
  const entry: SourceEntry = {
    externalId: `canvas:${instance.host}/${course}/${id}`,
    filename: nameOf(file),
    sourceUrl: `${instance.base}/courses/${course}/files/${id}`,
    sourceVersion: versionOf(file),
    bytes: bytesOf(file),
    contentId: null,
    principals: null,
  };
  return { id, entry, isKeptBack: isStaffOnly(file, now) || folders.keepBack(optionalId(file['folder_id'])) };
}

function bytesOf(file: Fields): number {
  const size = typeof file['size'] === 'string' ? Number(file['size']) : file['size'];
  return typeof size === 'number' ? size : -1;
}

/** The display name, or the name of the uploaded file where only that has an extension. */
function nameOf(file: Fields): string {
  const shown = textOf(file['display_name']);
  const uploaded = textOf(file['filename']);
  const extension = /\.[A-Za-z0-9]{1,10}$/;
  return extension.test(shown) || !extension.test(uploaded) ? shown || uploaded : decoded(uploaded);
}

/** Canvas stores the names of uploads in query string encoding. */
function decoded(name: string): string {
  try {
    return decodeURIComponent(name.replaceAll('+', ' '));
  } catch {
    return name; // It was not encoded.
  }
}
