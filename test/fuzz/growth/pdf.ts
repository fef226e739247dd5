import { buildPdf, textAt } from '../../../formats/testing/pdf.ts';
import { many, type GrowingShape } from './shape.ts';

/** Shapes of PDFs. */
export const pdfShapes: readonly GrowingShape[] = [
  ...([['x '], [' '], ['\\'], ['-'], ['\u00ad'], ['a-'], ['\u00e9']] as const).map(([unit]): GrowingShape => ({
    name: `one line of ${JSON.stringify(unit)}`,
    format: 'pdf',
    build: (n) => buildPdf([{ lines: [unit.repeat(n)] }]),
  })),
  {
    name: 'lines',
    format: 'pdf',
    build: (n) => buildPdf([{ lines: Array.from({ length: n }, (_, index) => `line ${index}`) }]),
  },
  {
    name: 'lines that end in hyphens',
    format: 'pdf',
    build: (n) => buildPdf([{ lines: Array.from({ length: n }, () => 'some words hyphen-') }]),
  },
  {
    name: 'lines at one position',
    format: 'pdf',
    build: (n) => buildPdf([{ operators: many(n, (index) => textAt(60, 700, `w${index}`)) }]),
  },
  {
    name: 'the same line at one position',
    format: 'pdf',
    build: (n) => buildPdf([{ operators: textAt(60, 700, 'words').repeat(n) }]),
  },
  {
    name: 'the same line, near',
    format: 'pdf',
    build: (n) => buildPdf([{ operators: many(n, (index) => textAt(60 + (index % 5), 700 + (index % 7), 'words')) }]),
  },
  {
    name: 'the same small letter, near',
    format: 'pdf',
    build: (n) => buildPdf([{ operators: many(n, (index) => textAt(60 + index * 0.4, 700, 'w', 400)) }]),
  },
  {
    name: 'the same letter all over',
    format: 'pdf',
    build: (n) => buildPdf([{ operators: many(n, (index) => textAt((index * 7) % 600, (index * 13) % 780, 'w', 30)) }]),
  },
  {
    name: 'words on one line',
    format: 'pdf',
    build: (n) => buildPdf([{ operators: many(n, (index) => textAt(10 + index * 30, 700, 'words')) }]),
  },
  {
    name: 'words from right to left',
    format: 'pdf',
    build: (n) => buildPdf([{ operators: many(n, (index) => textAt(100_000 - index * 30, 700, 'words')) }]),
  },
  {
    name: 'words up the page',
    format: 'pdf',
    build: (n) => buildPdf([{ operators: many(n, (index) => textAt(60, index, 'some words')) }]),
  },
  {
    name: 'words in two columns',
    format: 'pdf',
    build: (n) =>
      buildPdf([
        {
          operators: many(
            n,
            (index) =>
              textAt(60, 100_000 - index * 12, 'some words of the left column here') +
              textAt(350, 100_000 - index * 12, 'and some of the right one'),
          ),
        },
      ]),
  },
  {
    name: 'words in many columns',
    format: 'pdf',
    build: (n) => {
      const side = Math.ceil(Math.sqrt(n));
      return buildPdf([
        {
          operators: many(side, (row) =>
            many(side, (column) => textAt(column * 100, 10_000 - row * 12, 'some words of it')),
          ),
        },
      ]);
    },
  },
  {
    name: 'a word at each angle',
    format: 'pdf',
    build: (n) =>
      buildPdf([
        {
          operators: many(
            n,
            (index) =>
              `BT /F1 9 Tf ${Math.cos(index)} ${Math.sin(index)} ${-Math.sin(index)} ${Math.cos(index)} 300 300 Tm (w${index}) Tj ET `,
          ),
        },
      ]),
  },
  {
    name: 'pages',
    format: 'pdf',
    build: (n) => buildPdf(Array.from({ length: Math.min(n, 4000) }, () => ({ lines: ['x'] }))),
  },
  {
    name: 'letters set apart one by one',
    format: 'pdf',
    build: (n) => buildPdf([{ operators: `BT /F1 9 Tf 1 0 0 1 60 700 Tm [${'(w) -300 '.repeat(n)}] TJ ET` }]),
  },
  {
    name: 'letters set apart',
    format: 'pdf',
    build: (n) => buildPdf([{ operators: `BT /F1 9 Tf 3 Tc 1 0 0 1 60 700 Tm (${'w'.repeat(n)}) Tj ET` }]),
  },
  {
    name: 'letters set far apart',
    format: 'pdf',
    build: (n) => buildPdf([{ operators: `BT /F1 9 Tf 9 Tc 1 0 0 1 60 700 Tm (${'words '.repeat(n)}) Tj ET` }]),
  },
  {
    name: 'arrays of letters',
    format: 'pdf',
    build: (n) =>
      buildPdf([
        { operators: `BT /F1 9 Tf 1 0 0 1 60 700 Tm ${'[(w) -300 (o) -300 (r) -300 (d) -300 (s)] TJ '.repeat(n)} ET` },
      ]),
  },
  {
    name: 'marks with another text',
    format: 'pdf',
    build: (n) =>
      buildPdf([{ operators: many(n, () => `/Span <</ActualText (x)>> BDC ${textAt(60, 700, 'w')} EMC `) }]),
  },
  {
    name: 'marks within marks',
    format: 'pdf',
    build: (n) =>
      buildPdf([
        { operators: `${'/Span <</ActualText (x)>> BDC '.repeat(n)}${textAt(60, 700, 'w')}${' EMC'.repeat(n)}` },
      ]),
  },
  {
    name: 'notes on the page',
    format: 'pdf',
    build: (n) =>
      buildPdf([
        {
          lines: ['x'],
          entries: `/Annots [${'<< /Type /Annot /Subtype /Text /Rect [0 0 9 9] /Contents (some note) >> '.repeat(n)}]`,
        },
      ]),
  },
  {
    name: 'notes written on the page',
    format: 'pdf',
    build: (n) =>
      buildPdf([
        {
          lines: Array.from({ length: n }, () => 'x'),
          entries: `/Annots [${'<< /Type /Annot /Subtype /FreeText /DA (/F1 9 Tf) /Rect [60 60 99 99] /Contents (some note) >> '.repeat(n)}]`,
        },
      ]),
  },
  {
    name: 'choices of a field',
    format: 'pdf',
    build: (n) =>
      buildPdf([
        {
          lines: ['x'],
          entries: `/Annots [<< /Type /Annot /Subtype /Widget /FT /Ch /Ff 2097152 /T (c) /Rect [0 0 9 9] /Opt [${many(n, (index) => `(o${index})`)}] /V [${many(n, (index) => `(o${index})`)}] >>]`,
        },
      ]),
  },
  { name: 'states saved', format: 'pdf', build: (n) => buildPdf([{ lines: ['x'], operators: 'q Q '.repeat(n) }]) },
];
