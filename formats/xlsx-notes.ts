import type { Archive } from './archive.ts';
import { joinWhiteSpaceInLines } from './clean.ts';
import { drawingTexts } from './ooxml-drawings.ts';
import { relationshipsOf } from './ooxml.ts';
import type { Relationship } from './ooxml.ts';
import { unescapeCharacters } from './xlsx-workbook.ts';
import { walkXml } from './xml.ts';

/** A text of a sheet outside its cells: a comment, a text box, or the words of a chart or diagram. */
export interface SheetNote {
  /** Row of its cell or of its top edge; from 1. */
  row: number;
  text: string;
}

/** Prefix of the comment that stands in for a conversation in programs without conversations ([MS-XLSX] 2.6.205). */
const threadPlaceholder = /^\[Threaded comment\]/i;

/** Maximum number of charts and diagrams of a sheet. */
const maxDrawn = 1000;

const rowOfCell = (reference: string | undefined): number => Number(/(?<!\d)\d+$/.exec(reference ?? '')?.[0] ?? 1);

/** Comments (ECMA-376 part 1, 18.7) and conversations of newer editions ([MS-XLSX] 2.6.203); both name their cell. */
async function* commentsOf(archive: Archive, part: string): AsyncGenerator<SheetNote, void, undefined> {
  let notes: SheetNote[] = [];
  let row = 1;
  let text = '';
  let reading = false;
  let phonetic = false;
  const walk = walkXml(archive.read(part), {
    open: (name, { ref }) => {
      if (name === 'comment' || name === 'threadedComment') {
        row = rowOfCell(ref);
        text = '';
      } else if (name === 'rPh') phonetic = true;
      // The text of a comment is in `t`, that of a conversation in `text`.
      else if (name === 't' || name === 'text') reading = !phonetic;
    },
    close: (name) => {
      if (name === 'rPh') phonetic = false;
      else if (name === 't' || name === 'text') reading = false;
      else if (name === 'comment' || name === 'threadedComment') notes.push({ row, text: unescapeCharacters(text) });
    },
    text: (piece) => {
      if (reading) text += piece;
    },
  });
  for await (const _ of walk) {
    yield* notes;
    notes = [];
  }
}

/** A chart or diagram that a drawing refers to by relationship id. */
interface Drawn {
  row: number;
  id: string;
}

/**
 * Texts of a drawing's shapes (20.5, 21.1.2), one for each, with paragraphs on separate lines. Charts and diagrams are
 * added to `drawn`.
 */
async function* textBoxesOf(
  archive: Archive,
  part: string,
  drawn: Drawn[],
): AsyncGenerator<SheetNote, void, undefined> {
  let notes: SheetNote[] = [];
  let row = 1;
  let text = '';
  /** What the current text is. */
  let reading: 'row' | 'text' | null = null;
  let written = '';
  let inStart = false;
  let fallbacks = 0;
  const walk = walkXml(archive.read(part), {
    open: (name, attributes) => {
      if (name === 'Fallback') fallbacks++;
      if (fallbacks > 0) return;
      if (name === 'from') inStart = true;
      else if (name === 'row' && inStart) [reading, written] = ['row', ''];
      else if (name === 'txBody') text = '';
      else if (name === 't') reading = 'text';
      else if (name === 'br') text += '\n';
      else if (name === 'chart' || name === 'relIds') {
        const id = attributes[name === 'chart' ? 'r:id' : 'dm'];
        if (id !== undefined && drawn.length < maxDrawn) drawn.push({ row, id });
      }
    },
    close: (name) => {
      if (name === 'Fallback') fallbacks--;
      else if (fallbacks > 0) return;
      if (name === 'from') inStart = false;
      else if (name === 'row' || name === 't') {
        if (reading === 'row') row = (Number(written) || 0) + 1;
        reading = null;
      } else if (name === 'p') text += '\n';
      else if (name === 'txBody') notes.push({ row, text });
    },
    text: (piece) => {
      if (fallbacks > 0) return;
      if (reading === 'row') written += piece;
      else if (reading === 'text') text += piece;
    },
  });
  for await (const _ of walk) {
    yield* notes;
    notes = [];
  }
}

/**
 * The text of a drawing's text boxes, then of its charts and diagrams. Chart names that are in cells are not repeated.
 */
async function* drawingNotes(archive: Archive, part: string): AsyncGenerator<SheetNote, void, undefined> {
  const drawn: Drawn[] = [];
  yield* textBoxesOf(archive, part, drawn);
  const related = drawn.length === 0 ? [] : await relationshipsOf(archive, part);
  const read = new Set<string>();
  for (const { row, id } of drawn) {
    const target = related.find((relation) => relation.id === id)?.target ?? null;
    if (target === null || read.has(target)) continue;
    read.add(target);
    for await (const text of drawingTexts(archive, target, { names: false })) yield { row, text };
  }
}

/** The comments, text boxes and drawings of a sheet, by the relationships of its part. */
export async function* notesOf(archive: Archive, sheet: string): AsyncGenerator<SheetNote, void, undefined> {
  const related = await relationshipsOf(archive, sheet);
  const partsOf = (type: Relationship['type']): string[] =>
    related.flatMap((relation) => (relation.type === type && relation.target !== null ? [relation.target] : []));
  const threads = partsOf('threadedComment');
  const said = (note: SheetNote): SheetNote => ({ row: note.row, text: joinWhiteSpaceInLines(note.text) });
  for (const part of threads) for await (const note of commentsOf(archive, part)) yield said(note);
  for (const part of partsOf('comments')) {
    for await (const note of commentsOf(archive, part))
      if (threads.length === 0 || !threadPlaceholder.test(note.text.trimStart())) yield said(note);
  }
  for (const part of partsOf('drawing')) for await (const note of drawingNotes(archive, part)) yield said(note);
}
