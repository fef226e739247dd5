import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Tensor, type InferenceSession } from 'onnxruntime-node';
import { sampleRate } from '../wav.ts';
import { tokenFrames } from './alignment.ts';
import { parseWhisperConfig } from './config.ts';
import { lastAttended } from './coverage.ts';
import { mostProbable, mostProbableLanguage, probabilityOf, sampled } from './decoding.ts';
import { maxTokens, Reading } from './reading.ts';
import { stuckTokens } from './repetition.ts';
import { openSession } from './sessions.ts';
import { Tokens } from './tokens.ts';
import { longestPart, padded, windowFor } from './window.ts';

const hopSamples = 160;
/** Frames of the attention to the sound in a second. */
const framesPerSecond = 50;
/** Frames of speech after the last words from which a text counts as ended early. */
const minUnheard = 1.5 * framesPerSecond;
/** Frames by which the last word of such a text extends beyond the last attended frame. */
const wordEnd = 0.3 * framesPerSecond;
/** From this share of all languages on, a detected language counts more than the expected one. */
const certainLanguage = 0.9;

/** A word of a part of sound, with times in seconds. */
export interface HeardWord {
  /** With the punctuation beside it; begins with a space where the word does. */
  text: string;
  start: number;
  end: number;
  /** Mean probability of its tokens, 0 to 1. */
  confidence: number;
}

/** How a part of sound is transcribed. */
export interface ListeningOptions {
  /** Code of the spoken language; null, and any that the model lacks, to detect it. */
  language: string | null;
  /** Language of the recording: it is assumed unless the model is certain of another one. */
  expected?: string | null;
  /** Encodes the sound in a window of 30 s, as in training, and not in a shorter one that fits it. */
  inWholeWindow?: boolean;
  /** Chooses tokens at random with their probabilities at a temperature; without it, the most probable ones. */
  sampling?: { temperature: number; random: () => number };
}

/** What the model heard in a part of sound. */
export interface HeardPart {
  words: HeardWord[];
  language: string;
  /** Of the language among all, 0 to 1. */
  languageProbability: number;
  /** Probability that there is no speech. */
  noSpeech: number;
  /** Mean logarithm of the tokens' probabilities. */
  logProbability: number;
  /**
   * Second from which the sound is not transcribed: the model repeated itself instead of listening, ended the text
   * early or had no room for more. Null if all of it is transcribed.
   */
  lostAt: number | null;
  isRepeating: boolean;
}

/** What was read before the text, and what it says of the sound. */
interface Opening {
  logits: Float32Array;
  language: string;
  languageProbability: number;
  noSpeech: number;
}

/**
 * A Whisper model (https://arxiv.org/abs/2212.04356) in ONNX Runtime. Decoding is greedy unless sampling is asked for.
 */
export class Listener {
  readonly #tokens: Tokens;
  readonly #encoder: InferenceSession;
  readonly #decoder: InferenceSession;
  readonly #heads: number;
  readonly #width: number;
  readonly #suppressed: readonly number[];
  readonly #suppressedFirst: readonly number[];
  /** Whether the encoder accepts only windows of 30 s. */
  readonly #hasFixedWindow: boolean;

  private constructor(tokens: Tokens, encoder: InferenceSession, decoder: InferenceSession, config: string) {
    this.#tokens = tokens;
    this.#encoder = encoder;
    this.#decoder = decoder;
    const { alignmentHeads, suppressed, suppressedFirst } = parseWhisperConfig(config);
    this.#heads = alignmentHeads.length;
    // The end may be chosen at any time but the first.
    this.#suppressed = suppressed.filter((id) => id !== tokens.end);
    this.#suppressedFirst = suppressedFirst;
    const [keys] = encoder.outputMetadata;
    const shape = keys !== undefined && keys.isTensor ? keys.shape : [];
    this.#width = Number(shape[1]) * Number(shape[2]);
    const sound = encoder.inputMetadata.find(({ name }) => name === 'sound');
    this.#hasFixedWindow = sound !== undefined && sound.isTensor && typeof sound.shape[2] === 'number';
  }

  /** Opens the model of a folder. @throws Error where a file is missing or malformed. */
  static async open(folder: string): Promise<Listener> {
    const [tokenizer, config] = await Promise.all([
      readFile(join(folder, 'tokenizer.json'), 'utf8'),
      readFile(join(folder, 'config.json'), 'utf8'),
    ]);
    const encoder = await openSession(join(folder, 'encoder.onnx'));
    const decoder = await openSession(join(folder, 'decoder.onnx'));
    return new Listener(new Tokens(tokenizer), encoder, decoder, config);
  }

