import type { SearchItem } from '../../models/api.ts';
import { buildCourse, courseItem, courseResource, scormManifest } from '../../formats/testing/course.ts';
import { buildPdf } from '../../formats/testing/pdf.ts';
import { buildZip } from '../../formats/testing/zip.ts';
import type { AssetView } from '../../models/api.ts';
import { content, until } from './support/client.ts';
import { startTestProgram, type TestProgram } from './support/program.ts';

let program: TestProgram;
beforeAll(async () => {
  program = await startTestProgram();
});
afterAll(() => program.end());

const page = (title: string, text: string): string =>
  `<!doctype html><html><head><title>${title}</title></head><body><h1>${title}</h1><p>${text}</p></body></html>`;

async function course(
  filename: string,
  body: Uint8Array,
): Promise<{ asset: AssetView; find(query: string): Promise<SearchItem> }> {
  const { assetId } = await program.standard.indexed({ filename, ...program.source.put(filename, body) });
  return {
    asset: await program.standard.asset(assetId),
    find: async (query) => {
      const { items } = await until(
        () => program.standard.search({ query, filter: { assetIds: [assetId] } }),
        (answer) => answer.items.length > 0,
      );
      expect(items[0]?.highlights.length).toBeGreaterThan(0);
      return items[0]!;
    },
  };
}

async function failure(filename: string, body: Uint8Array): Promise<string | null> {
  const { jobId } = await program.standard.register({ filename, ...program.source.put(filename, body) });
  return (await program.standard.reaches(jobId, 'failed')).errorCode;
}

