import { FairSlots } from '../../../models/fair-slots.ts';
import { TranscriptionFailure, type HeardSound, type HeardSegment, type Transcriber } from '../port.ts';
import { samplesOf } from '../wav.ts';
import { checkSpeechFiles, readSpeechManifest, speechModelId } from './manifest.ts';
import { WhisperProcess, type ProcessOptions } from './process.ts';
import { segmentsOf } from './segments.ts';

/** What the transcriber is opened with. */
export interface WhisperOptions extends ProcessOptions {
  /** Maximum concurrent processes, at least 1. Each takes about 450 MB of memory. */
  processes: number;
  /** Seconds that one piece of sound may take. */
  seconds: number;
  /** Milliseconds after which a process without work ends. */
  idleMs?: number;
}

/** A process takes half a second to start again. */
const defaultIdleMs = 60_000;

const closed = (): TranscriptionFailure =>
  new TranscriptionFailure('model_unavailable', 'temporary', 'the transcriber is closed');

/** Samples of a WAV file, copied: the file's bytes need not be aligned. */
function readable(wav: Uint8Array): Int16Array {
  try {
    return new Int16Array(Uint8Array.from(samplesOf(wav)).buffer);
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'the sound cannot be read';
    throw new TranscriptionFailure('transcription_failed', 'definite', reason, { cause: error });
  }
}

/** Processes that are started when they are needed, up to a number, and end when they are idle. */
class Processes {
  readonly #options: WhisperOptions;
  readonly #idle = new Map<WhisperProcess, NodeJS.Timeout>();
  readonly #slots: FairSlots;

  constructor(options: WhisperOptions) {
    this.#options = options;
    this.#slots = new FairSlots(Math.max(1, options.processes));
  }

  async #process(): Promise<WhisperProcess> {
    for (const [process, timer] of this.#idle) {
      this.#idle.delete(process);
      clearTimeout(timer);
      if (!process.hasEnded) return process;
    }
    return WhisperProcess.start(this.#options);
  }

  /** Lets a process work, as soon as there are fewer than their number at work. */
  async use<T>(signal: AbortSignal, work: (process: WhisperProcess) => Promise<T>): Promise<T> {
    // The callers have taken fair turns already.
    await this.#slots.acquire(signal, 'pieces');
    try {
      const process = await this.#process();
      try {
        return await work(process);
      } finally {
        if (!process.hasEnded) this.#keep(process);
      }
    } finally {
      this.#slots.release();
    }
  }

  #keep(process: WhisperProcess): void {
    const end = (): void => {
      this.#idle.delete(process);
      process.kill();
    };
    this.#idle.set(process, setTimeout(end, this.#options.idleMs ?? defaultIdleMs).unref());
  }

  close(): void {
    for (const [process, timer] of this.#idle) {
      clearTimeout(timer);
      process.kill();
    }
    this.#idle.clear();
  }
}

/**
 * Transcribes on this machine with Whisper in ONNX Runtime, in separate processes: a run of the model blocks its thread
 * for about a second, and ends at once only with its process. Words have times and a probability; speakers are not
 * distinguished.
 * @throws Error where the folder lacks a model or its files are not the ones of its manifest.
 */
export async function openWhisper(options: WhisperOptions): Promise<Transcriber> {
  const manifest = await readSpeechManifest(options.folder);
  await checkSpeechFiles(options.folder, manifest);
  const processes = new Processes(options);
  const closing = new AbortController();
  return {
    model: { id: speechModelId(manifest), languages: manifest.languages, usesExpectedLanguage: true },
    absence: null,
    async transcribe(sound: HeardSound): Promise<HeardSegment[]> {
      if (closing.signal.aborted) throw closed();
      const samples = readable(sound.wav);
      const signal = AbortSignal.any([sound.signal, closing.signal]);
      const transcript = await processes.use(signal, (process) =>
        process.transcribe(
          { samples, language: sound.language, expected: sound.expected ?? null },
          { signal, milliseconds: options.seconds * 1000 },
        ),
      );
      return segmentsOf(transcript, sound.seconds);
    },
    ping: () => Promise.resolve(),
    close: () => {
      closing.abort(closed());
      processes.close();
      return Promise.resolve();
    },
  };
}
