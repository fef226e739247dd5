import { rowId } from './connection.ts';
import { portionVectors, type Comparison, type HeldVectors, type Portion } from './held-vectors.ts';
import type { PermittedRevision } from './permitted.ts';

/** Passages of one revision whose vectors lie in a stretch. */
interface Part {
  of: PermittedRevision;
  /** Id of the first passage. */
  first: number;
  count: number;
  /** As of a portion. */
  scales: Float64Array;
}

/**
 * Vectors of several revisions that lie one after the other in the memory. Most files have few passages: multiplying those
 * of each by themselves takes as long to begin as to do.
 */
export interface Stretch {
  portion: Pick<Portion, 'at' | 'bytes'>;
  count: number;
  parts: Part[];
}

/** The stretches of these revisions; null where vectors of one are not held. They hold for the era of the memory in which they were made. */
export function stretchesOf(held: HeldVectors, revisions: readonly PermittedRevision[]): Stretch[] | null {
  const stretches: Stretch[] = [];
  for (const of of revisions) {
    for (let first = 0; first < of.count; first += portionVectors) {
      const count = Math.min(portionVectors, of.count - first);
      const portion = held.heldPortion(of.number, first, count);
      if (portion === undefined) return null;
      if (portion.bytes === 0) continue;
      const part = { of, first: rowId(of.number, first), count, scales: portion.scales };
      const last = stretches.at(-1);
      if (last !== undefined && last.portion.bytes === portion.bytes && last.portion.at + last.count * portion.bytes === portion.at && last.count + count <= portionVectors) {
        last.count += count;
        last.parts.push(part);
      } else {
        stretches.push({ portion, count, parts: [part] });
      }
    }
  }
  return stretches;
}

/** Compares the vectors of a revision with the aims, held or not. */
export function compareRevision(held: HeldVectors, of: PermittedRevision, comparisons: readonly Comparison[]): void {
  for (let first = 0; first < of.count; first += portionVectors) {
    const count = Math.min(portionVectors, of.count - first);
    const portion = held.portion(of.number, first, count);
    compareStretch(held, { portion, count, parts: [{ of, first: rowId(of.number, first), count, scales: portion.scales }] }, comparisons);
  }
}

/** Compares the vectors of a stretch with all that they are to be compared with, so that they are fetched from memory once. */
export function compareStretch(held: HeldVectors, { portion, count, parts }: Stretch, comparisons: readonly Comparison[]): void {
  for (const { aim, dimensions, best } of comparisons) {
    if (portion.bytes !== dimensions * 4) continue;
    const products = held.multiply(portion, 0, count, aim);
    let at = 0;
    for (const part of parts) {
      const { scales } = part;
      for (let each = 0; each < part.count; each += 1) {
        const value = (products[at] ?? 0) * (scales[each] ?? Number.NaN);
        at += 1;
        if (value >= best.least) best.add({ value, of: part.of, id: part.first + each });
      }
    }
  }
}
