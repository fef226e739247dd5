import type { Warning } from '../../models/asset.ts';
import type { Block } from '../../models/block.ts';
import { buildCourse, courseItem, courseResource, scormManifest } from '../testing/course.ts';
import { buildDocx, buildXlsx, paragraph } from '../testing/office.ts';
import { buildPdf } from '../testing/pdf.ts';
import { blocksIn, tightPool } from '../../services/extractor/testing/pool.ts';
import { blocksOf, codeOf, withFile } from '../testing/read.ts';
import { buildZip } from '../testing/zip.ts';
import { defaultLimits } from '../reader.ts';
import { readerOf } from '../readers.ts';

const read = await readerOf('package');
const page = (text: string, title = ''): string => `<!doctype html><title>${title}</title><p>${text}</p>`;

/** Path, title and text of each block. */
async function readPackage(content: Uint8Array): Promise<string[]> {
  return (await blocksOf(read, content)).map(
    ({ text, location }) => `${location.resource} | ${location.title} | ${text}`,
  );
}

async function warned(content: Uint8Array): Promise<{ blocks: Block[]; warnings: Warning[] }> {
  return withFile(content, 'course.zip', async (path, bytes) => {
    const warnings: Warning[] = [];
    const blocks: Block[] = [];
    for await (const block of read(
      { path, bytes },
      defaultLimits,
      () => undefined,
      (warning) => warnings.push(warning),
    ))
      blocks.push(block);
    return { blocks, warnings };
  });
}

/** The blocks as a process of its own gives them: it alone can read a PDF. */
async function readInProcess(content: Uint8Array): Promise<Block[]> {
  const pool = tightPool();
  try {
    return await withFile(content, 'course.zip', async (path, bytes) =>
      (await Array.fromAsync(pool.extract({ path, bytes, format: 'package' }))).flatMap(blocksIn),
    );
  } finally {
    await pool.close();
  }
}

