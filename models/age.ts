/**
 * Whether something is younger than a number of milliseconds. The clock may be set back, which leaves its age unknown:
 * an instant in the future counts as old.
 */
export function isYounger(since: number, now: number, milliseconds: number): boolean {
  const age = now - since;
  return age >= 0 && age < milliseconds;
}
