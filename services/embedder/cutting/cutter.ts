import type { Passage } from '../../../models/passage.ts';
import { longestTurn, requestsFirst } from '../../../models/requests-first.ts';
import { revisionText, type TextBlobs, type TextPlace } from '../revision-text.ts';

/** A text that is to be cut. */
export interface CutRequest {
  blobs: TextBlobs;
  text: TextPlace;
  /** Passages in a batch. */
  size: number;
  signal: AbortSignal;
  /** Is told how many bytes of the text have been read so far. */
  read(bytes: number): void;
}

/** Makes passages of the texts of revisions. */
export interface Cutter {
  /**
   * The passages of a text in order, in batches of one size, of which the last may be smaller.
   * @throws BlobNotFound where a document has no blocks; the signal's reason once it is aborted
   */
  batches(request: CutRequest): AsyncIterable<Passage[]>;
}

/** Cuts on this thread, requests first. */
export const cutHere: Cutter = {
  async *batches({ blobs, text, size, signal, read }) {
    let batch: Passage[] = [];
    let began = performance.now();
    for await (const passage of revisionText(blobs, text, read)) {
      batch.push(passage);
      if (performance.now() - began > longestTurn) {
        await requestsFirst.turn();
        began = performance.now();
      }
      if (batch.length < size) continue;
      signal.throwIfAborted();
      yield batch;
      batch = [];
    }
    signal.throwIfAborted();
    if (batch.length > 0) yield batch;
  },
};