describe('a SCORM package', () => {
  it('is read in item order, with item titles', async () => {
    const items = courseItem(
      'Module',
      undefined,
      courseItem('Last first', 'r2') +
        courseItem('Part', undefined, courseItem('First & last', 'r1', '', 'parameters="?mode=a"')),
    );
    const manifest = scormManifest(
      items,
      courseResource('r1', 'a.html?x=1#top', ['a.html', 'extra.html']) +
        courseResource('r2', 'b.html', ['b.html', 'a.html']) +
        courseResource('r3', 'c.html'),
    );
    const pages = {
      'a.html': page('alpha', 'own a'),
      'b.html': page('beta'),
      'c.html': page('gamma', 'Third'),
      'd.html': page('delta'),
      'extra.html': page('epsilon', 'More on it'),
    };
    expect(await readPackage(buildCourse({ pages, manifest }))).toEqual([
      'b.html | Last first | beta',
      'a.html | First & last | alpha',
      'extra.html | More on it | epsilon',
      'c.html | Third | gamma',
      'd.html | Course | delta',
    ]);
  });

  it('adds titles to the first block of pages, modules and the course', async () => {
    const items =
      courseItem('Empty', undefined, courseItem('Nowhere', 'gone')) +
      courseItem(
        'Module',
        undefined,
        courseItem('One', 'r1') + courseItem('Part', undefined, courseItem('Two', 'r2')) + courseItem('Three', 'r3'),
      );
    const manifest = scormManifest(
      items,
      courseResource('r1', 'a.html') + courseResource('r2', 'b.html') + courseResource('r3', 'c.html'),
      { title: 'The course' },
    );
    const pages = {
      'a.html': `${page('alpha')}<p>more`,
      'b.html': page('beta'),
      'c.html': page('gamma'),
      'd.html': page('delta', 'Own'),
      'e.html': page('epsilon'),
    };
    const titles = async (content: Uint8Array): Promise<unknown[]> =>
      (await blocksOf(read, content)).map(({ text, titles }) => [text, titles]);
    expect(await titles(buildCourse({ pages, manifest }))).toEqual([
      ['alpha', 'The course\nModule\nOne'],
      ['more', undefined],
      ['beta', 'Part\nTwo'],
      ['gamma', 'Three'],
      ['delta', 'Own'],
      ['epsilon', 'The course'],
    ]);
    expect(
      await titles(
        buildCourse({
          pages: { 'a.html': page('alpha', 'Own') },
          manifest: scormManifest('', '', { title: 'The course' }),
        }),
      ),
    ).toEqual([['alpha', 'The course\nOwn']]);
  });

  it('of SCORM 2004 follows bases and circular dependencies', async () => {
    const resources =
      courseResource('r1', 'one.html', ['one.html'], '<dependency identifierref="d1"/>', 'xml:base="lessons/"') +
      courseResource('d1', null, ['shared.html'], '<dependency identifierref="d2"/>', 'xml:base="common/"') +
      courseResource(
        'd2',
        null,
        ['deep/deeper.html'],
        '<dependency identifierref="d1"/><dependency identifierref="r1"/>',
      );
    const manifest = scormManifest(courseItem('One', 'r1'), resources, {
      version: '2004',
      attributes: 'xml:base="content/"',
      resourcesAttributes: 'xml:base="all/"',
    });
    const pages = {
      'one.html': page('decoy'),
      'content/all/lessons/one.html': page('right'),
      'content/all/common/shared.html': page('shared'),
      'content/all/deep/deeper.html': page('deeper'),
    };
    expect(await readPackage(buildCourse({ pages, manifest }))).toEqual([
      'content/all/lessons/one.html | One | right',
      'content/all/common/shared.html | One | shared',
      'content/all/deep/deeper.html | One | deeper',
      'one.html | Course | decoy',
    ]);
  });

  it('follows sub-manifests from the items that name them', async () => {
    const inner =
      '<manifest identifier="inner" xml:base="in/"><organizations><organization identifier="o"><title>Inner</title><item identifierref="p"><title>Inside</title></item></organization></organizations><resources><resource identifier="p" href="p.html"/></resources></manifest>';
    const manifest = scormManifest(
      courseItem('Goes in', 'inner') + courseItem('After', 'q'),
      courseResource('q', 'q.html'),
    ).replace('</manifest>', `${inner}</manifest>`);
    expect(
      await readPackage(buildCourse({ pages: { 'q.html': page('queue'), 'in/p.html': page('pea') }, manifest })),
    ).toEqual(['in/p.html | Inside | pea', 'q.html | After | queue']);
  });

  it('with only a player yields listed files, then all pages', async () => {
    const manifest = scormManifest(
      courseItem('Course', 'r'),
      courseResource('r', 'player.js', ['player.js', 'z.html']),
    );
    const pages = {
      'player.js': 'function start(){ if (a) { return load("pages/p1.html"); } } var message = "Please wait a moment";',
      'pages/p10.html': page('ten', 'Tenth'),
      'pages/p2.html': page('two', 'Second'),
      'z.html': page('listed', 'Z'),
    };
    expect(await readPackage(buildCourse({ pages, manifest }))).toEqual([
      'z.html | Z | listed',
      'pages/p2.html | Second | two',
      'pages/p10.html | Tenth | ten',
    ]);
  });

  it('finds files by unusual addresses, and none outside', async () => {
    const hrefs = [
      'My%20page.html',
      'UPPER/Lower.HTML',
      'folder\\back.html',
      'Caf\u00e9.html',
      'odd#name%.html',
      './x/../plain.html',
      '../../../../etc/passwd',
      'https://elsewhere.example/a.html',
      '/etc/passwd',
      'absent.html',
    ];
    const manifest = scormManifest(
      hrefs.map((_, at) => courseItem(`T${at}`, `r${at}`)).join(''),
      hrefs.map((href, at) => courseResource(`r${at}`, href)).join(''),
    );
    const pages = {
      'My page.html': page('a'),
      'upper/lower.html': page('b'),
      'folder/back.html': page('c'),
      'Cafe\u0301.html': page('d'),
      'odd#name%.html': page('e'),
      'plain.html': page('f'),
    };
    const { blocks, warnings } = await warned(buildCourse({ pages, manifest }));
    expect(blocks.map(({ location }) => location.title)).toEqual(['T0', 'T1', 'T2', 'T3', 'T4', 'T5']);
    expect(warnings).toEqual([{ code: 'package_items_lead_nowhere', detail: expect.stringContaining('4') }]);
  });

  it('reads documents with their own locations', async () => {
    const pages = {
      'guide.pdf': buildPdf([{ lines: ['Cover'] }, { lines: ['The sluice gate'] }]),
      'notes.docx': buildDocx(paragraph('Word of it')),
      'list.xlsx': buildXlsx([{ name: 'S', rows: '<row r="2"><c t="inlineStr"><is><t>Cell</t></is></c></row>' }]),
      'read.txt': 'plain line',
      'data.csv': 'a,b\n1,2\n',
      'page.html': '<meta charset="iso-8859-1"><h1>Head</h1><p>prose</p>',
    };
    const locations = (await readInProcess(buildCourse({ pages }))).map(
      ({ text, location: { charStart: _start, charEnd: _end, lineEnd: _line, ...place } }) => [text, place],
    );
    expect(locations).toEqual([
      ['Cover', { resource: 'guide.pdf', title: 'guide.pdf', page: 1 }],
      ['The sluice gate', { resource: 'guide.pdf', title: 'guide.pdf', page: 2 }],
      ['Word of it', { resource: 'notes.docx', title: 'notes.docx', block: 1 }],
      ['Cell', { resource: 'list.xlsx', title: 'list.xlsx', sheet: 'S', row: 2 }],
      ['plain line', { resource: 'read.txt', title: 'read.txt', lineStart: 1 }],
      ['a | b', { resource: 'data.csv', title: 'data.csv', row: 1 }],
      ['1 | 2', { resource: 'data.csv', title: 'data.csv', row: 2 }],
      ['Head', { resource: 'page.html', title: 'page.html', element: 1, heading: 'Head' }],
      ['prose', { resource: 'page.html', title: 'page.html', element: 2, heading: 'Head' }],
    ]);
  });

  it('separates pages, and reads hidden text and wrong encodings', async () => {
    const blocks = await blocksOf(
      read,
      buildCourse({
        pages: {
          'a.html': '<p style="display:none">shown on a click</p><dialog>in a window</dialog>',
          'b.html': Buffer.from('<p>na\xefve \x93q\x94</p>', 'latin1'),
        },
      }),
    );
    expect(blocks.map(({ text }) => text)).toEqual(['shown on a click', 'in a window', 'naïve “q”']);
    expect(new Set(blocks.map(({ group }) => group)).size).toBe(2);
  });

  it('reports what it could not read', async () => {
    const pages = {
      'a.html': page('read'),
      'b.pdf': 'no pdf',
      'c.txt': Buffer.from([0xff, 0xfe, 0x41, 0x00]),
      'd.html': '<img src="x.png">',
      'old.ppt': 'x',
    };
    const { blocks, warnings } = await warned(buildCourse({ pages }));
    expect(blocks).toHaveLength(1);
    expect(
      warnings.map(({ code, detail }) => [code, ...detail.matchAll(/\S+\.(?:pdf|txt|html|ppt)/g)].map(String)),
    ).toEqual([
      ['package_files_unread', 'b.pdf', 'c.txt', 'old.ppt'],
      ['package_files_without_text', 'd.html'],
    ]);
  });

  it('with a broken manifest yields all pages', async () => {
    const manifest = scormManifest(
      courseItem('Good', 'r'),
      courseResource('r', 'z.html') + '<resource identifier="x" href="a.html"><broken & </resource>',
    );
    const { blocks, warnings } = await warned(
      buildCourse({ pages: { 'a.html': page('aa', 'Own'), 'z.html': page('zz') }, manifest }),
    );
    expect(blocks.map(({ location }) => location.title)).toEqual(['Good', 'Own']);
    expect(warnings.map(({ code }) => code)).toEqual(['package_manifest_broken']);
  });

  it('reads manifests in other encodings and with titles in other scripts', async () => {
    const manifest = Buffer.from(
      scormManifest(courseItem('Überblick', 'r'), courseResource('r', 'a.html')).replace('UTF-8', 'windows-1252'),
      'latin1',
    );
    expect(
      await readPackage(
        buildZip([
          { name: 'imsmanifest.xml', content: manifest },
          { name: 'a.html', content: page('x') },
        ]),
      ),
    ).toEqual(['a.html | Überblick | x']);
    const wide = Buffer.from(
      `\ufeff${scormManifest(courseItem('概要', 'r'), courseResource('r', 'a.html')).replace('UTF-8', 'UTF-16')}`,
      'utf16le',
    );
    expect(
      await readPackage(
        buildZip([
          { name: 'imsmanifest.xml', content: wide },
          { name: 'a.html', content: page('x') },
        ]),
      ),
    ).toEqual(['a.html | 概要 | x']);
  });

  it('is read within a top-level folder', async () => {
    const manifest = scormManifest(courseItem('In a folder', 'r'), courseResource('r', 'a.html'));
    expect(
      await readPackage(
        buildZip([
          { name: 'course/imsmanifest.xml', content: manifest },
          { name: 'course/a.html', content: page('x') },
          { name: '__MACOSX/course/._a.html', content: 'junk' },
        ]),
      ),
    ).toEqual(['course/a.html | In a folder | x']);
  });

  it('is rejected if invalid, empty or encrypted', async () => {
    expect(await codeOf(read, buildZip([{ name: 'a.html', content: page('x') }]))).toBe('not_a_scorm_package');
    expect(
      await codeOf(read, buildCourse({ pages: { 'a.html': page('x') }, manifest: '<html>no manifest</html>' })),
    ).toBe('not_a_scorm_package');
    expect(
      await codeOf(
        read,
        buildCourse({
          pages: { 'a.html': page('x') },
          manifest: scormManifest('', '').replace('ADL SCORM', 'IMS Common Cartridge'),
        }),
      ),
    ).toBe('not_a_scorm_package');
    expect(
      await codeOf(read, buildCourse({ pages: { 'a.html': page(''), 'b.jpg': 'x', 'scan.pdf': buildPdf([{}]) } })),
    ).toBe('document_empty');
    expect(
      await codeOf(read, buildCourse({ pages: {}, entries: [{ name: 'a.html', content: page('x'), flags: 1 }] })),
    ).toBe('document_encrypted');
    expect(await codeOf(read, 'no zip at all')).toBe('document_unreadable');
  });
});

it('reads 2,000 pages in order within seconds and little memory', async () => {
  const prose = 'The lease of a worker is renewed every ten seconds, and what it wrote stays. '.repeat(30);
  const numbers = Array.from({ length: 2000 }, (_, at) => at);
  const path = (number: number): string => `m${number % 20}/page${(number * 7919) % 2000}.html`;
  const pages = Object.fromEntries(numbers.map((number) => [path(number), page(`${prose} ${number}`)]));
  const manifest = scormManifest(
    numbers.map((number) => courseItem(`Lesson ${number}`, `r${number}`)).join(''),
    numbers.map((number) => courseResource(`r${number}`, path(number), [path(number)])).join(''),
  );
  const course = buildCourse({ pages, manifest });
  await withFile(course, 'course.zip', async (file, bytes) => {
    const before = process.cpuUsage();
    let next = 0;
    for await (const { location } of read({ path: file, bytes }, defaultLimits, () => undefined))
      expect(location.title).toBe(`Lesson ${next++}`);
    expect(next).toBe(2000);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1e6).toBeLessThan(15);
  });
});
