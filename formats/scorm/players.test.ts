import { buildCourse, courseItem, courseResource, scormManifest } from '../testing/course.ts';
import { blocksOf } from '../testing/read.ts';
import { readerOf } from '../readers.ts';
import { literalsOf } from './literals.ts';
import { scriptTexts } from './script-text.ts';

const read = await readerOf('package');
const player = '<!doctype html><title>Player</title><div id="stage"></div><script src="player.js"></script>';

/** Path, slide, title and text of what a course with a player gives. */
async function readCourse(pages: Record<string, string>, items?: string): Promise<string[]> {
  const manifest = scormManifest(
    items ?? courseItem('The course', 'r'),
    courseResource('r', 'index.html', ['index.html']),
  );
  const blocks = await blocksOf(read, buildCourse({ pages: { 'index.html': player, ...pages }, manifest }));
  return blocks.map(
    ({ text, location }) => `${location.resource} | ${location.slide ?? '-'} | ${location.title} | ${text}`,
  );
}

describe('courses with a player', () => {
  it('identify slides by file names, in order', async () => {
    const slide = (title: string, text: string): string => `<title>${title}</title><p>${text}</p>`;
    expect(
      await readCourse({
        'slides/slide10.html': slide('Ten', 'tenth'),
        'slides/slide2.html': slide('Two', 'second'),
        'slides/03.html': slide('Three', 'third'),
      }),
    ).toEqual([
      'slides/03.html | 3 | Three | third',
      'slides/slide2.html | 2 | Two | second',
      'slides/slide10.html | 10 | Ten | tenth',
    ]);
  });

  it('identify slides by lists in JSON and scripts', async () => {
    const slides = [
      { title: 'Opening', text: 'Welcome', image: 'img/a.png' },
      {
        title: 'Valves',
        html: '<h2>Kinds</h2><p>A <b>gate</b> valve &amp; a ball valve</p>',
        bullets: ['Close slowly', 'id_42'],
      },
    ];
    const wanted = (file: string): string[] => [
      `${file} | 1 | Opening | Opening`,
      `${file} | 1 | Opening | Welcome`,
      `${file} | 2 | Valves | Valves`,
      `${file} | 2 | Valves | Kinds`,
      `${file} | 2 | Valves | A gate valve & a ball valve`,
      `${file} | 2 | Valves | Close slowly`,
    ];
    expect(await readCourse({ 'data/course.json': JSON.stringify({ id: 'x', slides }) })).toEqual(
      wanted('data/course.json'),
    );
    expect(await readCourse({ 'data.js': `// all slides\nwindow.slides = ${JSON.stringify(slides)};` })).toEqual(
      wanted('data.js'),
    );
    expect(
      await readCourse({
        'app.js': `var slides = ${JSON.stringify(slides)}; function show(n){ if (n > 1) { return document.write("Could not load this slide now"); } for (;;) {} while (0) {} }`,
      }),
    ).toEqual(wanted('app.js'));
    expect(
      await readCourse({ 'app.html': `<p id="x"></p><script>const slides = ${JSON.stringify(slides)}</script>` }),
    ).toEqual(wanted('app.html'));
  });

  it('identify slides by calls, packed JSON and page sections', async () => {
    expect(
      await readCourse({
        'data/slide4.js': "loadHandler && loadHandler(4, '<div class=\\'s\\'>Wear a helmet at all times</div>');",
      }),
    ).toEqual(['data/slide4.js | 4 | Course | Wear a helmet at all times']);
    expect(
      await readCourse({
        'html5/data/js/6a.js': `window.globalProvideData('slide', '${JSON.stringify({ title: 'Storage', textLib: [{ vartext: { blocks: [{ spans: [{ text: 'Keep it dry and cool' }] }] } }] })}');`,
      }),
    ).toEqual([
      'html5/data/js/6a.js | - | Storage | Storage',
      'html5/data/js/6a.js | - | Storage | Keep it dry and cool',
    ]);
    const packed = Buffer.from(
      JSON.stringify({
        course: {
          lessons: [
            {
              title: 'Über Ventile',
              items: [{ paragraph: '<p>Ventile regeln den Durchfluss von Wasser und Gas in einer Leitung.</p>' }],
            },
          ],
        },
      }),
    ).toString('base64');
    expect(await readCourse({ 'lib/course.js': `window.courseData = "${packed}";` })).toEqual([
      'lib/course.js | - | Über Ventile | Über Ventile',
      'lib/course.js | - | Über Ventile | Ventile regeln den Durchfluss von Wasser und Gas in einer Leitung.',
    ]);
    expect(
      await readCourse({
        'deck.html':
          '<div class="slides"><section><h1>First</h1><p>one</p></section><section hidden><p>two</p></section></div><div class="slide">three</div>',
      }),
    ).toEqual([
      'deck.html | 1 | First | First',
      'deck.html | 1 | First | one',
      'deck.html | 2 | Course | two',
      'deck.html | 3 | Course | three',
    ]);
  });

  it('of Rise are read from the language script only', async () => {
    const course = {
      course: {
        title: 'Giving feedback',
        lessons: [
          {
            title: 'Listening',
            items: [
              {
                type: 'text',
                items: [{ heading: 'Ask first', paragraph: '<p>Ask whether this is a good moment.</p>' }],
              },
            ],
          },
        ],
      },
    };
    const program = { labels: [{ title: 'Question banks', text: 'This will delete the question bank.' }] };
    expect(
      await readCourse({
        'scormcontent/locales/und.js': `__resolveJsonp("course:und","${Buffer.from(JSON.stringify(course)).toString('base64')}")`,
        'scormcontent/lib/rise/a1b2.js': `x = ${JSON.stringify(program)}`,
        'scormcontent/lib/main.bundle.js': `x = ${JSON.stringify(program)}`,
        'locales/de.json': '{"text": "Bitte warten Sie"}',
      }),
    ).toEqual(
      [
        'Giving feedback | Giving feedback',
        'Listening | Listening',
        'Ask first | Ask first',
        'Ask first | Ask whether this is a good moment.',
      ].map((line) => `scormcontent/locales/und.js | - | ${line}`),
    );
  });

  it('of iSpring yield short lines, but no single letters', async () => {
    const slide =
      "loadHandler && loadHandler(4, '<div><div><span>Vocabulary</span></div><div><span>LESSON 2</span></div><div><span>r</span></div><div><span>Run to the sun</span></div></div>');";
    expect(await readCourse({ 'data/slide4.js': slide })).toEqual(
      ['Vocabulary', 'LESSON 2', 'Run to the sun'].map((line) => `data/slide4.js | 4 | Course | ${line}`),
    );
  });

  it('of Storyline and H5P skip texts of the player', async () => {
    const scene = (id: string, title: string): unknown => ({
      kind: 'scene',
      id,
      slides: [{ title, objects: [{ text: `${title}, and more of it` }] }],
    });
    const data = {
      string_table: [{ strings: [{ Text: 'Can this course be played' }] }],
      scenes: [scene('MsgScene_5vT', 'Invalid answer'), scene('PromptScene', 'Resume'), scene('6Ab', 'Storage')],
    };
    const frame = {
      stringTables: { a: { string: { rotate: 'Please rotate your device', three_label: 'label' } } },
      navData: { links: [{ displaytext: 'Storage' }] },
    };
    const task = {
      text: '<p>What is <b>stored</b> here?</p>',
      l10n: { title: 'Check your answer', tip: 'There is a tip' },
    };
    const made = await readCourse({
      'html5/data/js/data.js': `window.globalProvideData('data', '${JSON.stringify(data)}');`,
      'html5/data/js/frame.js': `window.globalProvideData('frame', '${JSON.stringify(frame)}');`,
      'task.json': JSON.stringify(task),
      'lms/LICENSE.txt': 'Permission is hereby granted',
      'licence.txt': 'Licences to drive',
    });
    expect(made.map((line) => line.split(' | ').at(-1))).toEqual([
      'Storage',
      'Storage, and more of it',
      'Storage',
      'Licences to drive',
      'What is stored here?',
    ]);
  });

  it('of Storyline skip drawing paths, fonts and generated names', async () => {
    const slide = {
      title: 'Storage',
      objects: [
        { altText: 'Rectangle 2' },
        { altText: 'Rect\u00e1ngulo redondeado 13' },
        { altText: 'Artboard 28.png' },
        { altText: 'A forklift beside 2 racks' },
        { pathText: 'M0,0L320,0 320,502 0,502z' },
      ],
      fontLib: [{ name: 'Open Sans Charset0_v9TY33EDE6F2' }, { name: 'Calibri LightBold CBoldC39624F5' }],
      text: 'Module 4',
    };
    const drawn = { Lib: [{ nodeType: 'tspan', children: ['Keep it dry \ue000or good '] }] };
    expect(
      await readCourse({
        'html5/data/js/6a.js': `window.globalProvideData('slide', '${JSON.stringify(slide)}');`,
        'html5/data/js/paths.js': `window.globalProvideData('paths', '${JSON.stringify(drawn)}');`,
      }),
    ).toEqual([
      'html5/data/js/6a.js | - | Storage | Storage',
      'html5/data/js/6a.js | - | Storage | A forklift beside 2 racks',
      'html5/data/js/6a.js | - | Storage | Module 4',
    ]);
  });

  it('of Lectora yield page texts once, without packed tests', async () => {
    const page = (text: string): string =>
      `function init() { if (a) { return; } try { b(); } catch (e) { for (;;) {} } }\ntext7.rcdData.att_Desktop = {\n\tinnerHtml: "<div name=\\"dCon\\"><p>${text}</p></div>",\n\tcssText: "visibility: inherit;",\n};`;
    const project = {
      metadata: { generator: 'Tool', description: 'project description' },
      contentStructure: [{ id: 'Slide_22', title: 'Student View' }],
    };
    expect(
      await readCourse({
        'device_Desktop/page5.js': page('Teeth have three layers.'),
        'device_PhonePortrait/page5.js': page('Teeth have three layers.'),
        'trivantis-strings.js': 'x = {text: "Please disable any popup blockers."}',
        '_tobj9.txt': Buffer.from(`<lectoratest>${'<text>Which?</text>'.repeat(20)}</lectoratest>`).toString('base64'),
        'project.txt': JSON.stringify(project),
        'notes.txt': '[a] note { of an author }',
      }),
    ).toEqual([
      'device_Desktop/page5.js | - | Course | Teeth have three layers.',
      'notes.txt | - | Course | [a] note { of an author }',
      'project.txt | - | Course | project description',
      'project.txt | - | Student View | Student View',
    ]);
  });

  it('include media captions', async () => {
    const vtt =
      'WEBVTT\n\nNOTE made by hand\n\n1\n00:00:00.000 --> 00:00:02.000 align:start\n<v Ann>Open the valve\nslowly &amp; fully.\n\n00:00:02.000 --> 00:00:04.000\nslowly &amp; fully.\nThen wait.\n';
    expect(
      await readCourse({
        'media/intro.vtt': vtt,
        'media/intro.srt':
          '1\r\n00:00:01,000 --> 00:00:02,000\r\n{\\an8}<i>Gut</i> gemacht\r\n\r\n2\r\n00:00:02,000 --> 00:00:03,000\r\n\r\n',
        'media/thumbs.vtt': 'WEBVTT\n\n00:00.000 --> 00:05.000\nsprite.jpg#xywh=0,0,160,90\n',
      }),
    ).toEqual([
      'media/intro.srt | - | Course | Gut gemacht',
      'media/intro.vtt | - | Course | Open the valve\nslowly & fully.',
      'media/intro.vtt | - | Course | Then wait.',
    ]);
  });

  it('take slide titles from items', async () => {
    const items =
      courseItem('Start', 'r', '', 'parameters="?slide=1"') + courseItem('Pumps', 'r', '', 'parameters="?slide=2"');
    expect(
      await readCourse({ 'data.js': 'slides = [{text: "Hello there"}, {text: "Pumps move water"}]' }, items),
    ).toEqual(['data.js | 1 | Start | Hello there', 'data.js | 2 | Pumps | Pumps move water']);
  });
});

