import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { getDocument, PDFDataRangeTransport } from 'pdfjs-dist/legacy/build/pdf.mjs';
import type { Block } from '../models/block.ts';
import { isContentsPage } from './contents-page.ts';
import { encrypted, ExtractionFailure, tooComplex, unreadable } from '../models/extraction-failure.ts';
import { marksSpans, runsWithActualText, type StructureNode } from './pdf-actual-text.ts';
import { annotatedText, withComments } from './pdf-annotations.ts';
import { pageText } from './pdf-text.ts';
import './pdf-worker.ts';
import { formText } from './pdf-xfa.ts';
import type { ExtractionLimits, FormatReader, ReportShare, SourceFile } from './reader.ts';
import { openSource, wholeSource } from './source-bytes.ts';

/** Larger files are read in ranges. */
const heldBytes = 16 * 1024 * 1024;
/** Number of pages after which fonts and images shared between pages are discarded. */
const pagesBetweenCleanups = 20;
/** Time limit for a page, in milliseconds. */
const longestPage = 30_000;
const libraryFolder = dirname(dirname(dirname(fileURLToPath(import.meta.resolve('pdfjs-dist/legacy/build/pdf.mjs')))));

type PdfDocument = Awaited<ReturnType<typeof getDocument>['promise']>;
type PdfPage = Awaited<ReturnType<PdfDocument['getPage']>>;

/** Serves byte ranges of a file to pdf.js. A failed read aborts the loading. */
async function rangesOf(
  file: SourceFile,
): Promise<{ transport: PDFDataRangeTransport; close(): Promise<void>; failed: Promise<never> }> {
  const handle = await openSource(file);
  let fail: (reason: Error) => void = () => undefined;
  const failed = new Promise<never>((_, reject) => {
    fail = reject;
  });
  failed.catch(() => undefined); // Handled by the loading or reading of pages; avoids an unhandled rejection.
  const read = async (begin: number, end: number): Promise<Uint8Array> => {
    const bytes = Buffer.alloc(end - begin);
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, begin);
    return new Uint8Array(bytes.buffer, bytes.byteOffset, bytesRead);
  };
  class FileRanges extends PDFDataRangeTransport {
    override requestDataRange(begin: number, end: number): void {
      read(begin, end).then((bytes) => this.onDataRange(begin, bytes), fail);
    }
  }
  const start = await read(0, Math.min(file.bytes, 64 * 1024));
  return { transport: new FileRanges(file.bytes, start), close: () => handle.close(), failed };
}

const settings = {
  cMapUrl: `${libraryFolder}/cmaps/`,
  cMapPacked: true,
  standardFontDataUrl: `${libraryFolder}/standard_fonts/`,
  disableFontFace: true,
  useSystemFonts: false,
  useWorkerFetch: false,
  useWasm: false,
  disableAutoFetch: true,
  disableStream: true,
  verbosity: 0,
};

/** Messages of pdf.js about encryption without a password: by certificates or a rights service. */
const otherEncryption = /^(unknown encryption method|unsupported encryption algorithm)$/;

/** Converts an error of pdf.js. */
function asFailure(error: unknown): ExtractionFailure {
  if (error instanceof ExtractionFailure) return error;
  const { name, message } = error instanceof Error ? error : { name: '', message: String(error) };
  return name === 'PasswordException' || otherEncryption.test(message)
    ? encrypted(message)
    : unreadable(`${name}: ${message}`);
}

/** The structure tree of a tagged page; null if it is broken. */
async function structureOf(page: PdfPage): Promise<StructureNode | null> {
  try {
    return await page.getStructTree();
  } catch {
    // The page's text is read as displayed.
    return null;
  }
}

async function textOfPage(pdf: PdfDocument, number: number): Promise<string> {
  const page = await pdf.getPage(number);
  try {
    if (pdf.isPureXfa) return formText(await page.getXfa());
    const { items } = await page.getTextContent({ includeMarkedContent: true });
    const { fields, comments } = await annotatedText(page);
    return withComments(
      pageText(runsWithActualText(items, marksSpans(items) ? await structureOf(page) : null), fields),
      comments,
    );
  } finally {
    page.cleanup();
  }
}

