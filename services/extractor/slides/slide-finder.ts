import type { Picture } from './picture.ts';
import { eachChangedBlock, isBlank, sketchBlocks, sketchOf, type Sketch } from './sketch.ts';

/** A slide: the picture that is read, and when it is shown, in seconds. `end` is known when the next one comes. */
export interface Slide {
  picture: Picture;
  start: number;
  end: number;
}

/** Smallest part of a picture whose change makes another slide, in blocks: about a word of a heading. */
const minChange = 3;
/** At most one slide in so many seconds. */
const minSeconds = 2;
/** A picture that never rests (a camera) is looked at as seldom as this. */
const restlessSeconds = 10;
/** A block that changed in this many of the last samples shows something that moves: a speaker in a corner. */
const restlessSamples = 3;
const mostRestless = 5;
/** Slides that are remembered, to know one that is shown again. */
const remembered = 64;

interface Candidate {
  picture: Picture;
  sketch: Sketch;
  start: number;
}

/**
 * Finds slides among pictures that are taken from a video at equal steps of time. A change counts once the picture has
 * come to rest; parts that move all the time do not count. A slide that was shown before is not a slide again.
 */
export class SlideFinder {
  private previous: Sketch | null = null;
  private shown: { sketch: Sketch; slide: Slide | null } | null = null;
  /** When the picture began to differ from the slide that is shown; null while it does not. */
  private differsSince: number | null = null;
  private latest: Candidate | null = null;
  private lastTaken = -Infinity;
  private readonly restless = new Uint8Array(sketchBlocks);
  private readonly known: Sketch[] = [];

  /** Takes the picture at a time. Returns the slide that has ended, if one has. */
  push(picture: Picture, seconds: number): Slide | null {
    const sketch = sketchOf(picture);
    const moved = this.previous === null ? sketchBlocks : this.changedSincePrevious(sketch);
    this.previous = sketch;
    const differs = this.shown === null || this.changes(this.shown.sketch, sketch) >= minChange;
    if (!differs) {
      this.differsSince = null;
      this.latest = null;
      return null;
    }
    this.differsSince ??= seconds;
    this.latest = { picture, sketch, start: this.differsSince };
    const rests = moved < minChange && seconds - this.lastTaken >= minSeconds;
    return rests || seconds - Math.max(this.differsSince, this.lastTaken) >= restlessSeconds
      ? this.take(this.latest, seconds)
      : null;
  }

  /** The video has ended. Returns the slides that have not been reported. */
  finish(seconds: number): Slide[] {
    const ended = this.latest === null ? null : this.take(this.latest, seconds);
    const last = this.shown?.slide ?? null;
    return [ended, last === null ? null : { ...last, end: Math.max(seconds, last.start) }].filter(
      (slide) => slide !== null,
    );
  }

  private take({ picture, sketch, start }: Candidate, seconds: number): Slide | null {
    const before = this.shown?.slide ?? null;
    const isNew = !isBlank(sketch) && this.known.every((other) => this.changes(other, sketch) >= minChange);
    if (isNew) this.known.push(sketch);
    if (this.known.length > remembered) this.known.shift();
    this.shown = { sketch, slide: isNew ? { picture, start, end: start } : null };
    this.differsSince = null;
    this.latest = null;
    this.lastTaken = seconds;
    return before === null ? null : { ...before, end: start };
  }

  private changedSincePrevious(sketch: Sketch): number {
    const moving = new Uint8Array(sketchBlocks);
    let resting = 0;
    if (this.previous !== null)
      eachChangedBlock(this.previous, sketch, (block) => {
        moving[block] = 1;
      });
    for (let block = 0; block < sketchBlocks; block++) {
      const times = this.restless[block] ?? 0;
      if (moving[block] === 1 && times < restlessSamples) resting++;
      this.restless[block] = moving[block] === 1 ? Math.min(times + 1, mostRestless) : Math.max(times - 1, 0);
    }
    return resting;
  }

  /** Number of blocks, besides those that move all the time, in which two sketches differ. */
  private changes(first: Sketch, second: Sketch): number {
    let count = 0;
    eachChangedBlock(first, second, (block) => {
      if ((this.restless[block] ?? 0) < restlessSamples) count++;
    });
    return count;
  }
}
