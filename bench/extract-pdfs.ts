import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildPdf, textAt } from '../formats/testing/pdf.ts';
import type { TestPage } from '../formats/testing/pdf.ts';

/*
 * PDFs with known words, generated from them. The layouts are difficult for readers: words hyphenated across lines,
 * columns, kerned letters, words without spaces between them, ligatures, rotated pages and text, tables. The same pages
 * come from several producers: our writer, Ghostscript and cairo from its files, and groff with Ghostscript; the last
 * three if they are installed.
 */

/** A PDF and the words in it. */
export interface KnownPdf {
  producer: string;
  path: string;
  truth: string;
}

const pagesEach = 12;
const starts = 'b c d f g h l m n p r s t v w st tr pl gr ch sh br cl fl pr'.split(' ');
const middles = 'a e i o u ai ea ou ie'.split(' ');
const ends = 'n r s t l m nd st rt ck ng lly tion ment ness fi ffi fl ff'.split(' ');

/** Pseudorandom numbers, the same in every run (a linear congruential generator). */
function numberSource(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 16) % below;
  };
}

type Words = (count: number) => string[];

function wordSource(seed: number): Words {
  const next = numberSource(seed);
  const pick = (from: readonly string[]): string => from[next(from.length)] ?? '';
  const word = (): string =>
    Array.from({ length: 1 + next(3) }, () => pick(starts) + pick(middles)).join('') + pick(ends);
  return (count) => Array.from({ length: count }, word);
}

/** Lines of limited length; a word that does not fit is hyphenated in the middle. */
function broken(words: readonly string[], width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of words) {
    const joined = line === '' ? word : `${line} ${word}`;
    if (joined.length <= width) {
      line = joined;
      continue;
    }
    const cut = Math.ceil(word.length / 2);
    const fits = word.length >= 6 && line.length + cut + 2 <= width;
    lines.push(fits ? `${line} ${word.slice(0, cut)}-` : line);
    line = fits ? word.slice(cut) : word;
  }
  return [...lines, line];
}

const lineHeight = 14;
const top = 740;
const letterWidth = 5.2;
const operatorsOf = (lines: readonly string[], write: (line: string, y: number) => string): string =>
  lines.map((line, row) => write(line, top - row * lineHeight)).join('');

/** Kerned letters, and spaces by positioning only (ISO 32000-1, 9.4.3, TJ). */
const kerned = (line: string, y: number): string =>
  `BT /F1 11 Tf 1 0 0 1 60 ${y} Tm [${line
    .split(' ')
    .map((word) => `(${word.slice(0, 2)}) 18 (${word.slice(2)})`)
    .join(' -290 ')}] TJ ET `;

/** Every word positioned separately, as in justified lines. */
function placed(line: string, y: number): string {
  let x = 60;
  return line
    .split(' ')
    .map((word) => {
      const written = textAt(x, y, word, 10);
      x += (word.length + 1.4) * letterWidth * 1.1;
      return written;
    })
    .join('');
}

/** Ligatures by codes of the font's encoding, as TeX does. */
const ligatures = { '\xa7': 'fi', '\xb6': 'fl' };
const withLigatures = (line: string): string =>
  Object.entries(ligatures).reduce((text, [code, letters]) => text.replaceAll(letters, code), line);
const ligatureFont =
  '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding << /BaseEncoding /WinAnsiEncoding /Differences [167 /fi 182 /fl] >> >>';
/** The middle dot replaces an ending, with a replacement text (ISO 32000-1, 14.9.4). */
const replaced = (line: string, y: number): string =>
  `BT /F1 11 Tf 1 0 0 1 60 ${y} Tm ${line
    .split('tion')
    .map((part) => `(${part}) Tj`)
    .join(` /Span << /ActualText (tion) >> BDC (\xb7) Tj EMC `)} ET `;

