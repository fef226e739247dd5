import { buildCourse, courseItem, courseResource, scormManifest } from '../../../formats/testing/course.ts';
import { htmlUnits } from './html.ts';
import { scriptUnits } from './script.ts';
import { many, shapesOf, type GrowingShape } from './shape.ts';
import { textUnits } from './text.ts';

const captionUnits = String.raw`
00:01 --> 00:02\nsome words\n\n
00:01 --> 00:02\n
00:01 --> 00:02\n … x\n …
00:01 --> 00:02\n … < …
00:01 --> 00:02\n … <v x>y</v> …
00:01 --> 00:02\n … {\\ …
00:01 --> 00:02\n … {\\a} …
-->
00:01 --> 00:02\n … &amp;nbsp; …
00:01 --> 00:02\n … a.jpg …
00:01 --> 00:02\n … a.jpg#xywh=1, …
00:01 --> 00:02\nx … .jpg#xywh= …
00:01 --> 00:02\nx … \u0020 … x
`;

const dataUnits = String.raw`
A
A\n
AAAA\r\n
{\u0020
{ … "a":"b", …
[
[\u0020
{ … \u0020 … "a"}
[{ … ] …
{" … } …
{"a":
[ … {"title":"some words here"}, … {}]
{"a":"b" … \u0020 … }
`;

/** Shapes of a package with one file. */
const inCourse = (file: string, table: string): GrowingShape[] =>
  shapesOf(table, 'package', (content) => buildCourse({ pages: { [file]: content } })).map((shape) => ({
    ...shape,
    name: `${file}: ${shape.name}`,
  }));

const prose = 'Some words of a lesson. ';
const manifestOf = (items: string, resources: string): Buffer =>
  buildCourse({ pages: { 'a.html': `<p>${prose}` }, manifest: scormManifest(items, resources) });
