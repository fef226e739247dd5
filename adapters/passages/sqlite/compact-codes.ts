import type { Range, VectorCodes } from './vector-codes.ts';

/**
 * Writes the file of a library's codes again, without those of revisions that are gone. Afterwards the codes must be
 * loaded again.
 */
export function compactCodes(codes: VectorCodes, isLive: (revision: number) => boolean): void {
  if (!codes.save(1) || codes.file.slots === 0) return;
  const kept = [...codes.places]
    .filter(([number]) => isLive(number))
    .sort(([, one], [, other]) => one.start - other.start);
  const next = codes.file.successor();
  let [at, slots] = [0, 0];
  for (const [index, segment] of codes.segments.entries()) {
    const first = index * codes.segmentSlots;
    const end = first + segment.used;
    const before = slots;
    const ranges: Range[] = [];
    const places: number[] = [];
    for (let each = kept[at]; each !== undefined; each = kept[at]) {
      const [number, place] = each;
      const until = place.start + place.slots;
      const start = Math.max(place.start, first);
      const own = Math.min(until, end) - start;
      if (place.slots > 0) {
        // It begins in a later segment.
        if (own <= 0) break;
        ranges.push({ start, slots: own });
        slots += own;
        // It ends in a later segment.
        if (until > end) break;
      }
      places.push(number, slots - place.slots, place.slots, place.count);
      at += 1;
    }
    const copied = new Int8Array((slots - before) * codes.dimensions);
    codes.gather(index, ranges, copied);
    const ids = new Float64Array(slots - before);
    let taken = 0;
    for (const range of ranges) {
      ids.set(segment.ids.subarray(range.start - first, range.start - first + range.slots), taken);
      taken += range.slots;
    }
    next.append({ state: codes.state, places: Float64Array.from(places), ids }, [copied]);
  }
  next.replace(codes.file);
}
