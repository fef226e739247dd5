import type { Picture } from './picture.ts';

/** A sketch is divided into so many blocks across and down, each of 5 by 5 points. */
const blocksAcross = 32;
const blocksDown = 18;
const pointsOfBlock = 5;
const sketchWidth = blocksAcross * pointsOfBlock;
const sketchHeight = blocksDown * pointsOfBlock;
/** Number of blocks of a sketch. */
export const sketchBlocks = blocksAcross * blocksDown;

/** A point has changed when its brightness has by more than compression makes it tremble (of 255). */
const trembling = 24;
/** A block has changed when this many of its 25 points have. */
const changedPoints = 2;

/** A small likeness of a picture, 160 by 90 points: two pictures are compared by theirs. */
export type Sketch = Uint8Array;

/** Draws a picture's sketch: each point is the mean of every second point of its part in both directions. */
export function sketchOf({ width, height, points }: Picture): Sketch {
  const sums = new Uint32Array(sketchWidth * sketchHeight);
  const counts = new Uint16Array(sketchWidth * sketchHeight);
  for (let y = 0; y < height; y += 2) {
    const row = Math.floor((y * sketchHeight) / height) * sketchWidth;
    for (let x = 0; x < width; x += 2) {
      const cell = row + Math.floor((x * sketchWidth) / width);
      sums[cell] = (sums[cell] ?? 0) + (points[y * width + x] ?? 0);
      counts[cell] = (counts[cell] ?? 0) + 1;
    }
  }
  return Uint8Array.from(sums, (sum, cell) => sum / Math.max(1, counts[cell] ?? 1));
}

/** Calls `found` with each block in which two sketches differ. */
export function eachChangedBlock(first: Sketch, second: Sketch, found: (block: number) => void): void {
  for (let down = 0; down < blocksDown; down++) {
    for (let across = 0; across < blocksAcross; across++) {
      const corner = down * pointsOfBlock * sketchWidth + across * pointsOfBlock;
      if (differs(first, second, corner)) found(down * blocksAcross + across);
    }
  }
}

function differs(first: Sketch, second: Sketch, corner: number): boolean {
  let points = 0;
  for (let y = 0; y < pointsOfBlock; y++) {
    for (let x = 0; x < pointsOfBlock; x++) {
      const at = corner + y * sketchWidth + x;
      if (Math.abs((first[at] ?? 0) - (second[at] ?? 0)) > trembling && ++points === changedPoints) return true;
    }
  }
  return false;
}

/** Whether nothing can be read on it, because it is all of one brightness. */
export function isBlank(sketch: Sketch): boolean {
  let least = 255;
  let most = 0;
  for (const value of sketch) {
    if (value < least) least = value;
    if (value > most) most = value;
  }
  return most - least <= trembling;
}
