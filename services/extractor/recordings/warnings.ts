import type { Warning } from '../../../models/asset.ts';
import type { Sound } from '../../../models/transcript.ts';
import type { Container } from '../../../media/containers.ts';
import type { TruncationDetector } from '../../../media/truncation.ts';

/**
 * FLAC declares no size, but the length of its one track in samples. In other containers the declared length is
 * unreliable, for example after an edit.
 */
const countsSound: ReadonlySet<Container> = new Set(['flac']);
/** Tolerated missing seconds: encoders count their padding differently. */
const forgivenSeconds = 1;

/** The facts about a recording that was read to its end. */
export interface ReadToItsEnd {
  container: Container;
  truncation: TruncationDetector;
  /** The length in its header, in seconds; null if that is not credible. */
  declared: number | null;
  /** What was decoded; null without a sound track. */
  sound: Sound | null;
}

/** The warning that the recording is truncated, if it is. */
export function cutOffWarnings({ container, truncation, declared, sound }: ReadToItsEnd): Warning[] {
  const lost = truncation.missing() ?? lostSound(countsSound.has(container) ? declared : null, sound);
  return lost === null
    ? []
    : [{ code: 'recording_cut_off', detail: `The recording is not whole: what there is of it was read. ${lost}` }];
}

function lostSound(declared: number | null, sound: Sound | null): string | null {
  if (declared === null || sound === null || declared - sound.seconds <= forgivenSeconds) return null;
  return `Its header says ${declared.toFixed(1)} s of sound, and there are ${sound.seconds.toFixed(1)}.`;
}

/** The warning that there is nothing to transcribe. */
export function nothingToTranscribe(sound: Sound | null): Warning {
  return {
    code: 'indexed_nothing',
    detail: sound === null ? 'The recording has no sound track.' : 'The recording is silent.',
  };
}