describe('scripts', () => {
  it('skip messages of code, and libraries', async () => {
    const code =
      'function a(){ if (!api) { alert("Could not connect to the learning system"); return false; } try { b(); } catch (e) { throw new Error("An error has occurred here"); } }';
    expect(scriptTexts(code)).toEqual([]);
    expect(
      await readCourse({
        'jquery.js': 'x = {text: "some words of a library"}',
        'lang/de.json': '{"text": "Bitte warten Sie einen Moment"}',
        'a.min.js': 'x = {text: "packed words of code"}',
      }).catch((error: unknown) => error),
    ).toMatchObject({ code: 'document_empty' });
  });

  it('yield questions and answers of calls, with joined strings', () => {
    const texts = scriptTexts(
      'test.Add(new Question("q_1", "Where do " + "you stand?", TYPE, new Array("Out of the way", "css/on.css", "function () { x(); }"), /"no text here"/g, `A template with ${value} in it`));',
    );
    expect(texts.map(({ text }) => text)).toEqual([
      'Where do you stand?',
      'Out of the way',
      'A template with ${value} in it',
    ]);
  });

  it('that are broken, huge or deeply nested are handled in time', () => {
    expect(scriptTexts('x = {text: "no end')).toMatchObject([{ text: 'no end' }]);
    expect(literalsOf('['.repeat(1_000_000))).toBeNull();
    expect(literalsOf('"",'.repeat(1_000_000))).toBeNull();
    const before = process.cpuUsage().user;
    for (const text of [
      '/'.repeat(400_000),
      '`${'.repeat(200_000),
      '\\'.repeat(500_000),
      '<p '.repeat(200_000),
      '/[a'.repeat(200_000),
      'a.'.repeat(300_000),
      '"\\u{'.repeat(200_000),
      'x="<a '.repeat(100_000),
    ])
      scriptTexts(text);
    expect((process.cpuUsage().user - before) / 1e6).toBeLessThan(8);
  });
});
