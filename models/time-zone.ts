/**
 * The IANA time zone with this name, in any letter case; null for other names. Offsets such as `+01:00` are refused:
 * they have no daylight saving. Aliases are kept.
 */
export function timeZoneNamed(name: string): string | null {
  if (!/^[A-Za-z][A-Za-z0-9_+/-]*$/.test(name)) return null;
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions();
    return timeZone.toLowerCase() === name.toLowerCase() ? timeZone : name;
  } catch {
    // The constructor throws a RangeError for an unknown name.
    return null;
  }
}
