/**
 * The IANA time zone of a name, in whatever letter case, as calendars here know it; null for a name that is none.
 * Offsets such as `+01:00` are none: they know no summer. Aliases stay as they are written.
 */
export function timeZoneNamed(name: string): string | null {
  if (!/^[A-Za-z][A-Za-z0-9_+/-]*$/.test(name)) return null;
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions();
    return timeZone.toLowerCase() === name.toLowerCase() ? timeZone : name;
  } catch {
    // The constructor throws a RangeError for every name that it does not know.
    return null;
  }
}
