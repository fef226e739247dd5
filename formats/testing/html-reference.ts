import { Parser } from 'htmlparser2';
import { isInline } from '../html-elements.ts';

/** All text of an HTML fragment, with a space where an element parts words. */
export function htmlReferenceText(html: string): string {
  let text = '';
  const part = (name: string): void => {
    if (!isInline(name)) text += ' ';
  };
  const parser = new Parser({
    ontext: (data) => {
      text += data;
    },
    onopentag: part,
    onclosetag: part,
  });
  parser.end(html);
  return text;
}
