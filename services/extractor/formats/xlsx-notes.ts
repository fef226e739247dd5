import type { Archive } from './archive.ts';
import { joinWhiteSpaceInLines } from './clean.ts';
import { relationshipsOf } from './ooxml.ts';
import type { Relationship } from './ooxml.ts';
import { unescapeCharacters } from './xlsx-workbook.ts';
import { walkXml } from './xml.ts';

/** A text that stands on a sheet beside its cells: a comment, or a text box. */
export interface SheetNote {
  /** Row of its cell, or that it begins at; from 1. */
  row: number;
  text: string;
}

/** How Excel begins the comment that stands for a conversation where a program knows no conversations ([MS-XLSX] 2.6.205). */
const standsForThread = /^\[Threaded comment\]/i;

const rowOfCell = (reference: string | undefined): number => Number(/\d+$/.exec(reference ?? '')?.[0] ?? 1);

/** Comments (ECMA-376 part 1, 18.7) and the conversations of newer editions ([MS-XLSX] 2.6.203): both name their cell. */
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
      // Of a comment the text stands in `t`, of a conversation in `text` itself.
      else if (name === 't' || name === 'text') reading = !phonetic;
    },
    close: (name) => {
      if (name === 'rPh') phonetic = false;
      else if (name === 't' || name === 'text') reading = false;
      else if (name === 'comment' || name === 'threadedComment') notes.push({ row, text: unescapeCharacters(text) });
    },
    text: (piece) => { if (reading) text += piece; },
  });
  for await (const _ of walk) {
    yield* notes;
    notes = [];
  }
}

/** Texts of the shapes of a drawing (20.5, 21.1.2): one for each, its paragraphs on lines of their own. */
async function* textBoxesOf(archive: Archive, part: string): AsyncGenerator<SheetNote, void, undefined> {
  let notes: SheetNote[] = [];
  let row = 1;
  let text = '';
  /** What the text of the part is read as. */
  let reading: 'row' | 'text' | null = null;
  let written = '';
  let inStart = false;
  let fallbacks = 0;
  const walk = walkXml(archive.read(part), {
    open: (name) => {
      if (name === 'Fallback') fallbacks++;
      if (fallbacks > 0) return;
      if (name === 'from') inStart = true;
      else if (name === 'row' && inStart) [reading, written] = ['row', ''];
      else if (name === 'txBody') text = '';
      else if (name === 't') reading = 'text';
      else if (name === 'br') text += '\n';
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

/** The comments and text boxes of a sheet, by the relationships of its part. */
export async function* notesOf(archive: Archive, sheet: string): AsyncGenerator<SheetNote, void, undefined> {
  const related = await relationshipsOf(archive, sheet);
  const partsOf = (type: Relationship['type']): string[] => related.flatMap((relation) => relation.type === type && relation.target !== null ? [relation.target] : []);
  const threads = partsOf('threadedComment');
  const said = (note: SheetNote): SheetNote => ({ row: note.row, text: joinWhiteSpaceInLines(note.text) });
  for (const part of threads) for await (const note of commentsOf(archive, part)) yield said(note);
  for (const part of partsOf('comments')) {
    for await (const note of commentsOf(archive, part)) if (threads.length === 0 || !standsForThread.test(note.text.trimStart())) yield said(note);
  }
  for (const part of partsOf('drawing')) for await (const note of textBoxesOf(archive, part)) yield said(note);
}
