import { asHeading } from './clean.ts';
import type { Container, HtmlPiece } from './html-pieces.ts';

/** What describes the rows of a table. */
interface TableHead {
  caption: string;
  names: string;
}

/** The nearest table around a piece; null if there is none. */
function tableOf({ container }: HtmlPiece): Container | null {
  for (let at: Container | null = container; at !== null; at = at.parent) if (at.tag === 'table') return at;
  return null;
}

/**
 * Follows the pieces of a page and returns what describes the rows of a table from a piece on: its caption, and its
 * last row of headings. Null where nothing changes, empty behind a table. What holds in one group of blocks does not in
 * the next.
 */
export function tableContext(): (piece: HtmlPiece, group: string) => string | null {
  const heads = new WeakMap<Container, TableHead>();
  let [lastGroup, last] = ['', ''];
  return (piece, group) => {
    const table = tableOf(piece);
    const head = (table === null ? undefined : heads.get(table)) ?? { caption: '', names: '' };
    if (table !== null && piece.tag === 'caption')
      heads.set(table, Object.assign(head, { caption: asHeading(piece.text) }));
    if (table !== null && piece.tag === 'tr' && piece.isHead === true)
      heads.set(table, Object.assign(head, { names: piece.text.slice(0, 2000).toWellFormed() }));
    const context = [head.caption, head.names].filter((part) => part !== '').join('\n');
    const before = group === lastGroup ? last : '';
    [lastGroup, last] = [group, context];
    return context === before ? null : context;
  };
}
