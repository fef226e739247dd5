import { analyse } from '../../../models/analyser/analyser.ts';
import type { Block } from '../../../models/block.ts';

/** The text of a slide and its times in seconds. */
export interface ReadSlide {
  lines: string[];
  start: number;
  end: number;
}

/** A slide that contains this share of the previous slide's words continues it. */
const sameShare = 0.9;

function wordsOf(lines: readonly string[]): Set<string> {
  return new Set(analyse(lines.join('\n'), 'und').map(({ stem }) => stem));
}

function share(part: ReadonlySet<string>, whole: ReadonlySet<string>): number {
  if (part.size === 0) return 0;
  let found = 0;
  for (const word of part) if (whole.has(word)) found++;
  return found / part.size;
}

/**
 * Joins consecutive slides with the same or growing text (such as a list shown point by point); slides without text are
 * omitted. Slides come in time order.
 */
export class SlideJoiner {
  private held: ReadSlide | null = null;

  /** Returns the slide before, once it is complete. */
  push(slide: ReadSlide): ReadSlide | null {
    const words = wordsOf(slide.lines);
    if (words.size === 0) return null;
    const before = this.held;
    if (before !== null) {
      const known = wordsOf(before.lines);
      if (share(known, words) >= sameShare || share(words, known) >= sameShare) {
        const lines = words.size >= known.size ? slide.lines : before.lines;
        this.held = { lines, start: before.start, end: slide.end };
        return null;
      }
    }
    this.held = slide;
    return before;
  }

  /** Ends the slides and returns the last one. */
  finish(): ReadSlide | null {
    const last = this.held;
    this.held = null;
    return last;
  }
}

/** The block of a slide, which is not joined with others. */
export function blockOf({ lines, start, end }: ReadSlide): Block {
  return {
    text: lines.join('\n'),
    location: { source: 'slide', startSeconds: start, endSeconds: end },
    group: `slide:${start}`,
  };
}
