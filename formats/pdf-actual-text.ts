import type { TextRun } from './pdf-lines.ts';

/** A marked-content sequence; `actualText` is added to pdf.js by pdf-worker.ts. */
interface Mark {
  type: string;
  id?: string | null;
  tag?: string | null;
  actualText?: string | null;
}

/** An item of a page's content from pdf.js: a run of text, or the start or end of marked content. */
export type ContentItem = TextRun | Mark;

/** An element of a page's structure tree from pdf.js; content refers to marked content by id. */
export interface StructureNode {
  role?: string;
  type?: string;
  id?: string;
  /** Its ActualText or, if present, its description (Alt). */
  alt?: string;
  children?: readonly StructureNode[];
}

/** The role whose ActualText replaces its letters; that of a figure or a formula is a description. */
const spanRole = 'Span';

/** Whether the structure tree may contain replacement text; otherwise it need not be read. */
export function marksSpans(items: readonly ContentItem[]): boolean {
  return items.some((item) => 'type' in item && item.tag === spanRole && typeof item.id === 'string');
}

/** Maximum nesting depth of elements. */
const deepest = 40;

/**
 * The replacement text by marked-content id (ISO 32000-1, 14.9.4): the text of an element for its first id, an empty
 * string for the others.
 */
function meanings(root: StructureNode): Map<string, string> {
  const meant = new Map<string, string>();
  const walk = (node: StructureNode, open: { text: string } | null, depth: number): void => {
    if (depth > deepest) return;
    if (node.type === 'content' && typeof node.id === 'string' && open !== null) {
      meant.set(node.id, open.text);
      open.text = '';
    }
    const own = open ?? (node.role === spanRole && typeof node.alt === 'string' ? { text: node.alt } : null);
    for (const child of node.children ?? []) walk(child, own, depth + 1);
  };
  walk(root, null, 0);
  return meant;
}

/** The replacement text of marked content. */
interface Meaning {
  text: string;
  /** The run that received the text; null until the first visible one. */
  bearer: TextRun | null;
}

/** Characters without meaning: private-use ones, and the replacement character. */
const isMeaningless = /^[\0\ufffd\ue000-\uf8ff]+$/;
const latinLigatures = /[\ufb00-\ufb06]/g;
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/;
/** pdf.js emits no run for a hyphen that is only visible at a line's end. */
const softHyphen = '\u00ad';

function meaningOf(mark: Mark, elements: ReadonlyMap<string, string>): Meaning | null {
  const text = mark.actualText ?? (typeof mark.id === 'string' ? elements.get(mark.id) : undefined);
  if (text === undefined || isMeaningless.test(text)) return null;
  return { text: text.replace(latinLigatures, (ligature) => ligature.normalize('NFKC')), bearer: null };
}

/** A run with replaced text. A leading space that pdf.js found is kept. */
function withText(run: TextRun, text: string): TextRun {
  return {
    ...run,
    str: /^\s/.test(run.str) && /^\S/.test(text) ? ` ${text}` : text,
    dir: rightToLeft.test(text) ? 'rtl' : run.dir,
  };
}

/** Extends a run to the end of another one on its line. */
function widen(run: TextRun, { transform, width }: TextRun): void {
  const [a = 1, b = 0, , , x = 0, y = 0] = run.transform;
  const length = Math.hypot(a, b) || 1;
  const [right, up] = [(transform[4] ?? 0) - x, (transform[5] ?? 0) - y];
  if (Math.abs(up * a - right * b) < (length * run.height) / 2)
    run.width = Math.max(run.width, (right * a + up * b) / length + width);
}

/** Whether a run shows glyphs (even unmapped ones) rather than a space or a line end. */
const showsGlyphs = ({ str, width }: TextRun): boolean => (str === '' ? width > 0 : str.trim() !== '');

/** The text of a run within marked content. */
function asMeant(run: TextRun, meaning: Meaning): TextRun {
  if (meaning.bearer === null && meaning.text !== '')
    return showsGlyphs(run) ? (meaning.bearer = withText(run, meaning.text)) : run;
  if (meaning.bearer !== null && showsGlyphs(run)) widen(meaning.bearer, run);
  return { ...run, str: '' };
}

/** Ends marked content. Replacement text without a run is dropped, except a hyphen after the letters of a word. */
function endOf({ text, bearer }: Meaning, runs: TextRun[]): void {
  if (bearer !== null || text !== softHyphen) return;
  const before = runs.pop();
  if (before !== undefined) runs.push(before.hasEOL ? before : { ...before, str: before.str + text });
}

/** The runs of a page's content, with replacement text applied. */
export function runsWithActualText(items: readonly ContentItem[], root: StructureNode | null): TextRun[] {
  const elements = root === null ? new Map<string, string>() : meanings(root);
  const runs: TextRun[] = [];
  /** The replacement text of each open mark; null if it has none or an outer mark has one. */
  const open: (Meaning | null)[] = [];
  let outer: Meaning | null = null;
  for (const item of items) {
    if ('str' in item) runs.push(outer === null ? item : asMeant(item, outer));
    else if (item.type === 'endMarkedContent') {
      const ended = open.pop() ?? null;
      if (ended === null) continue;
      endOf(ended, runs);
      outer = null;
    } else {
      const meaning: Meaning | null = outer === null ? meaningOf(item, elements) : null;
      open.push(meaning);
      outer ??= meaning;
    }
  }
  return runs;
}
