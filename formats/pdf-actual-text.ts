import type { TextRun } from './pdf-lines.ts';

/** A mark around some of a page's content; `actualText` is what pdf-worker.ts makes pdf.js report of it. */
interface Mark {
  type: string;
  id?: string | null;
  tag?: string | null;
  actualText?: string | null;
}

/** An item of a page's content as pdf.js gives it with marked content: a run of text, or the begin or end of a mark. */
export type ContentItem = TextRun | Mark;

/** An element of a page's structure tree as pdf.js gives it; content is named by the ids of its marks. */
export interface StructureNode {
  role?: string;
  type?: string;
  id?: string;
  /** Its ActualText, or, if it has one, its description (Alt). */
  alt?: string;
  children?: readonly StructureNode[];
}

/** The role whose other text replaces its letters; that of a figure or a formula describes what it shows. */
const spanRole = 'Span';

/** Whether elements of the structure may say what the page means: only then it is worth reading. */
export function marksSpans(items: readonly ContentItem[]): boolean {
  return items.some((item) => 'type' in item && item.tag === spanRole && typeof item.id === 'string');
}

/** Elements that nest deeper are left as they are. */
const deepest = 40;

/**
 * What each mark's content means (ISO 32000-1, 14.9.4): the text of its element at the first, nothing at the others.
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

/** What replaces the runs within a mark. */
interface Meaning {
  text: string;
  /** The run that got the text; null until the first one that shows something. */
  bearer: TextRun | null;
}

/** Characters that say less than what is shown: private ones, and those for an unknown one. */
const saysNothing = /^[\0\ufffd\ue000-\uf8ff]+$/;
const latinLigatures = /[\ufb00-\ufb06]/g;
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/;
/** pdf.js gives no run for a hyphen that shows only at a line's end. */
const softHyphen = '\u00ad';

function meaningOf(mark: Mark, elements: ReadonlyMap<string, string>): Meaning | null {
  const text = mark.actualText ?? (typeof mark.id === 'string' ? elements.get(mark.id) : undefined);
  if (text === undefined || saysNothing.test(text)) return null;
  return { text: text.replace(latinLigatures, (ligature) => ligature.normalize('NFKC')), bearer: null };
}

/** A run with another text. The space that pdf.js found before its letters separates it from the text before. */
function saying(run: TextRun, text: string): TextRun {
  return {
    ...run,
    str: /^\s/.test(run.str) && /^\S/.test(text) ? ` ${text}` : text,
    dir: rightToLeft.test(text) ? 'rtl' : run.dir,
  };
}

/** Makes a run as long as it has to be to end where another one on its line ends. */
function widen(run: TextRun, { transform, width }: TextRun): void {
  const [a = 1, b = 0, , , x = 0, y = 0] = run.transform;
  const length = Math.hypot(a, b) || 1;
  const [right, up] = [(transform[4] ?? 0) - x, (transform[5] ?? 0) - y];
  if (Math.abs(up * a - right * b) < (length * run.height) / 2)
    run.width = Math.max(run.width, (right * a + up * b) / length + width);
}

/** Whether a run is of glyphs, be it such as no character is known of; else it is a space or a line's end. */
const showsGlyphs = ({ str, width }: TextRun): boolean => (str === '' ? width > 0 : str.trim() !== '');

/** What is read of a run within a mark. */
function asMeant(run: TextRun, meaning: Meaning): TextRun {
  if (meaning.bearer === null && meaning.text !== '')
    return showsGlyphs(run) ? (meaning.bearer = saying(run, meaning.text)) : run;
  if (meaning.bearer !== null && showsGlyphs(run)) widen(meaning.bearer, run);
  return { ...run, str: '' };
}

/** Ends a mark. A meaning of no run is left out, but for a hyphen behind the letters of a word. */
function endOf({ text, bearer }: Meaning, runs: TextRun[]): void {
  if (bearer !== null || text !== softHyphen) return;
  const before = runs.pop();
  if (before !== undefined) runs.push(before.hasEOL ? before : { ...before, str: before.str + text });
}

/** The runs of a page's content, those of marks with another text with that text in the place of theirs. */
export function runsAsMeant(items: readonly ContentItem[], root: StructureNode | null): TextRun[] {
  const elements = root === null ? new Map<string, string>() : meanings(root);
  const runs: TextRun[] = [];
  /** For each open mark, what its content means; null if it means what it shows, or what a mark around it says. */
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