/** The layouts by name: pages of words, and the words. */
function layouts(): { name: string; pdf: Buffer; truth: string }[] {
  const made: { name: string; pdf: Buffer; truth: string }[] = [];
  const add = (
    name: string,
    wordsOfPage: number,
    page: (words: string[]) => TestPage,
    extra: Parameters<typeof buildPdf>[1] = {},
  ): void => {
    const words = wordSource(made.length + 7);
    const pages = Array.from({ length: pagesEach }, () => words(wordsOfPage));
    made.push({ name, pdf: buildPdf(pages.map(page), extra), truth: pages.flat().join(' ') });
  };
  add('prose', 400, (words) => ({ lines: broken(words, 90) }));
  add('columns one after the other', 300, (words) => {
    const lines = broken(words, 40);
    const half = Math.ceil(lines.length / 2);
    return {
      operators:
        operatorsOf(lines.slice(0, half), (line, y) => textAt(50, y, line, 10)) +
        operatorsOf(lines.slice(half), (line, y) => textAt(310, y, line, 10)),
    };
  });
  add('columns line by line', 300, (words) => {
    const lines = broken(words, 40);
    const half = Math.ceil(lines.length / 2);
    return {
      operators: lines
        .slice(0, half)
        .map(
          (line, row) =>
            textAt(50, top - row * lineHeight, line, 10) +
            (lines[half + row] === undefined ? '' : textAt(310, top - row * lineHeight, lines[half + row] ?? '', 10)),
        )
        .join(''),
    };
  });
  add('letters moved together', 350, (words) => ({ operators: operatorsOf(broken(words, 85), kerned) }));
  add('words placed one by one', 250, (words) => ({ operators: operatorsOf(broken(words, 75), placed) }));
  add('ligatures', 350, (words) => ({ lines: broken(words, 85).map(withLigatures) }), { fontObject: ligatureFont });
  add('turned pages', 350, (words) => ({ lines: broken(words, 85), rotate: 90 }));
  add('text on its side', 250, (words) => ({
    operators: broken(words, 85)
      .map((line, row) => `BT /F1 10 Tf 0 1 -1 0 ${60 + row * lineHeight} 60 Tm (${line}) Tj ET `)
      .join(''),
  }));
  add('tables', 200, (words) => ({
    operators: Array.from({ length: 50 }, (_, row) =>
      [0, 1, 2, 3]
        .map((column) => textAt(60 + column * 130, top - row * 13, words[row * 4 + column] ?? '', 9))
        .join(''),
    ).join(''),
  }));
  add('replacement texts (/ActualText)', 350, (words) => ({ operators: operatorsOf(broken(words, 85), replaced) }));
  return made;
}

function runs(command: string, words: readonly string[]): boolean {
  try {
    execFileSync(command, words, { stdio: 'ignore' });
    return true;
  } catch {
    // Not installed, or it refuses the file: the caller reports it.
    return false;
  }
}

/** Paragraphs typeset by groff, with justification, hyphenation and kerning. Null without it. */
function groffPdf(folder: string): KnownPdf | null {
  const truth = Array.from({ length: 40 }, (_, index) => wordSource(index + 99)(120).join(' '));
  const [source, postscript, path] = ['ms', 'ps', 'pdf'].map((ending) => join(folder, `groff.${ending}`)) as [
    string,
    string,
    string,
  ];
  writeFileSync(source, truth.map((paragraph) => `.PP\n${paragraph}\n`).join(''));
  try {
    writeFileSync(
      postscript,
      execFileSync('groff', ['-Tps', '-ms', source], { stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 1 << 26 }),
    );
  } catch {
    // Not installed: the caller reports it.
    return null;
  }
  const made = runs('ps2pdf', [postscript, path]);
  for (const used of [source, postscript]) rmSync(used);
  return made ? { producer: 'groff and Ghostscript, prose', path, truth: truth.join(' ') } : null;
}

/** Writes the PDFs into a folder. `missing` lists producers that are not installed. */
export function writeKnownPdfs(folder: string): { pdfs: KnownPdf[]; missing: string[] } {
  mkdirSync(folder, { recursive: true });
  const pdfs: KnownPdf[] = [];
  const missing: string[] = [];
  const others = [
    {
      producer: 'Ghostscript',
      command: 'gs',
      words: (from: string, to: string) => [
        '-q',
        '-dNOPAUSE',
        '-dBATCH',
        '-sDEVICE=pdfwrite',
        `-sOutputFile=${to}`,
        from,
      ],
    },
    { producer: 'cairo', command: 'pdftocairo', words: (from: string, to: string) => ['-pdf', from, to] },
  ];
  const present = others.filter(({ producer, command }) => runs(command, ['-v']) || (missing.push(producer), false));
  layouts().forEach(({ name, pdf, truth }, index) => {
    const path = join(folder, `${index}.pdf`);
    writeFileSync(path, pdf);
    pdfs.push({ producer: `own, ${name}`, path, truth });
    for (const { producer, command, words } of present) {
      const made = join(folder, `${index}-${command}.pdf`);
      if (runs(command, words(path, made))) pdfs.push({ producer: `${producer}, ${name}`, path: made, truth });
    }
  });
  const typeset = groffPdf(folder);
  if (typeset === null) missing.push('groff with ps2pdf');
  else pdfs.push(typeset);
  return { pdfs, missing };
}

/** The text of a PDF by Poppler's pdftotext; null if it refuses the file. */
export function popplerText(path: string): string | null {
  try {
    return execFileSync('pdftotext', ['-enc', 'UTF-8', path, '-'], {
      stdio: ['ignore', 'pipe', 'ignore'],
      maxBuffer: 1 << 28,
      timeout: 60_000,
    }).toString('utf8');
  } catch {
    // An unreadable file has no words.
    return null;
  }
}

/** Version of pdftotext; null if it is not installed. */
export function popplerVersion(): string | null {
  const folder = join(process.env['TMPDIR'] ?? '/tmp', `pdftotext-version-${process.pid}`);
  try {
    // It prints its version on standard error, and some versions exit with 99.
    execFileSync('sh', ['-c', 'pdftotext -v > "$1" 2>&1', 'sh', folder], { stdio: 'ignore' });
  } catch {
    // The exit code is not reliable; the output is.
  }
  const version = /version (\S+)/.exec(readFileSync(folder, 'utf8'))?.[1] ?? null;
  rmSync(folder);
  return version;
}
