import { TranscriptionFailure, type HeardSegment, type HeardSound } from '../../adapters/speech/port.ts';
import type { Blobs } from '../../adapters/blobs/port.ts';
import { derivedKey } from '../../mixins/blocks/blocks.ts';
import type { AppContext } from '../../mixins/app-context.ts';
import type { Intake } from '../../mixins/lifecycle.ts';
import { failureOf } from '../../mixins/indexing/failure.ts';
import { chunkTranscriptName, type ChunkOutcome, type ChunkRequest } from '../../mixins/transcript/chunks.ts';
import { writeTranscript } from '../../mixins/transcript/transcript.ts';
import { FairSlots } from '../../models/fair-slots.ts';

/** Maximum size of a piece of sound in bytes: about eight minutes, many times the usual length. */
const maxBytes = 16 * 2 ** 20;
/** Maximum attempts for a piece that crashes the transcriber, before its recording fails. */
const maxAttempts = 2;
/** Share of the stop timeout in which pieces in progress may finish. */
const waitShare = 0.4;

async function bytesOf(blobs: Blobs, key: string): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of blobs.read(key)) {
    bytes += piece.byteLength;
    if (bytes > maxBytes)
      throw new TranscriptionFailure(
        'transcription_failed',
        'definite',
        `a piece of sound has more than ${maxBytes} bytes`,
      );
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** Transcribes pieces of sound in this process, with bounded concurrency, for any process of the cluster. */
export class ChunkWorker implements Intake {
  readonly name = 'transcriber of pieces';
  private readonly app: AppContext;
  private readonly slots: FairSlots;
  private readonly recordings = new Map<string, { abort: AbortController; pieces: number }>();
  /** Aborted as soon as the process stops: no further piece begins. */
  private readonly closing = new AbortController();
  /** Aborted at the end of the stop timeout. */
  private readonly ending = new AbortController();

  constructor(app: AppContext, slotCount: number) {
    this.app = app;
    this.slots = new FairSlots(slotCount, 0);
  }

  start(): Promise<void> {
    return Promise.resolve();
  }

  async stop(milliseconds: number): Promise<void> {
    this.closing.abort(new Error('the process stops'));
    const deadline = performance.now() + milliseconds * waitShare;
    while (this.recordings.size > 0 && performance.now() < deadline)
      await new Promise((resolve) => setTimeout(resolve, 50));
    this.ending.abort(new Error('the process stops'));
  }

  /** Cancels all pieces of an abandoned recording. */
  abandon(recording: string): void {
    this.recordings.get(recording)?.abort.abort(new Error('the recording was cancelled'));
  }

  /**
   * Transcribes a piece and stores its transcript next to it, unless the transcript exists and is not to be replaced.
   */
  async transcribe(request: ChunkRequest): Promise<ChunkOutcome> {
    const { organizationId, recording } = request;
    const entry = this.recordings.get(recording) ?? { abort: new AbortController(), pieces: 0 };
    this.recordings.set(recording, entry);
    entry.pieces++;
    try {
      await this.slots.acquire(AbortSignal.any([entry.abort.signal, this.closing.signal]), organizationId, recording);
      try {
        await this.work(request, AbortSignal.any([entry.abort.signal, this.ending.signal]));
      } finally {
        this.slots.release();
      }
      return { state: 'done' };
    } catch (error) {
      if (this.closing.signal.aborted || entry.abort.signal.aborted) return { state: 'elsewhere' };
      const { code, outcome } = failureOf(error);
      this.app.log.warn(
        {
          ...(code === 'internal_error'
            ? { err: error }
            : { reason: error instanceof Error ? error.message : 'it failed' }),
          code,
          recording,
          piece: request.name,
        },
        'a piece of sound was not transcribed',
      );
      return {
        state: 'failed',
        code,
        outcome: outcome === 'definite' ? 'definite' : 'temporary',
        detail: error instanceof Error ? error.message : 'it failed',
      };
    } finally {
      if (--entry.pieces === 0) this.recordings.delete(recording);
    }
  }

  private async work(
    { organizationId, assetId, revision, name, seconds, language, expected = null, replaces = false }: ChunkRequest,
    signal: AbortSignal,
  ): Promise<void> {
    const { blobs } = this.app;
    const key = derivedKey(organizationId, assetId, revision, chunkTranscriptName(name));
    if (!replaces && (await blobs.exists(key))) return;
    const wav = await bytesOf(blobs, derivedKey(organizationId, assetId, revision, name));
    const segments = await this.heard({ wav, seconds, language, expected, signal });
    signal.throwIfAborted();
    await writeTranscript(
      blobs,
      key,
      segments.map((segment, index) => ({ ...segment, id: String(index + 1) })),
    );
  }

  private async heard(sound: HeardSound): Promise<HeardSegment[]> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.app.speech.transcribe(sound);
      } catch (error) {
        if (attempt === maxAttempts || sound.signal.aborted || failureOf(error).code !== 'transcription_failed')
          throw error;
      }
    }
  }
}
