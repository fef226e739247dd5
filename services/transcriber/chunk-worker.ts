import { TranscriptionFailure, type HeardSegment } from '../../adapters/speech/port.ts';
import type { Blobs } from '../../adapters/blobs/port.ts';
import { derivedKey } from '../../mixins/blocks/blocks.ts';
import type { House } from '../../mixins/house.ts';
import type { Intake } from '../../mixins/lifecycle.ts';
import { failureOf } from '../../mixins/runs/failure.ts';
import { heardName, type ChunkOutcome, type ChunkRequest } from '../../mixins/transcript/chunks.ts';
import { writeTranscript } from '../../mixins/transcript/transcript.ts';
import { FairPlaces } from './places.ts';

/** Largest piece of sound, in bytes: about eight minutes, many times what is cut. */
const mostBytes = 16 * 2 ** 20;
/** How often a piece is tried that ends the transcriber, before its recording fails. */
const tries = 2;
/** Share of the time for stopping in which pieces under way may come to their end. */
const patience = 0.4;

async function bytesOf(blobs: Blobs, key: string): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of blobs.read(key)) {
    bytes += piece.byteLength;
    if (bytes > mostBytes) throw new TranscriptionFailure('transcription_failed', 'definite', `a piece of sound has more than ${mostBytes} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** Transcribes pieces of sound in this process, a bounded number at a time, for whatever process of the cluster asks. */
export class ChunkWorker implements Intake {
  readonly name = 'transcriber of pieces';
  private readonly house: House;
  private readonly places: FairPlaces;
  private readonly recordings = new Map<string, { abort: AbortController; pieces: number }>();
  /** Aborted at once when the process stops: nothing new begins. */
  private readonly closing = new AbortController();
  /** Aborted when the time for stopping is over. */
  private readonly ending = new AbortController();

  constructor(house: House, places: number) {
    this.house = house;
    this.places = new FairPlaces(places);
  }

  start(): Promise<void> {
    return Promise.resolve();
  }

  async stop(milliseconds: number): Promise<void> {
    this.closing.abort(new Error('the process stops'));
    const deadline = performance.now() + milliseconds * patience;
    while (this.recordings.size > 0 && performance.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 50));
    this.ending.abort(new Error('the process stops'));
  }

  /** Gives up all pieces of a recording: nobody wants them any more. */
  abandon(recording: string): void {
    this.recordings.get(recording)?.abort.abort(new Error('the recording was given up'));
  }

  /** Transcribes a piece and stores what was heard beside it. A piece that was done before is not done again. */
  async transcribe(request: ChunkRequest): Promise<ChunkOutcome> {
    const { organizationId, recording } = request;
    const entry = this.recordings.get(recording) ?? { abort: new AbortController(), pieces: 0 };
    this.recordings.set(recording, entry);
    entry.pieces++;
    try {
      const leave = await this.places.enter({ organizationId, recording }, AbortSignal.any([entry.abort.signal, this.closing.signal]));
      try {
        await this.work(request, AbortSignal.any([entry.abort.signal, this.ending.signal]));
      } finally {
        leave();
      }
      return { state: 'done' };
    } catch (error) {
      if (this.closing.signal.aborted || entry.abort.signal.aborted) return { state: 'elsewhere' };
      const { code, outcome } = failureOf(error);
      this.house.log.warn({ ...(code === 'internal_error' ? { err: error } : { reason: error instanceof Error ? error.message : 'it failed' }), code, recording, piece: request.name }, 'a piece of sound was not transcribed');
      return { state: 'failed', code, outcome: outcome === 'definite' ? 'definite' : 'temporary', detail: error instanceof Error ? error.message : 'it failed' };
    } finally {
      if (--entry.pieces === 0) this.recordings.delete(recording);
    }
  }

  private async work({ organizationId, assetId, revision, name, seconds, language }: ChunkRequest, signal: AbortSignal): Promise<void> {
    const { blobs } = this.house;
    const key = derivedKey(organizationId, assetId, revision, heardName(name));
    if (await blobs.exists(key)) return;
    const wav = await bytesOf(blobs, derivedKey(organizationId, assetId, revision, name));
    const segments = await this.heard({ wav, seconds, language, signal });
    signal.throwIfAborted();
    await writeTranscript(blobs, key, segments.map((segment, index) => ({ ...segment, id: String(index + 1) })));
  }

  private async heard(sound: { wav: Uint8Array; seconds: number; language: string | null; signal: AbortSignal }): Promise<HeardSegment[]> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.house.speech.transcribe(sound);
      } catch (error) {
        if (attempt === tries || sound.signal.aborted || failureOf(error).code !== 'transcription_failed') throw error;
      }
    }
  }
}
