/** At most `most` of the ordinals below `count`, in order and evenly apart, each once. */
export function spread(count: number, most: number): number[] {
  const taken = Math.min(count, most);
  return Array.from({ length: taken }, (_, place) => Math.floor((place * count) / taken));
}
