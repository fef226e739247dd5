import type { Kind } from './asset.ts';

/** Formats of documents that the extractor has a reader for. */
export type DocumentFormat = 'pdf' | 'docx' | 'xlsx' | 'csv' | 'text' | 'markdown' | 'html';

/** What the service indexes, as `GET /capabilities` tells it. Extensions are lower case, with their dot. */
export const capabilities: { kind: Kind; extensions: string[]; describes: string }[] = [
  { kind: 'document', extensions: ['.pdf'], describes: 'one block per page' },
  { kind: 'document', extensions: ['.docx'], describes: 'one block per paragraph or table cell, with nearest heading' },
  { kind: 'document', extensions: ['.xlsx'], describes: 'one block per row, with sheet name and row number' },
  { kind: 'document', extensions: ['.csv'], describes: 'one block per record' },
  { kind: 'document', extensions: ['.txt', '.md'], describes: 'one block per line' },
  { kind: 'document', extensions: ['.html', '.htm', '.xhtml'], describes: 'one block per paragraph or heading' },
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
]);

/** The format of a file of this name and kind, told by its extension without case; null where it is not indexed. */
export function formatOf(filename: string, kind: Kind): DocumentFormat | null {
  const dot = filename.lastIndexOf('.');
  if (kind !== 'document' || dot < 0) return null;
  return documents.get(filename.slice(dot).toLowerCase()) ?? null;
}