  /** Reads what precedes the text: the start, the language and the task. */
  async #open(reading: Reading, { language, expected = null }: ListeningOptions): Promise<Opening> {
    const tokens = this.#tokens;
    const first = await reading.read([tokens.start]);
    const noSpeech = probabilityOf(first, tokens.noSpeech);
    const guess = mostProbableLanguage(first, tokens.languages);
    if (guess === null)
      return { logits: await reading.read([tokens.withoutTimes]), language: 'en', languageProbability: 1, noSpeech };
    const isKnown = (code: string | null): code is string => code !== null && tokens.languages.has(code);
    const given = isKnown(language)
      ? language
      : isKnown(expected) && guess.probability < certainLanguage
        ? expected
        : null;
    const spoken = given ?? guess.language;
    const id = tokens.languages.get(spoken) ?? tokens.transcribe;
    const logits = await reading.read([id, tokens.transcribe, tokens.withoutTimes]);
    return { logits, language: spoken, languageProbability: given === null ? guess.probability : 1, noSpeech };
  }

  /** What the encoder makes of sound, for the decoder. */
  async #encode(samples: Float32Array, inWholeWindow: boolean): Promise<Reading> {
    const sound = padded(samples, inWholeWindow || this.#hasFixedWindow ? longestPart : windowFor(samples.length));
    const encoded = await this.#encoder.run({
      sound: new Tensor('float32', sound, [1, 1, sound.length]),
      frames: new Tensor('int64', BigInt64Array.of(BigInt(Math.ceil(samples.length / hopSamples))), [1]),
    });
    return new Reading(this.#decoder, encoded, this.#heads, this.#width);
  }

  /** The token that most probably follows English words, each a token of the vocabulary, over some sound. */
  async continuation(samples: Float32Array, words: readonly string[]): Promise<string> {
    const reading = await this.#encode(samples, false);
    await this.#open(reading, { language: 'en' });
    const logits = await reading.read(words.map((word) => this.#tokens.idOf(word)));
    return this.#tokens.text([mostProbable(logits, this.#tokens.end, []).id]);
  }

  /** Transcribes at most 30 s of sound (samples between -1 and 1 at 16 kHz). */
  async listen(samples: Float32Array, options: ListeningOptions): Promise<HeardPart> {
    const part = samples.subarray(0, longestPart);
    const reading = await this.#encode(part, options.inWholeWindow ?? false);
    const opening = await this.#open(reading, options);
    const { sampling } = options;
    const skip = reading.length - 1;
    const ids: number[] = [];
    const logProbabilities: number[] = [];
    let { logits } = opening;
    let stuck = 0;
    let isFull = false;
    for (;;) {
      const suppressed = ids.length === 0 ? [...this.#suppressed, ...this.#suppressedFirst] : this.#suppressed;
      const { id, logProbability } =
        sampling === undefined
          ? mostProbable(logits, this.#tokens.end + 1, suppressed)
          : sampled(logits, this.#tokens.end + 1, suppressed, sampling);
      logProbabilities.push(logProbability);
      isFull = id !== this.#tokens.end && reading.length >= maxTokens - 1;
      if (id === this.#tokens.end || isFull) break;
      ids.push(id);
      stuck = stuckTokens(ids, reading.attention, reading.frames);
      if (stuck > 0) break;
      logits = await reading.read([id]);
    }
    const { attention: rows, heads, frames } = reading;
    const length = Math.max(1, Math.min(frames, Math.round((part.length / sampleRate) * framesPerSecond)));
    const attended = lastAttended(rows.slice(skip, skip + ids.length), heads);
    const isEarly = ids.length > 0 && stuck === 0 && length - attended > minUnheard;
    const used = isEarly ? attended + wordEnd : length;
    const starts = ids.length === 0 ? [] : tokenFrames({ rows, heads, frames, used }, skip);
    const secondsAt = (token: number): number => (starts[token] ?? used) / framesPerSecond;
    const words = this.#tokens.words(ids.slice(0, ids.length - stuck), opening.language).map((word) => {
      const logs = logProbabilities.slice(word.first, word.first + word.count);
      return {
        text: word.text,
        start: secondsAt(word.first),
        end: secondsAt(word.first + word.count),
        confidence: Math.exp(logs.reduce((sum, log) => sum + log, 0) / logs.length),
      };
    });
    const { language: spoken, languageProbability, noSpeech } = opening;
    return {
      words,
      language: spoken,
      languageProbability,
      noSpeech,
      logProbability: logProbabilities.reduce((sum, log) => sum + log, 0) / logProbabilities.length,
      lostAt: stuck > 0 || isFull || isEarly ? secondsAt(ids.length - stuck) : null,
      isRepeating: stuck > 0,
    };
  }
}
