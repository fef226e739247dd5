import { TranscriptionFailure, type Transcriber } from './port.ts';

/** Stands where nothing transcribes: recordings fail with a code that says so. `reason` says why, and what mends it. */
export function absentTranscriber(reason: string): Transcriber {
  return {
    model: null,
    absence: reason,
    transcribe: () => Promise.reject(new TranscriptionFailure('speech_unavailable', 'definite', reason)),
    ping: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}
