import type { FormatReader, ReadableFormat } from './reader.ts';

const readers: Record<ReadableFormat, () => Promise<FormatReader>> = {
  text: async () => (await import('./text.ts')).readText,
  markdown: async () => (await import('./text.ts')).readMarkdown,
  csv: async () => (await import('./csv.ts')).readCsv,
  html: async () => (await import('./html.ts')).readHtml,
  docx: async () => (await import('./docx.ts')).readDocx,
  xlsx: async () => (await import('./xlsx.ts')).readXlsx,
  presentation: async () => (await import('./pptx.ts')).readPptx,
  pdf: async () => (await import('./pdf.ts')).readPdf,
  package: async () => (await import('./scorm/package.ts')).packageReader(readerOf),
};

/** The reader of a format. Its code is loaded on first use: a process that reads text never loads the PDF library. */
export function readerOf(format: ReadableFormat): Promise<FormatReader> {
  return readers[format]();
}
