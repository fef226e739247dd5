import type { Block } from '../models/block.ts';
import type { Archive } from './archive.ts';
import { openArchive } from './archive.ts';
import { asHeading, joinWhiteSpace } from './clean.ts';
import { isUnreadable, unreadable } from '../models/extraction-failure.ts';
import type { Relationship } from './ooxml.ts';
import { firstById, mainPart, relationshipsOf, targetsIn } from './ooxml.ts';
import { drawingTexts, drawnParts } from './ooxml-drawings.ts';
import type { SlidePiece } from './pptx-walk.ts';
import { commentWalker, slideWalker } from './pptx-walk.ts';
import type { FormatReader } from './reader.ts';
import { walkWholeXml, walkXml } from './xml.ts';

/**
 * Characters of a slide that are buffered until its title is known; text after them has no heading if no title came.
 */
const maxWaiting = 1_000_000;

/**
 * The relationship ids of the slides, in order (ECMA-376 part 1, 19.2.1.34).
 * @throws ExtractionFailure `document_unreadable` if the part is not a presentation.
 */
async function slideIds(archive: Archive, main: string): Promise<string[]> {
  const ids: string[] = [];
  let isPresentation = false;
  await walkWholeXml(archive.read(main), {
    open: (name, attributes) => {
      isPresentation ||= name === 'presentation';
      if (name === 'sldId') ids.push(attributes['r:id'] ?? '');
    },
    close: () => undefined,
  });
  if (!isPresentation) throw unreadable('the file is no presentation');
  return ids;
}

/** State of a slide while it is read. */
interface Slide {
  /** Its title; empty if it has none. */
  title: string;
  /** Whether it is part of the show. */
  isShown: boolean;
}

/**
 * The paragraphs and table rows of a slide; its title, if any, is known before the first one. Empty for a hidden slide.
 */
async function* shownPieces(archive: Archive, part: string, slide: Slide): AsyncGenerator<SlidePiece, void, undefined> {
  const { handler, take, isShown } = slideWalker();
  let waiting: SlidePiece[] | null = [];
  let characters = 0;
  for await (const _ of walkXml(archive.read(part), handler)) {
    slide.isShown = isShown();
    if (!slide.isShown) return;
    for (const piece of take()) {
      if (slide.title === '' && piece.role === 'title') slide.title = asHeading(joinWhiteSpace(piece.text));
      if (waiting === null) {
        yield piece;
        continue;
      }
      waiting.push(piece);
      characters += piece.text.length;
      if (slide.title === '' && characters < maxWaiting) continue;
      yield* waiting;
      waiting = null;
    }
  }
  yield* waiting ?? [];
}

/** Additional texts of a slide: charts and diagrams, speaker notes, comments. */
async function* additionalTexts(
  archive: Archive,
  related: readonly Relationship[],
): AsyncGenerator<{ text: string; from: string }, void, undefined> {
  const targetsOf = (type: string): string[] => targetsIn(related, type);
  for (const part of drawnParts.flatMap(targetsOf)) {
    for await (const text of drawingTexts(archive, part, { names: true }))
      yield { text: joinWhiteSpace(text), from: 'drawing' };
  }
  for (const part of targetsOf('notesSlide')) {
    const { handler, take } = slideWalker('body');
    for await (const _ of walkXml(archive.read(part), handler))
      for (const { text } of take()) yield { text, from: 'notes' };
  }
  for (const part of targetsOf('comments')) {
    const { handler, take } = commentWalker();
    for await (const _ of walkXml(archive.read(part), handler))
      for (const text of take()) yield { text, from: 'comments' };
  }
}

/**
 * PowerPoint (.pptx): a block for each paragraph and table row, slide by slide, with the slide's number and its title
 * as the heading; then the text of the slide's charts and diagrams, its notes and comments. Footers are emitted once;
 * hidden slides and shapes, dates and slide numbers are skipped.
 */
export const readPptx: FormatReader = async function* (file, limits, report, warn = () => undefined) {
  const archive = await openArchive(file, limits);
  try {
    const main = await mainPart(
      archive,
      'ppt/presentation.xml',
      /presentationml\.(presentation|slideshow|template)\.main|ms-powerpoint\./i,
    );
    const related = await relationshipsOf(archive, main);
    const byId = firstById(related.filter(({ type }) => type === 'slide'));
    const slides = (await slideIds(archive, main)).map((id) => byId.get(id)?.target ?? null);
    const read = new Set<string>();
    const footers = new Set<string>();
    for (const [index, part] of slides.entries()) {
      report(index / slides.length);
      // Reading a slide that is listed twice would multiply the work at no cost to an attacker.
      if (part === null || read.has(part)) continue;
      read.add(part);
      const slide: Slide = { title: '', isShown: true };
      const blockOf = (text: string, group: string): Block => ({
        text,
        location: { slide: index + 1, ...(slide.title === '' ? {} : { heading: slide.title }) },
        group: `slide ${index + 1} ${group}`,
      });
      for await (const { text, role } of shownPieces(archive, part, slide)) {
        if (role === 'footer' && footers.has(text)) continue;
        if (role === 'footer') footers.add(text);
        yield blockOf(text, 'itself');
      }
      if (!slide.isShown) continue;
      try {
        for await (const { text, from } of additionalTexts(archive, await relationshipsOf(archive, part))) {
          if (text !== '') yield blockOf(text, from);
        }
      } catch (error) {
        // The slides themselves are still read.
        if (!isUnreadable(error)) throw error;
        warn({
          code: 'drawings_unread',
          detail: `Words of a chart or diagram, notes or comments of slide ${index + 1} could not be read.`,
        });
      }
    }
  } finally {
    archive.close();
  }
};
