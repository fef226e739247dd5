import { joinWhiteSpace, joinWhiteSpaceInLines } from './clean.ts';
import type { PlacedText } from './pdf-text.ts';

/** Flags of hidden annotations: Hidden and NoView (ISO 32000-1, 12.5.3). */
const hiddenFlags = 2 | 32;

/** The used properties of a pdf.js annotation. */
interface Annotation {
  subtype?: string;
  rect?: readonly number[];
  /** Displayed lines of form fields and of notes written on the page. */
  textContent?: readonly string[];
  /** The author's text. */
  contentsObj?: { str: string };
  /** Set on a reply that only has a review state: accepted, rejected. */
  stateModel?: string | null;
  /** Whether the field hides its text. */
  password?: boolean;
  /** `Ch` for a choice, whose value names an entry of `options`; `Tx` for text. */
  fieldType?: string;
  fieldValue?: unknown;
  options?: readonly { exportValue: string; displayValue: string }[];
  annotationFlags?: number;
}

/** A page, reduced to its annotations. */
interface AnnotatedPage {
  getAnnotations(options: { intent: string }): Promise<unknown[]>;
}

/** Types of review annotations (ISO 32000-1, 12.5.6). */
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

/** The selected entries of a choice field. */
function chosen({ fieldValue, options = [] }: Annotation): string {
  if (!Array.isArray(fieldValue)) return '';
  const values = new Set<unknown>(fieldValue);
  return options
    .filter(({ exportValue }) => values.has(exportValue))
    .map(({ displayValue }) => displayValue)
    .join('\n');
}

/** The displayed text of a field or note: its appearance, or its value if the viewer has yet to draw it. */
function shown(annotation: Annotation): string {
  const { textContent = [], fieldType, fieldValue, subtype, contentsObj } = annotation;
  const drawn = textContent.join('\n').trim();
  if (drawn !== '') return drawn;
  if (fieldType === 'Ch') return chosen(annotation).trim();
  if (fieldType === 'Tx' && typeof fieldValue === 'string') return fieldValue.trim();
  return subtype === 'FreeText' ? (contentsObj?.str ?? '').trim() : '';
}

/**
 * The displayed text of form fields and notes of a page, and its comments. Broken annotations are skipped. `comments`
 * are pop-ups, which are not among the lines of the page.
 */
export async function annotatedText(page: AnnotatedPage): Promise<{ fields: PlacedText[]; comments: string[] }> {
  const found: { fields: PlacedText[]; comments: string[] } = { fields: [], comments: [] };
  let annotations: Annotation[];
  try {
    annotations = (await page.getAnnotations({ intent: 'display' })) as Annotation[];
  } catch {
    // The page's own text is still read.
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

/** Maximum number of comments that are compared with the page's text. */
const maxCompared = 500;

/**
 * Appends comments to the text of their page, each once; comments that only repeat the marked words are dropped. An
 * empty page stays empty: comments on a scanned page must not hide that it needs OCR.
 */
export function withComments(text: string, comments: readonly string[]): string {
  if (comments.length === 0 || text === '') return text;
  const onPage = joinWhiteSpace(text);
  const added = new Set(comments.map((comment) => joinWhiteSpaceInLines(comment.replaceAll('\r', '\n'))));
  const isNew = (comment: string, index: number): boolean =>
    index >= maxCompared || !onPage.includes(joinWhiteSpace(comment));
  return [text, ...[...added].filter((comment) => comment !== '').filter(isNew)].join('\n');
}
