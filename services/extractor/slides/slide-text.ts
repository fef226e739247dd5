import { analyse } from '../../../models/analyser/analyser.ts';
import type { Block } from '../../../models/block.ts';

/** A slide's text, and when it is shown, in seconds. */
export interface ReadSlide {
  lines: string[];
  start: number;
  end: number;
}

/** A slide that repeats this share of the words of the one before shows the same, with or without more. */
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
 * Joins slides that show the same text, or the same and more (a list that grows point by point), to one that is shown
 * from the first to the last of them; slides without text are left out. Slides come in the order of time.
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

  /** There are no more slides. */
  finish(): ReadSlide | null {
    const last = this.held;
    this.held = null;
    return last;
  }
}

/** The block of a slide: never joined with another slide's. */
export function blockOf({ lines, start, end }: ReadSlide): Block {
  return {
    text: lines.join('\n'),
    location: { source: 'slide', startSeconds: start, endSeconds: end },
    group: `slide:${start}`,
  };
}
