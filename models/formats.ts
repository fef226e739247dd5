import type { Kind } from './asset.ts';

/** Formats of documents that the extractor can read. */
export type DocumentFormat = 'pdf' | 'docx' | 'xlsx' | 'csv' | 'text' | 'markdown' | 'html' | 'package';

/** What the service indexes, as `GET /capabilities` answers it. Extensions are in lower case, with the dot. */
export const capabilities: { kind: Kind; extensions: string[]; describes: string }[] = [
  {
    kind: 'video',
    extensions: ['.mp4', '.mov', '.mkv', '.webm', '.avi'],
    describes: 'transcribed audio with timestamps',
  },
  {
    kind: 'audio',
    extensions: ['.mp3', '.wav', '.flac', '.m4a', '.ogg', '.aac'],
    describes: 'transcribed with timestamps',
  },
  { kind: 'document', extensions: ['.pdf'], describes: 'one block per page' },
  { kind: 'document', extensions: ['.docx'], describes: 'one block per paragraph or table cell, with nearest heading' },
  { kind: 'document', extensions: ['.xlsx'], describes: 'one block per row, with sheet name and row number' },
  { kind: 'document', extensions: ['.csv'], describes: 'one block per record' },
  { kind: 'document', extensions: ['.txt', '.md'], describes: 'one block per line' },
  { kind: 'document', extensions: ['.html', '.htm', '.xhtml'], describes: 'one block per paragraph or heading' },
  {
    kind: 'document',
    extensions: ['.zip'],
    describes: 'a SCORM package (1.2 and 2004): pages, slides, lessons and documents inside it',
  },
];

const documents: ReadonlyMap<string, DocumentFormat> = new Map([
  ['.pdf', 'pdf'],
  ['.docx', 'docx'],
  ['.xlsx', 'xlsx'],
  ['.csv', 'csv'],
  ['.txt', 'text'],
  ['.md', 'markdown'],
  ['.html', 'html'],
  ['.htm', 'html'],
  ['.xhtml', 'html'],
  ['.zip', 'package'],
]);

function extensionOf(filename: string): string | null {
  const dot = filename.lastIndexOf('.');
  return dot < 0 ? null : filename.slice(dot).toLowerCase();
}

/** Whether files with this name and kind are indexed, by the case-insensitive extension. */
export function isIndexed(filename: string, kind: Kind): boolean {
  const extension = extensionOf(filename);
  return (
    extension !== null && capabilities.some((format) => format.kind === kind && format.extensions.includes(extension))
  );
}

/** The kind of files with this name, by the case-insensitive extension; null if they are not indexed. */
export function kindOf(filename: string): Kind | null {
  return capabilities.find(({ kind }) => isIndexed(filename, kind))?.kind ?? null;
}

/** The format of a document with this name, by the case-insensitive extension; null if it is not indexed. */
export function formatOf(filename: string, kind: Kind): DocumentFormat | null {
  const extension = extensionOf(filename);
  return kind !== 'document' || extension === null ? null : (documents.get(extension) ?? null);
}

/** A short name of a file's format for metric labels: a fixed set of values. */
export function formatName(filename: string, kind: Kind): string {
  const extension = extensionOf(filename);
  if (extension === null || !isIndexed(filename, kind)) return 'other';
  return documents.get(extension) ?? extension.slice(1);
}
