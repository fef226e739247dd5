/**
 * A text of a document, a file's name or a server's answer as one line that a terminal only shows. Control characters
 * would be obeyed (escape sequences move the cursor, change colours, set the title), and marks of writing direction
 * can make one name look like another; each run of them, and of white space, becomes one space.
 */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\s\u202a-\u202e\u2066-\u2069]+/gu, ' ');
}
