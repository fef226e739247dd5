import type { Block } from '../../../models/block.ts';
import { pictureSide, readPictures } from './picture.ts';
import { SlideFinder, type Slide } from './slide-finder.ts';
import { blockOf, SlideJoiner } from './slide-text.ts';

/** Interval of the pictures in which slides are searched. */
const sampleSeconds = 1;

/**
 * The decoder's output for slides: one small grey picture per second from the start of the recording, each a PGM file.
 * `V` excludes cover pictures.
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

/** Options of reading slides. */
export interface SlideReading {
  /** Reads the lines of a picture; null if it cannot be read. */
  read(slide: Slide): Promise<string[] | null>;
  /** Number of concurrently read pictures. */
  concurrency: number;
}

/** Counts, updated while the blocks are consumed. */
export interface SlideCount {
  /** Pictures that were read. */
  frames: number;
  /** Pictures that could not be read. */
  unread: number;
}

/** Reads the slides in a video's pictures in time order. It buffers a few pictures; then the decoder waits. */
export async function* readSlides(
  bytes: AsyncIterable<Uint8Array>,
  { read, concurrency }: SlideReading,
  count: SlideCount,
): AsyncGenerator<Block> {
  const joiner = new SlideJoiner();
  const inProgress: Promise<{ slide: Slide; lines: string[] | null }>[] = [];
  const begin = (slide: Slide): void => {
    const reading = read(slide).then((lines) => ({ slide, lines }));
    // Awaited below; until then a rejection must not be unhandled.
    reading.catch(() => undefined);
    inProgress.push(reading);
  };
  const next = async (): Promise<Block[]> => {
    const done = await inProgress.shift();
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
      while (inProgress.length > concurrency * 2) yield* await next();
    }
    for (const slide of finder.finish(seconds)) begin(slide);
    while (inProgress.length > 0) yield* await next();
  } finally {
    await Promise.allSettled(inProgress);
  }
  const last = joiner.finish();
  if (last !== null) yield blockOf(last);
}
