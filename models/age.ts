/**
 * Whether something is younger than so many milliseconds, by a clock that may be put back: that says nothing of how long ago
 * it was, so what was then yet to come counts as old.
 */
export function isYounger(since: number, now: number, milliseconds: number): boolean {
  const age = now - since;
  return age >= 0 && age < milliseconds;
}
