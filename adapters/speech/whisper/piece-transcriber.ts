import { join } from 'node:path';
import { Tensor, type InferenceSession } from 'onnxruntime-node';
import { sampleRate } from '../wav.ts';
import { Listener, longestPart, type HeardPart, type HeardWord } from './listener.ts';
import { packed, placeOf, soundOf, withinSpeech } from './packing.ts';
import { floatsOf, openSession } from './sessions.ts';
import { detectorRows, speechRuns, type Run } from './speech-runs.ts';

/** Numbers in each of the detector's two states. */
const stateSize = 128;
/** A part above the first and below the second is noise that sounded like speech (`transcribe.py` of Whisper). */
const noSpeechLimit = 0.6;
const logProbabilityLimit = -1;
/** How often a part is listened to: after the model lost the sound, again from there. */
const maxAttempts = 3;
/** Shortest advance of such an attempt in seconds. */
const minAdvance = 1;
/** A language below this share of all is uncertain: on poor sound such guesses are often wrong. */
const minLanguageProbability = 0.5;

/** The words of a piece of sound, with times in seconds. */
export interface PieceTranscript {
  /** Null where nothing was heard or the language is uncertain. */
  language: string | null;
  words: HeardWord[];
}

function isSpeech({ words, noSpeech, logProbability }: HeardPart): boolean {
  return words.length > 0 && !(noSpeech > noSpeechLimit && logProbability < logProbabilityLimit);
}

/** Words whose starts do not decrease and which do not overlap. */
function inOrder(words: readonly HeardWord[]): HeardWord[] {
  let last = 0;
  const ordered = words.map((word) => {
    last = Math.max(last, word.start);
    return { ...word, start: last, end: Math.max(last, word.end) };
  });
  return ordered.map((word, index) => ({ ...word, end: Math.min(word.end, ordered[index + 1]?.start ?? word.end) }));
}

/** Transcribes pieces of sound of any length: only where somebody speaks, in parts that the model hears at once. */
export class PieceTranscriber {
  readonly #listener: Listener;
  readonly #detector: InferenceSession;

  private constructor(listener: Listener, detector: InferenceSession) {
    this.#listener = listener;
    this.#detector = detector;
  }

  /** Opens the model of a folder. @throws Error where a file is missing or malformed. */
  static async open(folder: string): Promise<PieceTranscriber> {
    return new PieceTranscriber(await Listener.open(folder), await openSession(join(folder, 'vad.onnx')));
  }

  /** Where somebody speaks, by Silero VAD (https://github.com/snakers4/silero-vad): all windows in one run. */
  async #speech(samples: Float32Array): Promise<Run[]> {
    const { rows, count, width } = detectorRows(samples);
    if (count === 0) return [];
    const state = (): Tensor => new Tensor('float32', new Float32Array(stateSize), [1, 1, stateSize]);
    const outputs = await this.#detector.run({
      input: new Tensor('float32', rows, [count, width]),
      h: state(),
      c: state(),
    });
    return speechRuns(floatsOf(outputs, 'speech_probs'), samples.length);
  }

  /** The words of a part, with times in its sound. Where the model lost the sound, it listens again from there. */
  async #part(sound: Float32Array, language: string | null): Promise<PieceTranscript> {
    const heard: PieceTranscript = { language, words: [] };
    let from = 0;
    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      const part = await this.#listener.listen(sound.subarray(from), heard.language);
      if (!isSpeech(part)) break;
      if (part.languageProbability >= minLanguageProbability) heard.language ??= part.language;
      const offset = from / sampleRate;
      heard.words.push(...part.words.map((word) => ({ ...word, start: word.start + offset, end: word.end + offset })));
      if (part.lostAt === null || part.lostAt < minAdvance) break;
      from += Math.round(part.lostAt * sampleRate);
    }
    return heard;
  }

  /** Transcribes samples (between -1 and 1, 16 kHz). The language is detected in the first part if it is null. */
  async transcribe(samples: Float32Array, language: string | null): Promise<PieceTranscript> {
    const runs = await this.#speech(samples);
    const words: HeardWord[] = [];
    let spoken = language;
    for (const part of packed(runs, samples.length, longestPart)) {
      const heard = await this.#part(soundOf(samples, part), spoken);
      spoken = heard.language;
      for (const word of heard.words) {
        const start = placeOf(part, word.start * sampleRate, 'start');
        const end = Math.max(start, placeOf(part, word.end * sampleRate, 'end'));
        const times = withinSpeech(start, end, runs);
        words.push({ ...word, start: times.start / sampleRate, end: times.end / sampleRate });
      }
    }
    return { language: spoken, words: inOrder(words) };
  }
}
