import type { Picture } from './picture.ts';
import { eachChangedBlock, isBlank, sketchBlocks, sketchOf, type Sketch } from './sketch.ts';

/** A slide: its picture and times in seconds. `end` is known when the next one starts. */
export interface Slide {
  picture: Picture;
  start: number;
  end: number;
}

/** Minimum change for a new slide, in blocks: about a word of a heading. */
const minChange = 3;
/** Minimum seconds between two slides. */
const minSeconds = 2;
/** Interval of slides in seconds if the picture always moves, as with a camera. */
const movingSeconds = 10;
/** A block that changed in this many of the last samples moves, such as a speaker in a corner. */
const movingSamples = 3;
const minMovingChanges = 5;
/** Number of remembered slides, to recognize repeated ones. */
const remembered = 64;

interface Candidate {
  picture: Picture;
  sketch: Sketch;
  start: number;
}

/**
 * Finds slides in pictures sampled from a video at equal intervals. A change counts when the picture is stable again;
 * moving parts do not count. A repeated slide is not reported again.
 */
export class SlideFinder {
  private previous: Sketch | null = null;
  private shown: { sketch: Sketch; slide: Slide | null } | null = null;
  /** The time at which the picture started to differ from the current slide; null if it does not. */
  private differsSince: number | null = null;
  private latest: Candidate | null = null;
  private lastTaken = -Infinity;
  private readonly moving = new Uint8Array(sketchBlocks);
  private readonly known: Sketch[] = [];

  /** Processes the picture at a time. Returns the slide that has ended, if any. */
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
    return rests || seconds - Math.max(this.differsSince, this.lastTaken) >= movingSeconds
      ? this.take(this.latest, seconds)
      : null;
  }

  /** Ends the video. Returns the remaining slides. */
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
      const times = this.moving[block] ?? 0;
      if (moving[block] === 1 && times < movingSamples) resting++;
      this.moving[block] = moving[block] === 1 ? Math.min(times + 1, minMovingChanges) : Math.max(times - 1, 0);
    }
    return resting;
  }

  /** Number of blocks in which two sketches differ, except for moving ones. */
  private changes(first: Sketch, second: Sketch): number {
    let count = 0;
    eachChangedBlock(first, second, (block) => {
      if ((this.moving[block] ?? 0) < movingSamples) count++;
    });
    return count;
  }
}
