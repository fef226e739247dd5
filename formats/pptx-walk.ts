import { joinCells, joinWhiteSpace, joinWhiteSpaceInLines } from './clean.ts';
import { Alternatives } from './ooxml-alternatives.ts';
import type { XmlHandler } from './xml.ts';

/** A paragraph of a slide, or a row of one of its tables. */
export interface SlidePiece {
  text: string;
  /**
   * The role of its shape: `title`, `footer` (repeated on many slides), `other`. Slide numbers and dates are omitted.
   */
  role: 'title' | 'footer' | 'other';
}

/** A shape, picture, table or group. */
interface Shape {
  /** Type of its placeholder (ECMA-376 part 1, 19.7.10); null if it has none. */
  placeholder: string | null;
  hidden: boolean;
}

const shapes = new Set(['sp', 'pic', 'graphicFrame', 'grpSp', 'cxnSp']);
const isOff = (value: string | undefined): boolean => value === '0' || value === 'false';
const isOn = (value: string | undefined): boolean => value === '1' || value === 'true';

function roleOf(placeholder: string | null): SlidePiece['role'] {
  if (placeholder === 'title' || placeholder === 'ctrTitle') return 'title';
  return placeholder === 'ftr' || placeholder === 'hdr' ? 'footer' : 'other';
}

/**
 * Walks the XML of a slide or its notes (ECMA-376 part 1, 19.3 and 21.1.2). `take` returns and clears the pieces
 * gathered so far; `isShown` returns whether the slide is part of the show. Hidden shapes are skipped.
 * @param only the one placeholder type to read; all if omitted
 */
export function slideWalker(only?: string): { handler: XmlHandler; take(): SlidePiece[]; isShown(): boolean } {
  let pieces: SlidePiece[] = [];
  let shown = true;
  const open: Shape[] = [];
  let text = '';
  let inText = false;
  let skipped = 0;
  let cells: string[] | null = null;
  let lines: string[] = [];
  const alternatives = new Alternatives();

  const write = (piece: string, placeholder: string | null): void => {
    if (piece !== '') pieces.push({ text: piece, role: roleOf(placeholder) });
  };
  const endParagraph = (): void => {
    const placeholder = open.at(-1)?.placeholder ?? null;
    const isLeft =
      open.some(({ hidden }) => hidden) ||
      placeholder === 'sldNum' ||
      placeholder === 'dt' ||
      (only !== undefined && placeholder !== only);
    if (isLeft) return;
    if (cells === null) write(joinWhiteSpaceInLines(text), placeholder);
    else lines.push(joinWhiteSpace(text));
  };

  return {
    handler: {
      open: (name, attributes) => {
        if (skipped > 0 || alternatives.repeats(name)) {
          skipped++;
          return;
        }
        const shape = open.at(-1);
        if (shapes.has(name)) open.push({ placeholder: null, hidden: false });
        else if (name === 'sld') shown = !isOff(attributes['show']);
        else if (name === 'cNvPr') {
          if (shape !== undefined) shape.hidden ||= isOn(attributes['hidden']);
        } else if (name === 'ph') {
          if (shape !== undefined) shape.placeholder = attributes['type'] ?? 'body';
        } else if (name === 'p') text = '';
        else if (name === 't') inText = true;
        else if (name === 'br') text += '\n';
        else if (name === 'tr') cells = [];
        else if (name === 'tc') lines = [];
      },
      close: (name) => {
        if (skipped > 0) {
          skipped--;
          return;
        }
        alternatives.close(name);
        if (shapes.has(name)) open.pop();
        else if (name === 't') inText = false;
        else if (name === 'p') endParagraph();
        else if (name === 'tc') cells?.push(lines.join(' ').trim());
        else if (name === 'tr') {
          write(joinCells(cells ?? []), null);
          cells = null;
        }
      },
      text: (piece) => {
        if (inText && skipped === 0) text += piece;
      },
    },
    take: () => {
      const taken = pieces;
      pieces = [];
      return taken;
    },
    isShown: () => shown,
  };
}

/**
 * Collects comments: one text for each older comment, one for each paragraph of newer ones ([MS-PPTX] 2.6.2, ECMA-376
 * part 1, 19.4).
 */
export function commentWalker(): { handler: XmlHandler; take(): string[] } {
  let texts: string[] = [];
  let text = '';
  let inText = false;
  return {
    handler: {
      open: (name) => {
        if (name === 'p' || name === 'text') text = '';
        if (name === 't' || name === 'text') inText = true;
      },
      close: (name) => {
        if (name === 't' || name === 'text') inText = false;
        if (name === 'p' || name === 'text') texts.push(joinWhiteSpaceInLines(text));
      },
      text: (piece) => {
        if (inText) text += piece;
      },
    },
    take: () => {
      const taken = texts.filter((one) => one !== '');
      texts = [];
      return taken;
    },
  };
}