/** Rejects if a page takes too long. pdf.js yields to timers between its steps. */
async function withinTime(reading: Promise<string>): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(tooComplex(`a page was not read within ${longestPage} ms`)), longestPage);
  });
  try {
    return await Promise.race([reading, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Blocks of the pages. Broken pages are skipped unless all are broken. */
async function* pagesOf(
  pdf: PdfDocument,
  report: ReportShare,
  failed: Promise<never> | null,
): AsyncGenerator<Block, void, undefined> {
  let read = 0;
  let written = 0;
  let lastError: unknown = null;
  report(0);
  for (let page = 1; page <= pdf.numPages; page++) {
    let text = '';
    try {
      const reading = withinTime(textOfPage(pdf, page));
      text = await (failed === null ? reading : Promise.race([reading, failed]));
      read++;
    } catch (error) {
      if (error instanceof ExtractionFailure && error.code === 'document_too_complex') throw error;
      lastError = error;
    }
    report(page / pdf.numPages);
    if (page % pagesBetweenCleanups === 0) await pdf.cleanup();
    if (text === '') continue;
    written++;
    yield {
      text,
      location: { page, charStart: 0, charEnd: text.length },
      group: `page ${page}`,
      ...(isContentsPage(text) ? { isContents: true } : {}),
    };
  }
  if (read === 0) throw asFailure(lastError ?? new Error('the PDF has no pages'));
  if (written === 0) throw new ExtractionFailure('ocr_required', `none of ${pdf.numPages} pages has text`);
}

/** Whether a PDF is opened for its dynamic form and, once open, whether it has one. */
interface Opening {
  enableXfa: boolean;
  isForm: boolean;
}

async function* readAs(
  opening: Opening,
  file: SourceFile,
  limits: ExtractionLimits,
  report: ReportShare,
): AsyncGenerator<Block, void, undefined> {
  const ranges = file.bytes > heldBytes ? await rangesOf(file) : null;
  const { enableXfa } = opening;
  const task = getDocument(
    ranges === null
      ? { ...settings, enableXfa, data: new Uint8Array(await wholeSource(file)) }
      : { ...settings, enableXfa, range: ranges.transport },
  );
  try {
    let pdf: PdfDocument;
    try {
      pdf = await (ranges === null ? task.promise : Promise.race([task.promise, ranges.failed]));
    } catch (error) {
      throw asFailure(error);
    }
    opening.isForm = pdf.isPureXfa;
    if (pdf.numPages > limits.maxPdfPages) throw tooComplex(`the PDF has ${pdf.numPages} pages`);
    yield* pagesOf(pdf, report, ranges?.failed ?? null);
  } finally {
    await task.destroy();
    await ranges?.close();
  }
}

/** Failures of broken or empty forms. */
const failuresOfForms = new Set<string>(['document_unreadable', 'ocr_required']);

/**
 * PDF (.pdf): a block per page that holds text, by pdf.js. Nothing is rendered, no script runs, and fonts and
 * character maps come from the library's own files. Of a dynamic form that cannot be read, the page that asks to wait
 * for another viewer is.
 *
 * @throws ExtractionFailure `document_encrypted`, `ocr_required`, `document_too_complex` (pages),
 *   `document_unreadable`.
 */
export const readPdf: FormatReader = async function* (file: SourceFile, limits: ExtractionLimits, report: ReportShare) {
  // Where a file does not open at all, its form may be why.
  const opening: Opening = { enableXfa: true, isForm: true };
  let isBegun = false;
  try {
    for await (const block of readAs(opening, file, limits, report)) {
      isBegun = true;
      yield block;
    }
  } catch (error) {
    if (isBegun || !opening.isForm || !(error instanceof ExtractionFailure) || !failuresOfForms.has(error.code))
      throw error;
    yield* readAs({ enableXfa: false, isForm: false }, file, limits, report);
  }
};
