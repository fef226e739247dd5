import type { Block } from '../../../models/block.ts';
import { pictureSide, readPictures } from './picture.ts';
import { SlideFinder, type Slide } from './slide-finder.ts';
import { blockOf, SlideJoiner } from './slide-text.ts';

/** Seconds between the pictures that are taken from a video to look for slides. */
const sampleSeconds = 1;

/**
 * The output of the decoder that slides are found in: one small grey picture a second, the first at the recording's
 * start, each a PGM file. `V` are moving pictures: a cover that comes before them is none.
 */
export const slideOutput = {
  options: ['-map', '0:V:0', '-an', '-sn', '-dn', '-c:v', 'pgm', '-map_metadata', '-1'],
  videoFilters: [
    `fps=1/${sampleSeconds}:start_time=0:round=near`,
    `scale=w=${pictureSide}:h=${pictureSide}:force_original_aspect_ratio=decrease`,
    'format=gray',
  ],
  format: 'image2pipe',
};

/** How slides are read. */
export interface SlideReading {
  /** Reads the lines of a picture; null if it cannot. */
  read(slide: Slide): Promise<string[] | null>;
  /** Pictures that are read at a time. */
  places: number;
}

/** What was read; counted while the blocks are taken. */
export interface SlideCount {
  /** Pictures that were read. */
  frames: number;
  /** Pictures that could not be read. */
  unread: number;
}

/**
 * Reads the slides among a video's pictures, in the order of time. It holds some pictures more than are read at a time:
 * then the decoder waits.
 */
export async function* readSlides(
  bytes: AsyncIterable<Uint8Array>,
  { read, places }: SlideReading,
  count: SlideCount,
): AsyncGenerator<Block> {
  const joiner = new SlideJoiner();
  const underWay: Promise<{ slide: Slide; lines: string[] | null }>[] = [];
  const begin = (slide: Slide): void => {
    const reading = read(slide).then((lines) => ({ slide, lines }));
    // Looked at below; until then a failure must not count as unhandled.
    reading.catch(() => undefined);
    underWay.push(reading);
  };
  const next = async (): Promise<Block[]> => {
    const done = await underWay.shift();
    if (done === undefined) return [];
    count.frames++;
    if (done.lines === null) count.unread++;
    const complete = joiner.push({ lines: done.lines ?? [], start: done.slide.start, end: done.slide.end });
    return complete === null ? [] : [blockOf(complete)];
  };
  const finder = new SlideFinder();
  let seconds = 0;
  try {
    for await (const picture of readPictures(bytes)) {
      const slide = finder.push(picture, seconds);
      seconds += sampleSeconds;
      if (slide !== null) begin(slide);
      while (underWay.length > places * 2) yield* await next();
    }
    for (const slide of finder.finish(seconds)) begin(slide);
    while (underWay.length > 0) yield* await next();
  } finally {
    await Promise.allSettled(underWay);
  }
  const last = joiner.finish();
  if (last !== null) yield blockOf(last);
}
