import { joinWhiteSpace, joinWhiteSpaceInLines } from './clean.ts';
import type { PlacedText } from './pdf-text.ts';

/** Flags of an annotation that is not shown: Hidden and NoView (ISO 32000-1, 12.5.3). */
const hiddenFlags = 2 | 32;

/** What pdf.js reports of an annotation, as far as it is used. */
interface Annotation {
  subtype?: string;
  rect?: readonly number[];
  /** Lines that it shows, for form fields and notes written on the page. */
  textContent?: readonly string[];
  /** What its author wrote in it. */
  contentsObj?: { str: string };
  /** Set on an answer that only has a state of the review: accepted, rejected. */
  stateModel?: string | null;
  /** A field whose text is not shown. */
  password?: boolean;
  /** `Ch` for a choice, whose value names an entry of `options`; `Tx` for text. */
  fieldType?: string;
  fieldValue?: unknown;
  options?: readonly { exportValue: string; displayValue: string }[];
  annotationFlags?: number;
}

/** A page, as far as it is asked for its annotations. */
interface AnnotatedPage {
  getAnnotations(options: { intent: string }): Promise<unknown[]>;
}

/** Annotations in which reviewers write what they have to say of the page (ISO 32000-1, 12.5.6). */
const commentTypes = new Set([
  'Text',
  'Highlight',
  'Underline',
  'Squiggly',
  'StrikeOut',
  'Caret',
  'Ink',
  'Square',
  'Circle',
  'Line',
  'Polygon',
  'PolyLine',
  'Stamp',
  'FileAttachment',
  'Redact',
]);

/** What a choice shows: the entries that are chosen. */
function chosen({ fieldValue, options = [] }: Annotation): string {
  if (!Array.isArray(fieldValue)) return '';
  const values = new Set<unknown>(fieldValue);
  return options
    .filter(({ exportValue }) => values.has(exportValue))
    .map(({ displayValue }) => displayValue)
    .join('\n');
}

/** What a field or a note shows: the lines of its appearance, or its value where the viewer has yet to draw it. */
function shown(annotation: Annotation): string {
  const { textContent = [], fieldType, fieldValue, subtype, contentsObj } = annotation;
  const drawn = textContent.join('\n').trim();
  if (drawn !== '') return drawn;
  if (fieldType === 'Ch') return chosen(annotation).trim();
  if (fieldType === 'Tx' && typeof fieldValue === 'string') return fieldValue.trim();
  return subtype === 'FreeText' ? (contentsObj?.str ?? '').trim() : '';
}

/**
 * What form fields and notes show on a page, and the comments on it. Broken annotations cost themselves alone.
 * `comments` are in pop-ups, which are not among the lines of the page.
 */
export async function annotatedText(page: AnnotatedPage): Promise<{ fields: PlacedText[]; comments: string[] }> {
  const found: { fields: PlacedText[]; comments: string[] } = { fields: [], comments: [] };
  let annotations: Annotation[];
  try {
    annotations = (await page.getAnnotations({ intent: 'display' })) as Annotation[];
  } catch {
    // The page's own text is read all the same.
    return found;
  }
  for (const annotation of annotations) {
    const { rect, subtype = '', contentsObj, stateModel, password, annotationFlags = 0 } = annotation;
    if (password === true || (annotationFlags & hiddenFlags) !== 0) continue;
    const text = shown(annotation);
    if (rect !== undefined && text !== '') found.fields.push({ text, rectangle: rect });
    const comment = contentsObj?.str ?? '';
    if (commentTypes.has(subtype) && typeof stateModel !== 'string' && /\S/.test(comment)) found.comments.push(comment);
  }
  return found;
}

/** Comments of a page that are looked for in its text; further ones come after it in any case. */
const maxCompared = 500;

/**
 * Adds comments behind the text of their page, each once; those that only repeat the words that they mark are left out.
 * A page without text stays so: comments on a scanned page must not hide that it is still to be read.
 */
export function withComments(text: string, comments: readonly string[]): string {
  if (comments.length === 0 || text === '') return text;
  const onPage = joinWhiteSpace(text);
  const added = new Set(comments.map((comment) => joinWhiteSpaceInLines(comment.replaceAll('\r', '\n'))));
  const isNew = (comment: string, index: number): boolean =>
    index >= maxCompared || !onPage.includes(joinWhiteSpace(comment));
  return [text, ...[...added].filter((comment) => comment !== '').filter(isNew)].join('\n');
}