describe('courses', () => {
  it('are a supported format', async () => {
    const { formats } = await program.standard.get<{ formats: { kind: string; extensions: string[] }[] }>(
      200,
      'GET',
      `${content}/capabilities`,
    );
    expect(formats).toContainEqual({
      kind: 'document',
      extensions: ['.zip'],
      describes: expect.stringContaining('SCORM'),
    });
  });

  it('of SCORM 1.2 are found by page, with the titles of nested items, in the order of the manifest', async () => {
    const items =
      courseItem(
        'Safety',
        undefined,
        courseItem('Ladders & scaffolds', 'r2') +
          courseItem('Working alone', undefined, courseItem('Lone rangers', 'r1')),
      ) + courseItem('Handbook', 'r3');
    const manifest = scormManifest(
      items,
      courseResource('r1', 'a/alone.html?part=1', ['a/alone.html']) +
        courseResource('r2', 'z%20ladders.html') +
        courseResource('r3', 'handbook.pdf'),
    );
    const { find, asset } = await course(
      'safety-course.zip',
      buildCourse({
        manifest,
        pages: {
          'a/alone.html': page('Untitled', 'Carry a whistle everywhere.'),
          'z ladders.html': page('Own', 'A stepladder needs a spotter. Somebody carries on.'),
          'handbook.pdf': buildPdf([{ lines: ['Cover sheet'] }, { lines: ['The extinguisher hangs by the door.'] }]),
          'broken.pdf': 'no pdf',
        },
      }),
    );
    expect((await find('stepladder spotter')).location).toMatchObject({
      resource: 'z ladders.html',
      title: 'Ladders & scaffolds',
      heading: 'Own',
      element: expect.any(Number),
    });
    expect((await find('whistle')).location).toMatchObject({ resource: 'a/alone.html', title: 'Lone rangers' });
    expect((await find('extinguisher')).location).toMatchObject({
      resource: 'handbook.pdf',
      title: 'Handbook',
      page: 2,
    });
    expect(asset.warnings).toEqual([
      { code: 'package_files_unread', detail: expect.stringContaining('broken.pdf (document_unreadable)') },
    ]);
    const { items: grouped } = await program.standard.search({
      query: 'carry',
      group: 'file',
      filter: { assetIds: [asset.assetId] },
    });
    expect(grouped[0]?.moments?.map(({ location }) => location.resource)).toEqual(['z ladders.html', 'a/alone.html']);
  });

  it('are found by titles, without highlights on the page', async () => {
    const items = courseItem(
      'Hydraulics',
      undefined,
      courseItem('Bleeding the accumulator', 'r1') + courseItem('Depressurizing', 'r2'),
    );
    const manifest = scormManifest(items, courseResource('r1', 'a.html') + courseResource('r2', 'b.html'), {
      title: 'Turbine maintenance',
    });
    const { asset } = await course(
      'titles.zip',
      buildCourse({
        manifest,
        pages: { 'a.html': '<p>Open the screw slowly.</p><p>Wait.</p>', 'b.html': '<p>Close it again.</p>' },
      }),
    );
    const found = async (query: string): Promise<unknown> =>
      (await program.standard.search({ query, filter: { assetIds: [asset.assetId] } })).items.map(
        ({ location, snippet, highlights, matchType }) => [location.resource, snippet, highlights.length, matchType],
      );
    const first = ['a.html', 'Open the screw slowly.\nWait.', 0, 'semantic'];
    expect(
      await until(
        () => found('accumulator bleeding'),
        (items) => JSON.stringify(items) !== '[]',
      ),
    ).toEqual([first]);
    expect(await found('depressurizing')).toEqual([['b.html', 'Close it again.', 0, 'semantic']]);
    expect(await found('turbine hydraulics')).toEqual([first]);
    expect(await found('screw of the accumulator')).toEqual([
      ['a.html', 'Open the screw slowly.\nWait.', 1, 'keyword'],
    ]);
  });

  it('of SCORM 2004 are read with base addresses and dependencies', async () => {
    const resources =
      courseResource('r', 'one.xhtml', ['one.xhtml'], '<dependency identifierref="d"/>', 'xml:base="lessons/"') +
      courseResource('d', null, ['glossary.html'], '', 'xml:base="common/"');
    const manifest = scormManifest(courseItem('Lesson one', 'r', '', 'parameters="?lang=en"'), resources, {
      version: '2004',
      attributes: 'xml:base="content/"',
    });
    const { find } = await course(
      'lesson.zip',
      buildCourse({
        manifest,
        pages: {
          'one.xhtml': page('Decoy', 'Nothing here'),
          'content/lessons/one.xhtml': page('X', 'Barometers measure pressure.'),
          'content/common/glossary.html': page('Glossary', 'An anemometer measures wind.'),
        },
      }),
    );
    expect((await find('barometer')).location).toMatchObject({
      resource: 'content/lessons/one.xhtml',
      title: 'Lesson one',
    });
    expect((await find('anemometer')).location).toMatchObject({
      resource: 'content/common/glossary.html',
      title: 'Glossary',
    });
  });

  it('with a player are found by slide', async () => {
    const slides = [
      { title: 'Welcome', text: 'This course is about kilns.' },
      { title: 'Glazes', html: '<p>A celadon glaze is <b>greenish</b>.</p>' },
    ];
    const manifest = scormManifest(
      courseItem('Pottery', 'r'),
      courseResource('r', 'player/index.html', ['player/index.html', 'player/data.js', 'slides/slide3.html']),
    );
    const { find } = await course(
      'slides.zip',
      buildCourse({
        manifest,
        pages: {
          'player/index.html': '<title>Player</title><div id="stage"></div><script src="data.js"></script>',
          'player/data.js': `window.slides = ${JSON.stringify(slides)};`,
          'slides/slide3.html': page('Firing', 'Cones tell the heat of a kiln: pyrometric ones.'),
        },
      }),
    );
    expect((await find('celadon greenish')).location).toMatchObject({
      resource: 'player/data.js',
      title: 'Glazes',
      slide: 2,
    });
    expect((await find('pyrometric')).location).toMatchObject({
      resource: 'slides/slide3.html',
      title: 'Firing',
      slide: 3,
    });
  });

  it('that are invalid, empty, encrypted or malicious fail with their code', async () => {
    const manifest = { name: 'imsmanifest.xml', content: scormManifest('', '') };
    expect(await failure('plain.zip', buildZip([{ name: 'a.html', content: page('A', 'text') }]))).toBe(
      'not_a_scorm_package',
    );
    expect(await failure('empty.zip', buildZip([manifest, { name: 'film.mp4', content: 'x' }]))).toBe('document_empty');
    expect(await failure('locked.zip', buildZip([manifest, { name: 'a.html', content: 'x', flags: 1 }]))).toBe(
      'document_encrypted',
    );
    expect(await failure('bomb.zip', buildZip([manifest, { name: 'a.html', content: Buffer.alloc(30_000_000) }]))).toBe(
      'document_too_complex',
    );
    expect(await failure('torn.zip', buildCourse({ pages: { 'a.html': page('A', 'text') } }).subarray(0, 300))).toBe(
      'document_unreadable',
    );
  });
});
