import type { Archive } from './archive.ts';
import { walkXml } from './xml.ts';

/** Relationship types of drawn parts: charts, those of newer editions, and diagram data. */
export const drawnParts = ['chart', 'chartEx', 'diagramData'];
/**
 * Maximum number of remembered names of series and categories of one chart, so that each is emitted once. Charts that
 * people can read have dozens.
 */
const maxNames = 10_000;

/** What to read of a drawing's part. */
export interface DrawingWords {
  /** Whether to read the cached names of series and categories of a chart; in a workbook they are in cells. */
  names: boolean;
}

/**
 * The text of a chart or of diagram data ("SmartArt"), one string for each paragraph (ECMA-376 part 1, 21.2 and 21.4):
 * titles, labels, and the names of a chart's series and categories (`strCache`, 21.2.2.201), each once.
 * @throws ExtractionFailure `document_unreadable` for malformed XML.
 */
export async function* drawingTexts(
  archive: Archive,
  part: string,
  { names }: DrawingWords,
): AsyncGenerator<string, void, undefined> {
  let texts: string[] = [];
  const emitted = new Set<string>();
  let text = '';
  let reading = false;
  let caches = 0;
  const walk = walkXml(archive.read(part), {
    open: (name) => {
      if (name === 'p') text = '';
      else if (name === 't') reading = true;
      else if (name === 'br') text += '\n';
      else if (name === 'strCache') caches++;
      else if (name === 'v' && names && caches > 0) {
        text = '';
        reading = true;
      }
    },
    close: (name) => {
      if (name === 't') reading = false;
      else if (name === 'strCache') caches--;
      else if (name === 'p') texts.push(text);
      else if (name === 'v' && names && caches > 0) {
        reading = false;
        if (emitted.has(text) || emitted.size >= maxNames) return;
        emitted.add(text);
        texts.push(text);
      }
    },
    text: (piece) => {
      if (reading) text += piece;
    },
  });
  for await (const _ of walk) {
    yield* texts;
    texts = [];
  }
}
