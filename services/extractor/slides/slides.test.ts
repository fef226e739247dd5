import { execFile } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { readConfiguration } from '../../../models/configuration/configuration.ts';
import type { Block } from '../../../models/block.ts';
import { skipWithReason } from '../../../test/support/servers.ts';
import { ByteFeed } from '../../../media/byte-feed.ts';
import { decodeArguments } from '../../../media/ffmpeg.ts';
import { runMedia } from '../../../media/media-process.ts';
import { recordingTools } from '../tools.ts';
import { installedLanguages, languagesFor } from './languages.ts';
import { pgmOf, readPictures, type Picture } from './picture.ts';
import { readSlides, slideOutput, type SlideCount } from './read-slides.ts';
import { SlideFinder, type Slide } from './slide-finder.ts';
import { SlideJoiner } from './slide-text.ts';
import { linesOfTsv, readPicture } from './tesseract.ts';
import { slideToolbox } from './toolbox.ts';

const run = promisify(execFile);

/** A picture of 320 by 180 points with bars in some of 12 rows, like lines of text. */
function barred(rows: readonly number[], corner = 0): Picture {
  const points = new Uint8Array(320 * 180).fill(255);
  for (const row of rows)
    for (let y = row * 14 + 4; y < row * 14 + 10; y++)
      for (let x = 20; x < 280; x += 3) points.fill(0, y * 320 + x, y * 320 + x + 2);
  for (let y = 150; y < 180; y++) points.fill(corner, y * 320 + 280, y * 320 + 320);
  return { width: 320, height: 180, points };
}

function slidesOf(pictures: readonly Picture[]): { start: number; end: number }[] {
  const finder = new SlideFinder();
  const found: (Slide | null)[] = pictures.map((picture, seconds) => finder.push(picture, seconds));
  return [...found, ...finder.finish(pictures.length)]
    .filter((slide) => slide !== null)
    .map(({ start, end }) => ({ start, end }));
}

const shown = (rows: readonly number[], seconds: number): Picture[] =>
  Array.from({ length: seconds }, () => barred(rows));

describe('slides in the pictures of a video', () => {
  it('start at a change and end at the next one', () => {
    expect(slidesOf([...shown([1, 2], 5), ...shown([3, 4, 5], 6), ...shown([7], 4)])).toEqual([
      { start: 0, end: 5 },
      { start: 5, end: 11 },
      { start: 11, end: 15 },
    ]);
  });

  it('are found if one line is added', () => {
    expect(slidesOf([...shown([1, 2], 5), ...shown([1, 2, 3], 5)])).toHaveLength(2);
  });

  it('are not reported again, even after a blank picture', () => {
    expect(slidesOf([...shown([1, 2], 4), ...shown([5], 4), ...shown([1, 2], 4)])).toEqual([
      { start: 0, end: 4 },
      { start: 4, end: 8 },
    ]);
    expect(slidesOf([...shown([1], 4), ...Array.from({ length: 4 }, () => barred([], 255)), ...shown([1], 4)])).toEqual(
      [{ start: 0, end: 4 }],
    );
  });

  it('ignore movement in a corner', () => {
    const speaking = Array.from({ length: 40 }, (_, at) => barred(at < 20 ? [1, 2] : [4, 5], (at % 2) * 200));
    expect(
      slidesOf(speaking)
        .map(({ start }) => start)
        .filter((start) => start > 8),
    ).toEqual([20]);
  });

  it('are at least two seconds apart, and ten if the picture always moves', () => {
    const restless = Array.from({ length: 31 }, (_, at) => barred([at % 12, (at * 5 + 3) % 12]));
    const found = slidesOf(restless);
    expect(found.length).toBeLessThanOrEqual(4);
    expect(found.length).toBeGreaterThanOrEqual(1);
  });
});

describe('pictures of a stream', () => {
  it('are parsed for any size of chunks', async () => {
    const bytes = Buffer.concat([pgmOf(barred([1])), pgmOf(barred([2]))]);
    for (const size of [1, 7, 64, 1000, bytes.length]) {
      async function* cut(): AsyncGenerator<Uint8Array> {
        for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
      }
      const found: Picture[] = [];
      for await (const picture of readPictures(cut())) found.push(picture);
      expect(found.map(({ width, height }) => [width, height])).toEqual([
        [320, 180],
        [320, 180],
      ]);
      expect(Buffer.compare(found[1]?.points ?? new Uint8Array(0), barred([2]).points)).toBe(0);
    }
  });

  it.each(['P6\n2 2\n255\n0123', `P5\n99999 2\n255\n${'x'.repeat(80)}`, 'y'.repeat(200)])(
    'that are none are refused: %j',
    async (text) => {
      async function* stream(): AsyncGenerator<Uint8Array> {
        yield Buffer.from(text);
      }
      await expect(readPictures(stream()).next()).rejects.toMatchObject({ code: 'media_unreadable' });
    },
  );
});

