import type { SearchItem } from '../../models/api.ts';
import { buildDocx, buildXlsx, paragraph } from '../../formats/testing/office.ts';
import { buildPdf } from '../../formats/testing/pdf.ts';
import { until } from './support/client.ts';
import { startTestProgram, type TestProgram } from './support/program.ts';

let program: TestProgram;
beforeAll(async () => {
  program = await startTestProgram();
});
afterAll(() => program.end());

async function hit(filename: string, body: string | Uint8Array, query: string): Promise<SearchItem> {
  const { assetId } = await program.standard.indexed({ filename, ...program.source.put(filename, body) });
  // The first file of a language is recognized within a second.
  const { items } = await until(
    () => program.standard.search({ query, filter: { assetIds: [assetId] } }),
    (answer) => answer.items.length > 0,
  );
  expect(items).toHaveLength(1);
  const [item] = items;
  for (const { start, end } of item!.highlights) expect(item!.snippet.slice(start, end).length).toBeGreaterThan(0);
  return item!;
}

const cell = (reference: string, text: string): string =>
  `<c r="${reference}" t="inlineStr"><is><t>${text}</t></is></c>`;

describe('the location of a passage', () => {
  it('in a PDF is its page and offsets', async () => {
    const { location, snippet } = await hit(
      'report.pdf',
      buildPdf([
        { lines: ['An introduction to rivers.'] },
        { lines: ['Second page.', 'The sluice was opened in spring.'] },
      ]),
      'sluice',
    );
    expect(location).toEqual({ page: 2, charStart: 0, charEnd: snippet.length });
  });

  it('in a Word file is its block under its heading', async () => {
    const body = buildDocx(`${paragraph('Gardens', 'Heading1')}${paragraph('The topiary is trimmed in June.')}`, [
      {
        type: 'styles',
        name: 'styles.xml',
        xml: '<w:styles xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/></w:style></w:styles>',
      },
    ]);
    const { location } = await hit('garden.docx', body, 'topiary');
    expect(location).toMatchObject({ block: expect.any(Number), heading: 'Gardens' });
  });

  it('in a table of a Word file is its row and column', async () => {
    const table = `<w:tbl><w:tr><w:tc>${paragraph('plain')}</w:tc><w:tc>${paragraph('other')}</w:tc></w:tr><w:tr><w:tc>${paragraph('third')}</w:tc><w:tc>${paragraph('The trellis stands here')}</w:tc></w:tr></w:tbl>`;
    const { location } = await hit('table.docx', buildDocx(table), 'trellis');
    expect(location).toMatchObject({ row: expect.any(Number), column: expect.any(Number) });
  });

  it('in a workbook is its sheet and row', async () => {
    const rows = `<row r="1">${cell('A1', 'Name')}${cell('B1', 'Use')}</row><row r="5">${cell('A5', 'Theodolite')}${cell('B5', 'surveying')}</row>`;
    const { location } = await hit(
      'tools.xlsx',
      buildXlsx([
        { name: 'First', rows: '' },
        { name: 'Tools', rows },
      ]),
      'theodolite',
    );
    expect(location).toMatchObject({ sheet: 'Tools', row: expect.any(Number) });
    expect(Number(location.row)).toBeLessThanOrEqual(5);
  });

  it('in a CSV file is its record, counting the header', async () => {
    const { location, snippet } = await hit('stock.csv', 'article,place\n"Astrolabe, brass",shelf 4\n', 'astrolabe');
    expect(snippet).toContain('Astrolabe, brass');
    expect(Number(location.row)).toBeLessThanOrEqual(2);
    expect(Object.keys(location)).toEqual(['row']);
  });

  it.each(['notes.txt', 'notes.md'])('in %s is its lines and offsets in the file', async (filename) => {
    const text = `\u{1f600} first line\n\nsecond line on a sextant\n`;
    const { location } = await hit(filename, text, 'sextant');
    expect(location).toMatchObject({ lineStart: expect.any(Number), lineEnd: 3 });
    expect(text.slice(Number(location.charStart), Number(location.charEnd))).toContain('second line on a sextant');
  });

  it.each(['page.html', 'page.htm', 'page.xhtml'])('in %s is its element under its heading', async (filename) => {
    const { location, snippet } = await hit(
      filename,
      '<!DOCTYPE html><html><head><title>T</title><style>p{}</style></head><body><h2>Instruments</h2><p>A gyroscope keeps &amp; holds <b>its</b> axis.</p><script>gyroscope()</script></body></html>',
      'gyroscope',
    );
    expect(location).toMatchObject({ element: expect.any(Number), heading: 'Instruments' });
    expect(snippet).toContain('keeps & holds its axis');
    expect(snippet).not.toContain('<');
  });

  it('has highlights in UTF-16 units after characters outside the basic plane', async () => {
    const { snippet, highlights } = await hit(
      'emoji.txt',
      '\u{1f600}\u{1f600} the Sextants of \u{1f600} captains',
      'sextant',
    );
    expect(highlights.map(({ start, end }) => snippet.slice(start, end))).toEqual(['Sextants']);
  });

  it('is found in other languages and scripts', async () => {
    const texts: [string, string, string][] = [
      ['de.txt', 'Die Häuser am Fluß wurden im Frühling überschwemmt.', 'haus frühling'],
      ['ru.txt', 'Старые книги лежали на столе в библиотеке.', 'книга'],
      ['ja.txt', '図書館で古い地図を見つけました。', '地図'],
      ['ar.txt', 'الكتاب على الطاولة في المكتبة القديمة.', 'المكتبة'],
    ];
    for (const [filename, text, query] of texts) expect((await hit(filename, text, query)).matchType).toBe('keyword');
  });
});

it('the progress of a large file never decreases within a stage, and stages follow in order', async () => {
  const rows = Array.from(
    { length: 30_000 },
    (_, at) => `${at},a row about the harvest of year ${at},some more words that stand here\n`,
  ).join('');
  const { jobId } = await program.standard.register({
    filename: 'large.csv',
    ...program.source.put('large.csv', rows),
  });
  const seen: { stage: string; progress: number }[] = [];
  await until(
    () => program.standard.job(jobId),
    ({ stage, progress, state }) => {
      seen.push({ stage, progress });
      return state === 'ready';
    },
    200_000,
  );
  const stages = seen.map(({ stage }) => ['extracting', 'embedding'].indexOf(stage));
  expect(stages).toEqual([...stages].sort((a, b) => a - b));
  for (const stage of ['extracting', 'embedding']) {
    const percents = seen.filter((one) => one.stage === stage).map(({ progress }) => progress);
    expect(percents).toEqual([...percents].sort((a, b) => a - b));
    for (const percent of percents) expect(Number.isInteger(percent) && percent >= 0 && percent <= 100).toBe(true);
  }
  expect(seen.at(-1)).toEqual({ stage: 'embedding', progress: 100 });
  const { items } = await program.standard.search({ query: 'harvest 29999', limit: 1 });
  expect(Number(items[0]?.location.row)).toBeGreaterThan(29_000);
});
