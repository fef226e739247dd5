import { join } from 'node:path';
import { Tensor, type InferenceSession } from 'onnxruntime-node';
import { sampleRate } from '../wav.ts';
import { fixedRandom } from './decoding.ts';
import { Listener, type HeardPart, type HeardWord, type ListeningOptions } from './listener.ts';
import { packed, positionOf, quietestPosition, soundOf } from './packing.ts';
import { floatsOf, openSession } from './sessions.ts';
import { detectorRows, minGap, speechRuns, type Run } from './speech-runs.ts';
import { longestPart } from './window.ts';
import { wordsInSpeech } from './word-times.ts';

/** Numbers in each of the detector's two states. */
const stateSize = 128;
/** A part above the first and below the second is noise that sounded like speech (`transcribe.py` of Whisper). */
const noSpeechLimit = 0.6;
const logProbabilityLimit = -1;
/** Maximum continuations of a part after the model lost the sound. */
const maxContinuations = 6;
/** Minimum seconds between two continuations. */
const minAdvance = 1;
/** A language below this share of all is uncertain: on poor sound such guesses are often wrong. */
const minLanguageProbability = 0.5;
/** Temperature at which tokens are chosen where the most probable ones repeat themselves. */
const temperature = 0.4;

/** The words of a piece of sound, with times in seconds. */
export interface PieceTranscript {
  /** Null where nothing was heard or the language is uncertain. */
  language: string | null;
  words: HeardWord[];
}

/** The language of a piece: known, or null to detect it, and then the one that its recording has. */
export type PieceLanguage = Pick<ListeningOptions, 'language' | 'expected'>;

function isSpeech({ words, noSpeech, logProbability }: HeardPart): boolean {
  return words.length > 0 && !(noSpeech > noSpeechLimit && logProbability < logProbabilityLimit);
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

  /** Probability of speech in each window, by Silero VAD (https://github.com/snakers4/silero-vad): all in one run. */
  async #speech(samples: Float32Array): Promise<Float32Array> {
    const { rows, count, width } = detectorRows(samples);
    if (count === 0) return new Float32Array(0);
    const state = (): Tensor => new Tensor('float32', new Float32Array(stateSize), [1, 1, stateSize]);
    const outputs = await this.#detector.run({
      input: new Tensor('float32', rows, [count, width]),
      h: state(),
      c: state(),
    });
    return floatsOf(outputs, 'speech_probs');
  }

  /**
   * What the model hears at the start of a sound. Where it repeats itself, it listens again in a window as in training,
   * then with less probable tokens; the attempt that gets furthest counts.
   */
  async #listen(sound: Float32Array, language: PieceLanguage): Promise<HeardPart> {
    let best = await this.#listener.listen(sound, language);
    const sampling = { temperature, random: fixedRandom() };
    for (const other of [{ inWholeWindow: true }, { inWholeWindow: true, sampling }]) {
      if (best.lostAt === null || !best.isRepeating) break;
      const again = await this.#listener.listen(sound, { ...language, ...other });
      if (again.lostAt === null || again.lostAt > best.lostAt) best = again;
    }
    return best;
  }

  /** The words of a part, with times in its sound. Where the model lost the sound, it listens again from there. */
  async #part(sound: Float32Array, { language, expected = null }: PieceLanguage): Promise<PieceTranscript> {
    const heard: PieceTranscript = { language, words: [] };
    let from = 0;
    for (let time = 0; time <= maxContinuations && from < sound.length; time++) {
      const part = await this.#listen(sound.subarray(from), { language: heard.language, expected });
      const offset = from / sampleRate;
      if (isSpeech(part)) {
        if (part.languageProbability >= minLanguageProbability) heard.language ??= part.language;
        for (const word of part.words)
          heard.words.push({ ...word, start: word.start + offset, end: word.end + offset });
      }
      if (part.lostAt === null) break;
      from = quietestPosition(sound, from + Math.max(part.lostAt, minAdvance) * sampleRate);
    }
    return heard;
  }

  /** Transcribes samples (between -1 and 1, 16 kHz). */
  async transcribe(samples: Float32Array, { language, expected = null }: PieceLanguage): Promise<PieceTranscript> {
    const probabilities = await this.#speech(samples);
    const runs = speechRuns(probabilities, samples.length);
    const words: HeardWord[] = [];
    let spoken = language;
    for (const part of packed(runs, samples.length, longestPart)) {
      const heard = await this.#part(soundOf(samples, part), { language: spoken, expected });
      spoken = heard.language;
      for (const word of heard.words) {
        const start = positionOf(part, word.start * sampleRate, 'start');
        const end = Math.max(start, positionOf(part, word.end * sampleRate, 'end'));
        words.push({ ...word, start: start / sampleRate, end: end / sampleRate });
      }
    }
    const close: Run[] = speechRuns(probabilities, samples.length, minGap);
    return { language: spoken, words: wordsInSpeech(words, close) };
  }
}
