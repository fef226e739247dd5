import type { Picture } from './picture.ts';

/** Number of blocks across and down, each of 5 by 5 pixels. */
const blocksAcross = 32;
const blocksDown = 18;
const pointsOfBlock = 5;
const sketchWidth = blocksAcross * pointsOfBlock;
const sketchHeight = blocksDown * pointsOfBlock;
/** Number of blocks of a sketch. */
export const sketchBlocks = blocksAcross * blocksDown;

/** A pixel has changed if its brightness (0 to 255) differs by more than compression noise. */
const noise = 24;
/** A block has changed if this many of its 25 pixels have. */
const changedPoints = 2;

/** A reduced picture, 160 by 90 pixels, for comparisons. */
export type Sketch = Uint8Array;

/** Reduces a picture: each pixel is the mean of every second pixel of its area in both directions. */
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
      if (Math.abs((first[at] ?? 0) - (second[at] ?? 0)) > noise && ++points === changedPoints) return true;
    }
  }
  return false;
}

/** Whether the picture has uniform brightness, so nothing can be read. */
export function isBlank(sketch: Sketch): boolean {
  let min = 255;
  let max = 0;
  for (const value of sketch) {
    if (value < min) min = value;
    if (value > max) max = value;
  }
  return max - min <= noise;
}
