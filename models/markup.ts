import { essenceOf, isAdmitted } from './media-type.ts';

/** First bytes of a file that are looked at: the resource header of the MIME Sniffing standard (5.2). */
export const markupHeaderBytes = 1445;

/** Tags that make an unknown file HTML, each followed by a space or `>` (https://mimesniff.spec.whatwg.org/, 7.1). */
const htmlTags = [
  '<!doctype html',
  '<html',
  '<head',
  '<script',
  '<iframe',
  '<h1',
  '<div',
  '<font',
  '<table',
  '<a',
  '<style',
  '<title',
  '<b',
  '<body',
  '<br',
  '<p',
  '<!--',
];

/** The markup that a file begins with; null if it begins with none. */
export function markupOf(header: Uint8Array): 'html' | 'xml' | null {
  const text = Buffer.from(header)
    .subarray(0, markupHeaderBytes)
    .toString('latin1')
    .replace(/^[\t\n\f\r ]+/, '');
  const lower = text.slice(0, 20).toLowerCase();
  const isHtml = htmlTags.some((tag) => {
    const end = lower[tag.length];
    return lower.startsWith(tag) && (end === ' ' || end === '>');
  });
  if (isHtml) return 'html';
  return text.startsWith('<?xml') || lower.startsWith('<svg') ? 'xml' : null;
}

const typesOfMarkup = { html: ['text/html'], xml: ['text/xml', 'application/xml', 'image/svg+xml'] } as const;

/**
 * Whether a file is markup that is declared as something else, in a bucket that does not allow the markup.
 * @param allowed types of the bucket, not empty
 */
export function isMislabelledMarkup(header: Uint8Array, contentType: string, allowed: readonly string[]): boolean {
  const markup = markupOf(header);
  if (markup === null) return false;
  const essence = essenceOf(contentType);
  const types: readonly string[] = typesOfMarkup[markup];
  const isDeclared = types.includes(essence) || (markup === 'xml' && essence.endsWith('+xml'));
  return !isDeclared && !types.some((type) => isAdmitted(type, allowed));
}
