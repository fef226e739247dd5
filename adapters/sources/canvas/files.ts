import type { SourceEntry } from '../port.ts';
import { idOf, optionalId, textOf, timeOf, type Fields } from './fields.ts';
import { isKeptBack, type Folders } from './visibility.ts';

/** Where a Canvas is. */
export interface CanvasPlace {
  /** Without a slash at its end. */
  base: string;
  /** With its port where it is not the default. */
  host: string;
}

/** A file of a course, before it is known who may see it. */
export interface CourseFile {
  id: string;
  entry: SourceEntry;
  isKeptBack: boolean;
}

/**
 * What changes when the content of a file does. Its `uuid` is no part of it: with it the file can be read without a login.
 */
export function versionOf(file: Fields): string {
  const modified = timeOf(file['modified_at']) ?? timeOf(file['updated_at']) ?? 0;
  return `"canvas-${idOf(file['id'])}-${Number.isNaN(modified) ? 0 : modified}-${bytesOf(file)}"`;
}

/** Reads a listed file; null for one whose upload has not ended. @throws SourceError `refused` for one without a usable id */
export function courseFile(place: CanvasPlace, course: string, file: Fields, folders: Folders, now: number): CourseFile | null {
  const status = textOf(file['upload_status']);
  if (status !== '' && status !== 'success') return null;
  const id = idOf(file['id']);
  const entry: SourceEntry = {
    externalId: `canvas:${place.host}/${course}/${id}`,
    filename: nameOf(file),
    sourceUrl: `${place.base}/courses/${course}/files/${id}`,
    sourceVersion: versionOf(file),
    bytes: bytesOf(file),
    contentId: null,
    principals: null,
  };
  return { id, entry, isKeptBack: isKeptBack(file, now) || folders.keepBack(optionalId(file['folder_id'])) };
}

function bytesOf(file: Fields): number {
  const size = typeof file['size'] === 'string' ? Number(file['size']) : file['size'];
  return typeof size === 'number' ? size : -1;
}

/** The name that people see; the uploaded file's own name where only that one has an extension. */
function nameOf(file: Fields): string {
  const shown = textOf(file['display_name']);
  const uploaded = textOf(file['filename']);
  const extension = /\.[A-Za-z0-9]{1,10}$/;
  return extension.test(shown) || !extension.test(uploaded) ? shown || uploaded : decoded(uploaded);
}

/** Canvas keeps the names of uploads as in a query string. */
function decoded(name: string): string {
  try {
    return decodeURIComponent(name.replaceAll('+', ' '));
  } catch {
    return name; // It was not encoded.
  }
}