/** Shapes of SCORM packages. */
export const packageShapes: readonly GrowingShape[] = [
  ...inCourse('data.js', scriptUnits),
  ...inCourse('page.html', htmlUnits),
  ...inCourse('captions.vtt', captionUnits),
  ...inCourse('notes.txt', textUnits + dataUnits),
  ...inCourse('notes.md', textUnits),
  ...inCourse('data.json', dataUnits),
  {
    name: 'items',
    format: 'package',
    build: (n) =>
      manifestOf(
        many(n, (index) => courseItem(`t${index}`, 'r')),
        courseResource('r', 'a.html'),
      ),
  },
  {
    name: 'items without resource',
    format: 'package',
    build: (n) =>
      manifestOf(
        many(n, (index) => courseItem(`t${index}`)),
        courseResource('r', 'a.html'),
      ),
  },
  {
    name: 'items astray',
    format: 'package',
    build: (n) =>
      manifestOf(
        many(n, (index) => courseItem(`t${index}`, `r${index}`)),
        courseResource('r', 'a.html'),
      ),
  },
  {
    name: 'nested items',
    format: 'package',
    build: (n) =>
      manifestOf(
        `${'<item identifier="i"><title>t</title>'.repeat(Math.min(n, 900))}${courseItem('t', 'r')}${'</item>'.repeat(Math.min(n, 900))}`,
        courseResource('r', 'a.html'),
      ),
  },
  {
    name: 'resources',
    format: 'package',
    build: (n) =>
      manifestOf(
        many(n, (index) => courseItem(`t${index}`, `r${index}`)),
        many(n, (index) => courseResource(`r${index}`, `a${index}.html`)),
      ),
  },
  {
    name: 'resources of one page',
    format: 'package',
    build: (n) =>
      manifestOf(
        many(n, (index) => courseItem(`t${index}`, `r${index}`)),
        many(n, (index) => courseResource(`r${index}`, 'a.html')),
      ),
  },
  {
    name: 'files of a resource that many items name',
    format: 'package',
    build: (n) =>
      manifestOf(
        many(n, (index) => courseItem(`t${index}`, 'r')),
        courseResource(
          'r',
          null,
          Array.from({ length: n }, (_, index) => `f${index}.txt`),
        ),
      ),
  },
  {
    name: 'dependencies',
    format: 'package',
    build: (n) =>
      manifestOf(
        courseItem('t', 'r0'),
        many(n, (index) => courseResource(`r${index}`, 'a.html', [], `<dependency identifierref="r${index + 1}"/>`)),
      ),
  },
  {
    name: 'dependencies of all on all',
    format: 'package',
    build: (n) => {
      const side = Math.ceil(Math.sqrt(n));
      return manifestOf(
        courseItem('t', 'r0'),
        many(side, (index) =>
          courseResource(
            `r${index}`,
            'a.html',
            [],
            many(side, (other) => `<dependency identifierref="r${other}"/>`),
          ),
        ),
      );
    },
  },
  {
    name: 'dependencies of one on many',
    format: 'package',
    build: (n) =>
      manifestOf(
        courseItem('t', 'r'),
        courseResource('r', 'a.html', [], '<dependency identifierref="s"/>'.repeat(n)) + courseResource('s', 'b.html'),
      ),
  },
  {
    name: 'titles of items around',
    format: 'package',
    build: (n) =>
      manifestOf(
        many(n, (index) => courseItem(`t${index}`, undefined, courseItem('x', `r${index}`))),
        courseResource('r', 'a.html'),
      ),
  },
  {
    name: 'a long address',
    format: 'package',
    build: (n) => manifestOf(courseItem('t', 'r'), courseResource('r', 'a/'.repeat(n))),
  },
  {
    name: 'items of an address with many questions',
    format: 'package',
    build: (n) =>
      manifestOf(
        many(n, (index) => courseItem(`t${index}`, 'r')),
        courseResource('r', `a.html${'?'.repeat(Math.min(n, 4000))}`),
      ),
  },
  {
    name: 'an address of dots',
    format: 'package',
    build: (n) => manifestOf(courseItem('t', 'r'), courseResource('r', '../'.repeat(n))),
  },
  {
    name: 'an address with many questions',
    format: 'package',
    build: (n) => manifestOf(courseItem('t', 'r'), courseResource('r', `a.html${'?slide'.repeat(n)}`)),
  },
  {
    name: 'files',
    format: 'package',
    build: (n) =>
      buildCourse({
        pages: Object.fromEntries(Array.from({ length: Math.min(n, 4000) }, (_, index) => [`p${index}.html`, prose])),
      }),
  },
  {
    name: 'files at the same folded name',
    format: 'package',
    build: (n) =>
      buildCourse({
        pages: { 'a.html': prose },
        entries: Array.from({ length: Math.min(n, 4000) }, () => ({ name: 'B.txt', content: 'x' })),
      }),
  },
  {
    name: 'a long path',
    format: 'package',
    build: (n) => buildCourse({ pages: { [`${'a/'.repeat(Math.min(n, 30000))}lib/x.html`]: prose } }),
  },
  {
    name: 'a path of libs',
    format: 'package',
    build: (n) => buildCourse({ pages: { [`${'lib/'.repeat(Math.min(n, 15000))}x.txt`]: prose } }),
  },
  {
    name: 'a path of one long name',
    format: 'package',
    build: (n) => buildCourse({ pages: { [`${'polyfill'.repeat(Math.min(n, 8000))}x.json`]: prose } }),
  },
  {
    name: 'a path of slides',
    format: 'package',
    build: (n) => buildCourse({ pages: { [`${'slide_'.repeat(Math.min(n, 10000))}x.txt`]: prose } }),
  },
  {
    name: 'a path of polyfills',
    format: 'package',
    build: (n) => buildCourse({ pages: { [`${'jquery'.repeat(Math.min(n, 10000))}x.json`]: prose } }),
  },
];
