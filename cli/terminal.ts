/**
 * Makes a text safe for a terminal, on one line. A terminal executes control characters (escape sequences move the
 * cursor, change colours, set the title), and direction marks can disguise names; each run of them and of white space
 * becomes one space.
 */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\s\u202a-\u202e\u2066-\u2069]+/gu, ' ');
}
