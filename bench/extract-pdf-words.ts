import { statSync } from 'node:fs';
import { errorCodeOf } from '../models/error-code.ts';
import { readPdf } from '../formats/pdf.ts';
import { defaultLimits } from '../formats/reader.ts';
import { wordScores } from '../formats/testing/word-f1.ts';
import { popplerText, popplerVersion, writeKnownPdfs } from './extract-pdfs.ts';
import { printTable } from './figures.ts';

/** Mean word F1 over the generated PDFs. */
export interface PdfFigures {
  ours: number;
  /** The same of pdftotext; null if it is not installed. */
  theirs: number | null;
  against: string;
}

/** The words of a PDF; empty without any, null if it is refused. */
async function textOf(path: string): Promise<string | null> {
  const texts: string[] = [];
  try {
    for await (const { text } of readPdf({ path, bytes: statSync(path).size }, defaultLimits, () => undefined))
      texts.push(text);
  } catch (error) {
    return errorCodeOf(error) === 'ocr_required' ? '' : null;
  }
  return texts.join('\n');
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Prints the agreement of our words with those of pdftotext in sample PDFs. */
async function printAgreement(samples: readonly { path: string }[]): Promise<void> {
  const rows: string[][] = [];
  const scores: number[] = [];
  for (const { path } of samples) {
    const [ours, theirs] = [await textOf(path), popplerText(path)];
    if (ours === null || theirs === null) {
      rows.push([
        path.split('/').at(-1) ?? path,
        ours === null ? 'refused' : 'read',
        theirs === null ? 'refused' : 'read',
        '',
      ]);
      continue;
    }
    const { precision, recall, f1 } = wordScores(ours, theirs);
    scores.push(f1);
    if (f1 < 1) rows.push([path.split('/').at(-1) ?? path, precision.toFixed(3), recall.toFixed(3), f1.toFixed(3)]);
  }
  printTable(
    `Sample PDFs: agreement with pdftotext, ${mean(scores).toFixed(3)} on the mean of ${scores.length} files; these differ`,
    ['file', 'of our words', 'of its words', 'F1'],
    rows,
  );
}

/** Compares our words of PDFs with those that were written, and with those of pdftotext. */
export async function comparePdfWords(folder: string, samples: readonly { path: string }[]): Promise<PdfFigures> {
  const version = popplerVersion();
  if (version === null)
    process.stdout.write(
      '\n!!! NOT COMPARED: pdftotext is not installed (apt-get install poppler-utils). PDF words are measured without it. !!!\n',
    );
  const { pdfs, missing } = writeKnownPdfs(folder);
  if (missing.length > 0) process.stdout.write(`\nNot installed, their PDFs are left out: ${missing.join(', ')}.\n`);
  const scored: { producer: string; ours: number; theirs: number | null }[] = [];
  for (const { producer, path, truth } of pdfs) {
    scored.push({
      producer,
      ours: wordScores((await textOf(path)) ?? '', truth).f1,
      theirs: version === null ? null : wordScores(popplerText(path) ?? '', truth).f1,
    });
  }
  printTable(
    'Generated PDFs: word F1 against the words that were written',
    ['producer and layout', 'ours', 'pdftotext'],
    scored.map(({ producer, ours, theirs }) => [producer, ours.toFixed(4), theirs?.toFixed(4) ?? '']),
  );
  if (version !== null && samples.length > 0) await printAgreement(samples);
  return {
    ours: mean(scored.map(({ ours }) => ours)),
    theirs: version === null ? null : mean(scored.map(({ theirs }) => theirs ?? 0)),
    against: version === null ? 'nothing: pdftotext is absent' : `pdftotext ${version}`,
  };
}
