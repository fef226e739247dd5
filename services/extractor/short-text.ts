import { storedForms } from '../../mixins/blocks/block-lines.ts';
import type { DocumentFormat } from '../../models/formats.ts';
import { longestTurn, requestsFirst } from '../../models/requests-first.ts';
import { ExtractionFailure, unreadable } from './formats/failure.ts';
import { defaultLimits } from './formats/reader.ts';
import { readMarkdown, readText } from './formats/text.ts';
import type { ExtractedBatch } from './processes/pool.ts';

/** Formats that are text as they stand. */
const readers = { text: readText, markdown: readMarkdown };

/** Whether a format is text as it stands: there is nothing to parse, only lines to find. */
export function isPlainText(format: DocumentFormat): format is keyof typeof readers {
  return Object.hasOwn(readers, format);
}

/**
 * Reads a short plain text on this thread, requests first: it is looked at here anyhow when its passages are made, and on its
 * way to a process and back it would take several times as much of the processors as its reading. All that comes of it is
 * held at once.
 * @throws ExtractionFailure as the processes tell it; the signal's reason once it is aborted
 */
export async function readShortText(content: Buffer, format: keyof typeof readers, signal: AbortSignal): Promise<ExtractedBatch> {
  let lines = '';
  let blocks = 0;
  let began = performance.now();
  try {
    for await (const whole of readers[format]({ path: '', bytes: content.byteLength, content }, defaultLimits, () => undefined)) {
      for (const block of storedForms(whole)) {
        lines += `${JSON.stringify(block)}\n`;
        blocks += 1;
      }
      if (performance.now() - began < longestTurn) continue;
      await requestsFirst.turn();
      if (signal.aborted) break;
      began = performance.now();
    }
  } catch (error) {
    // What it says itself may quote the file, which is not for the log.
    throw error instanceof ExtractionFailure ? error : unreadable(`its reader broke: ${error instanceof Error ? error.name : 'no error'}`);
  }
  signal.throwIfAborted();
  return { blocks, lines: Buffer.from(lines), progress: 100, warnings: [] };
}
