import type { Runtime } from '../../../models/runtime.ts';
import { TranscriptionFailure, type Transcriber } from '../port.ts';
import { samplesOf } from '../wav.ts';
import { segmentsOf, wordsOf } from './output.ts';
import { runPocketsphinx } from './run.ts';

/** Where the program is and how long it may take. */
export interface PocketsphinxOptions {
  /** Path of `pocketsphinx_continuous`. */
  program: string;
  /** Folder for sound under way. */
  folder: string;
  /** Seconds that one piece of sound may take. */
  seconds: number;
  runtime: Pick<Runtime, 'uuid'>;
}

/**
 * Transcribes English on this machine with CMU Pocketsphinx (https://github.com/cmusphinx/pocketsphinx), a process for
 * each piece of sound. Words have times and a probability; speakers are not distinguished.
 */
export function openPocketsphinx({ program, folder, seconds, runtime }: PocketsphinxOptions): Transcriber {
  const closing = new AbortController();
  return {
    model: { id: 'pocketsphinx:en-us', languages: ['en'] },
    absence: null,
    async transcribe(sound) {
      if (closing.signal.aborted)
        throw new TranscriptionFailure('model_unavailable', 'temporary', 'the transcriber is closed');
      const signal = AbortSignal.any([sound.signal, closing.signal]);
      const output = await runPocketsphinx(readable(sound.wav), {
        program,
        folder,
        milliseconds: seconds * 1000,
        signal,
        runtime,
      });
      return segmentsOf(wordsOf(output, sound.seconds));
    },
    ping: () => Promise.resolve(),
    close: () => {
      closing.abort(new TranscriptionFailure('model_unavailable', 'temporary', 'the transcriber is closed'));
      return Promise.resolve();
    },
  };
}

function readable(wav: Uint8Array): Uint8Array {
  try {
    return samplesOf(wav);
  } catch (error) {
    throw new TranscriptionFailure(
      'transcription_failed',
      'definite',
      error instanceof Error ? error.message : 'the sound cannot be read',
      { cause: error },
    );
  }
}
