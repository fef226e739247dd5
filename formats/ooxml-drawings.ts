import type { Archive } from './archive.ts';
import { walkXml } from './xml.ts';

/**
 * Parts of what is drawn in a document, by the type of their relationship: charts, those of newer editions, and the
 * data of diagrams.
 */
export const drawnParts = ['chart', 'chartEx', 'diagramData'];
/**
 * Names of series and categories of one chart that are memoize, so that none is emitted twice. Charts that can be read
 * have dozens.
 */
const maxNames = 10_000;

/** What is read of a drawing's part. */
export interface DrawingWords {
  /** Whether the names of series and categories that a chart keeps are read too: in a workbook they are in cells. */
  names: boolean;
}

/**
 * The words of a chart or of the data of a diagram ("SmartArt"), one text for each paragraph (ECMA-376 part 1, 21.2 and
 * 21.4): titles, labels, and of a chart the names that it keeps of its series and categories (`strCache`, 21.2.2.201),
 * each once.
 *
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
