import { TranscriptionFailure, type Transcriber } from './port.ts';

/**
 * Used if no transcriber is installed: recordings fail with an error code. `reason` describes the cause and the remedy.
 */
export function absentTranscriber(reason: string): Transcriber {
  return {
    model: null,
    absence: reason,
    transcribe: () => Promise.reject(new TranscriptionFailure('speech_unavailable', 'definite', reason)),
    ping: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}
