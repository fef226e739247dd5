import type { AppContext } from '../../mixins/app-context.ts';
import type { StageWork } from '../../mixins/indexing/stage.ts';
import type { SoundChunk } from '../../models/transcript.ts';
import type { Placement } from './placement.ts';

/** The dependencies of transcribing. */
export interface TranscribingTools {
  app: AppContext;
  placement: Placement;
  /** Notifies all processes that a recording is abandoned. */
  abandon(recording: string): void;
}

/** Pieces of one recording to transcribe. */
export interface PiecesToTranscribe {
  pieces: readonly SoundChunk[];
  /** As in `ChunkRequest`. */
  language: string | null;
  expected?: string | null;
  replaces?: boolean;
  /** Receives the length of each piece in seconds when it is transcribed. */
  onDone(seconds: number): void;
}

/**
 * Has pieces transcribed, as many concurrently as the cluster has slots, the longest first, so that all slots finish at
 * about the same time. Cancels the others if one fails.
 * @throws TranscriptionFailure, or the signal's reason
 */
export async function transcribePieces(
  { placement, abandon }: TranscribingTools,
  { asset, signal: workSignal }: StageWork,
  { pieces, language, expected = null, replaces = false, onDone }: PiecesToTranscribe,
): Promise<void> {
  const { revision, jobId, token } = asset.run;
  const recording = `${jobId}.${token}`;
  const waiting = pieces.toSorted((one, other) => other.end - other.start - (one.end - one.start));
  const failing = new AbortController();
  const signal = AbortSignal.any([workSignal, failing.signal]);
  const underWay = new Set<Promise<void>>();
  const begin = ({ name, start, end }: SoundChunk): void => {
    const seconds = end - start;
    const request = { organizationId: asset.organizationId, assetId: asset._id, revision, recording, name, seconds };
    const piece = placement
      .transcribe({ ...request, language, expected, replaces }, signal)
      .then(() => onDone(seconds))
      .finally(() => underWay.delete(piece));
    underWay.add(piece);
  };
  try {
    while (waiting.length > 0 || underWay.size > 0) {
      signal.throwIfAborted();
      while (waiting.length > 0 && underWay.size < Math.max(1, placement.slots())) {
        const chunk = waiting.shift();
        if (chunk === undefined) break;
        begin(chunk);
      }
      await Promise.race(underWay);
    }
  } catch (error) {
    failing.abort(error);
    abandon(recording);
    await Promise.allSettled(underWay);
    throw error;
  }
}
