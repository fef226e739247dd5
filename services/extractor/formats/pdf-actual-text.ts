import type { TextRun } from './pdf-lines.ts';

/** An item of a page's content as pdf.js gives it with marked content: a run of text, or a mark. */
export type ContentItem = TextRun | { type: string; id?: string | null; tag?: string | null };

/** An element of a page's structure tree as pdf.js gives it; content is named by the ids of its marks. */
export interface StructureNode {
  role?: string;
  type?: string;
  id?: string;
  /** Its ActualText, or, where it has one, its description (Alt). */
  alt?: string;
  children?: readonly StructureNode[];
}

/** The role whose other text stands for its letters; that of a figure or a formula describes what it shows. */
const spanRole = 'Span';

/** Whether a page may hold text that stands for other text: only then its structure is worth reading. */
export function marksSpans(items: readonly ContentItem[]): boolean {
  return items.some((item) => 'type' in item && item.tag === spanRole && typeof item.id === 'string');
}

/** Elements that nest deeper are left as they are. */
const deepest = 40;

/** What each mark's content means (ISO 32000-1, 14.9.4): the text of its element at the first, nothing at the others. */
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

/** The runs of a page's content, those of spans with another text with that text in the place of theirs. */
export function runsAsMeant(items: readonly ContentItem[], root: StructureNode | null): TextRun[] {
  const meant = root === null ? new Map<string, string>() : meanings(root);
  const runs: TextRun[] = [];
  /** For each open mark, what its content means; null where it means what it shows. */
  const open: ({ text: string } | null)[] = [];
  for (const item of items) {
    if ('str' in item) {
      const mark = open.findLast((one) => one !== null);
      // A space before the first letter parts it from what stands before.
      if (mark === undefined || item.str === '' || (mark.text !== '' && item.str.trim() === '')) runs.push(item);
      else {
        runs.push({ ...item, str: mark.text });
        mark.text = '';
      }
    } else if (item.type === 'endMarkedContent') open.pop();
    else {
      const text = typeof item.id === 'string' ? meant.get(item.id) : undefined;
      open.push(text === undefined ? null : { text });
    }
  }
  return runs;
}
