import { createWriteStream } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { join } from 'node:path';
import { buildDocx, buildXlsx, paragraph } from '../formats/testing/office.ts';
import { buildPdf } from '../formats/testing/pdf.ts';

const vocabulary =
  'passage index search engine record lease outbox principal segment rendition platform file word meaning library answer question time place revision worker queue store vector'.split(
    ' ',
  );

/** Pseudorandom words, the same in every run (a linear congruential generator). */
function wordSource(seed: number): (count: number) => string {
  let state = seed;
  return (count) =>
    Array.from({ length: count }, () => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      return vocabulary[(state >>> 16) % vocabulary.length] ?? '';
    }).join(' ');
}

async function writeCsv(path: string, rows: number): Promise<void> {
  const out = createWriteStream(path);
  const words = wordSource(3);
  const note = Array.from({ length: 97 }, () => words(9));
  out.write('id,name,note,amount\n');
  for (let row = 0; row < rows; row += 1000) {
    const lines = Array.from(
      { length: 1000 },
      (_, index) =>
        `${row + index},"Person ${row + index}","${note[(row + index) % 97]}, and more",${(row + index) / 4}\n`,
    );
    if (!out.write(lines.join(''))) await once(out, 'drain');
  }
  out.end();
  await once(out, 'finish');
}

function workbook(rows: number): Buffer {
  const strings = Array.from({ length: rows }, (_, index) => `<si><t>Customer ${index} of the list</t></si>`).join('');
  const cells = Array.from(
    { length: rows },
    (_, index) =>
      `<row r="${index + 1}"><c><v>${index}</v></c><c t="s"><v>${index}</v></c><c s="0"><v>${40_000 + (index % 5000)}</v></c><c s="1"><v>${(index % 100) / 100}</v></c><c t="inlineStr"><is><t>note ${index}</t></is></c></row>`,
  ).join('');
  return buildXlsx([{ name: 'Data', rows: cells }], { strings, formats: ['dd/mm/yyyy', '0%'] });
}

function page(words: (count: number) => string): string[] {
  return Array.from({ length: 46 }, () => words(11));
}

/** Writes the generated corpus: one large file of each format with pages or rows, and small ones of all formats. */
export async function writeCorpus(folder: string): Promise<void> {
  const words = wordSource(11);
  await mkdir(join(folder, 'large'), { recursive: true });
  await mkdir(join(folder, 'small'), { recursive: true });
  await writeFile(
    join(folder, 'large/pages.pdf'),
    buildPdf(Array.from({ length: 500 }, () => ({ lines: page(words) }))),
  );
  await writeFile(join(folder, 'large/rows.xlsx'), workbook(200_000));
  await writeCsv(join(folder, 'large/rows.csv'), 1_000_000);
  const html = Array.from(
    { length: 20_000 },
    (_, index) => `<h2>Part ${index}</h2><p>${words(60)}, <a href="/${index}">${words(4)}</a>.</p>`,
  ).join('\n');
  await writeFile(join(folder, 'large/page.html'), `<!doctype html><title>Large</title><main>${html}</main>`);
  await writeFile(
    join(folder, 'large/paragraphs.docx'),
    buildDocx(Array.from({ length: 30_000 }, () => paragraph(words(60))).join('')),
  );
  for (let index = 0; index < 200; index++) {
    const name = (extension: string): string => join(folder, `small/${String(index).padStart(3, '0')}.${extension}`);
    await writeFile(name('txt'), Array.from({ length: 20 }, () => words(10)).join('\n'));
    await writeFile(name('md'), `# ${words(3)}\n\n${Array.from({ length: 20 }, () => words(10)).join('\n\n')}`);
    await writeFile(name('docx'), buildDocx(Array.from({ length: 40 }, () => paragraph(words(30))).join('')));
    await writeFile(name('xlsx'), workbook(100));
  }
}