describe('the output of tesseract', () => {
  const row = (line: number, confidence: number, text: string): string =>
    `5\t1\t1\t1\t${line}\t1\t0\t0\t9\t9\t${confidence}\t${text}`;
  it('is parsed into lines without uncertain words', () => {
    const output = [
      'level\tpage_num',
      '4\t1\t1\t1\t1\t0\t0\t0\t9\t9\t-1\t',
      row(1, 96, 'Harvest'),
      row(1, 91, 'report'),
      row(2, 12, '~|'),
      row(3, 55, 'maybe'),
      row(4, 92, '—'),
    ].join('\n');
    expect(linesOfTsv(output)).toEqual(['Harvest report']);
  });

  it("is in the recording's language if it is installed", () => {
    const installed = installedLanguages('List of available languages (3):\ndeu\neng\nosd\n');
    expect(installed).toEqual(['deu', 'eng']);
    expect(languagesFor('de-CH', installed)).toBe('deu+eng');
    expect(languagesFor('fr', installed)).toBe('eng');
    expect(languagesFor('multi', installed)).toBe('eng+deu');
    expect(languagesFor('fr', ['jpn'])).toBe('jpn');
  });
});

it('slides with the same or growing text become one', () => {
  const joiner = new SlideJoiner();
  const slide = (start: number, ...lines: string[]): { lines: string[]; start: number; end: number } => ({
    lines,
    start,
    end: start + 5,
  });
  expect(joiner.push(slide(0, 'Goals', 'Grow wheat'))).toBeNull();
  expect(joiner.push(slide(5, 'Goals', 'Grow wheat', 'Sell bread'))).toBeNull();
  expect(joiner.push(slide(10))).toBeNull();
  expect(joiner.push(slide(15, 'Budget of next year'))).toEqual({
    lines: ['Goals', 'Grow wheat', 'Sell bread'],
    start: 0,
    end: 10,
  });
  expect(joiner.finish()).toEqual({ lines: ['Budget of next year'], start: 15, end: 20 });
  expect(joiner.finish()).toBeNull();
});

const configuration = readConfiguration({ PLY_DATA_DIR: join(tmpdir(), 'ply-slides') });
const { media } = recordingTools(configuration);
const reader = await slideToolbox(configuration).find();
const missing = (await media.missing()) ?? ('missing' in reader ? reader.missing : null);

if (missing !== null || 'missing' in reader) skipWithReason('slides of a real video', missing ?? '');
else
  describe('a real video', () => {
    const font = join(
      dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json')),
      'standard_fonts',
      'LiberationSans-Regular.ttf',
    );
    let folder = '';
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'ply-slides-'));
    });
    afterAll(() => rm(folder, { recursive: true, force: true }));

    it('has slides with their times', async () => {
      const { programs, confinement } = await media.tools();
      const texts = [
        'Harvest report of the northern valley',
        'Wheat prices rose by 17 percent',
        'Thank you and goodbye',
      ];
      const filters = texts.map(
        (text, at) =>
          `drawtext=fontfile=${font}:text='${text}':fontsize=48:x=60:y=${100 + at * 120}:enable='between(t,${at * 6},${at * 6 + 5.99})'`,
      );
      const video = join(folder, 'slides.mkv');
      await run(programs.ffmpeg, [
        '-v',
        'error',
        '-f',
        'lavfi',
        '-i',
        'color=white:s=1280x720:r=10:d=18',
        '-vf',
        filters.join(','),
        '-c:v',
        'libx264',
        '-preset',
        'ultrafast',
        '-pix_fmt',
        'yuv420p',
        video,
      ]);
      const blocks: Block[] = [];
      const count: SlideCount = { frames: 0, unread: 0 };
      const { signal } = new AbortController();
      const read = ({ picture }: Slide): Promise<string[] | null> =>
        readPicture(
          {
            program: reader.program,
            confinement: reader.confinement,
            languages: languagesFor('en', reader.languages),
            milliseconds: 20_000,
            signal,
          },
          picture,
        );
      const end = await runMedia({
        program: programs.ffmpeg,
        arguments: decodeArguments('matroska', null, [slideOutput]),
        confinement,
        signal,
        feed: new ByteFeed(createReadStream(video)),
        outputs: [
          async () => undefined,
          async (bytes) => {
            for await (const block of readSlides(bytes, { read, concurrency: 2 }, count)) blocks.push(block);
          },
        ],
      });
      expect(end).toMatchObject({ code: 0, errors: '' });
      expect(blocks.map(({ text }) => text)).toEqual(texts);
      expect(blocks.map(({ location }) => location.source)).toEqual(['slide', 'slide', 'slide']);
      blocks.forEach(({ location }, at) => {
        expect(Math.abs((location.startSeconds ?? -9) - at * 6)).toBeLessThanOrEqual(1);
        expect(Math.abs((location.endSeconds ?? -9) - (at + 1) * 6)).toBeLessThanOrEqual(1);
      });
      expect(count).toEqual({ frames: 3, unread: 0 });
    });
  });
