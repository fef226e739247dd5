import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Tensor, type InferenceSession } from 'onnxruntime-node';
import { sampleRate } from '../wav.ts';
import { tokenFrames } from './alignment.ts';
import { parseWhisperConfig } from './config.ts';
import { mostProbable, mostProbableLanguage, probabilityOf } from './decoding.ts';
import { stuckTokens } from './repetition.ts';
import { floatsOf, openSession } from './sessions.ts';
import { Tokens } from './tokens.ts';

/** Samples that the model hears at once: 30 s. */
export const longestPart = 30 * sampleRate;
/** Samples mirrored at each end of the sound, half a window of the Fourier transform. */
const mirrored = 200;
const hopSamples = 160;
/** Frames of the attention to the sound in a second. */
const framesPerSecond = 50;
/** Tokens that the model can keep, the prompt included. */
const maxTokens = 448;

/** A word of a part of sound, with times in seconds. */
export interface HeardWord {
  /** With the punctuation beside it; begins with a space where the word does. */
  text: string;
  start: number;
  end: number;
  /** Mean probability of its tokens, 0 to 1. */
  confidence: number;
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
  /** Second from which the model repeated itself instead of listening; null if it did not. */
  lostAt: number | null;
}

/** The sound as the encoder reads it: padded to its length, and mirrored at both ends. */
function padded(samples: Float32Array): Float32Array<ArrayBuffer> {
  const sound = new Float32Array(longestPart + 2 * mirrored);
  sound.set(samples, mirrored);
  for (let at = 0; at < mirrored; at++) {
    sound[at] = sound[2 * mirrored - at] ?? 0;
    sound[longestPart + mirrored + at] = sound[longestPart + mirrored - 2 - at] ?? 0;
  }
  return sound;
}

/** The tokens that one part of sound has got so far, with the keys and values of the decoder. */
class Reading {
  readonly #decoder: InferenceSession;
  readonly #sound: Readonly<Record<string, Tensor>>;
  readonly #width: number;
  /** Keys and values of each layer, which grow in place. */
  readonly #past: Float32Array<ArrayBuffer>[];
  /** Attention to the sound while each token was read, [heads][frames]. */
  readonly attention: Float32Array[] = [];
  readonly heads: number;
  length = 0;

  constructor(decoder: InferenceSession, sound: Readonly<Record<string, Tensor>>, heads: number, width: number) {
    this.#decoder = decoder;
    this.#sound = sound;
    this.#width = width;
    this.heads = heads;
    this.#past = Object.keys(sound).map(() => new Float32Array(maxTokens * width));
  }

  get frames(): number {
    return (this.attention[0]?.length ?? 0) / this.heads;
  }

  /** Reads tokens; returns the logits for the one after them. */
  async read(ids: readonly number[]): Promise<Float32Array> {
    const names = Object.keys(this.#sound);
    const feeds: Record<string, Tensor> = {
      ids: new Tensor('int64', BigInt64Array.from(ids, BigInt), [1, ids.length]),
      ...this.#sound,
    };
    names.forEach((name, index) => {
      const past = this.#past[index]?.subarray(0, this.length * this.#width) ?? new Float32Array(0);
      feeds[`p${name}`] = new Tensor('float32', past, [1, this.length, this.#width]);
    });
    const outputs = await this.#decoder.run(feeds);
    names.forEach((name, index) => {
      this.#past[index]?.set(floatsOf(outputs, `n${name}`), this.length * this.#width);
    });
    this.length += ids.length;
    this.#keepAttention(floatsOf(outputs, 'attention'), ids.length);
    const logits = floatsOf(outputs, 'logits');
    return logits.subarray(((ids.length - 1) * logits.length) / ids.length);
  }

  /** [heads][tokens][frames] as a row for each token. */
  #keepAttention(attention: Float32Array, count: number): void {
    const frames = attention.length / this.heads / count;
    for (let token = 0; token < count; token++) {
      const row = new Float32Array(this.heads * frames);
      for (let head = 0; head < this.heads; head++) {
        const from = (head * count + token) * frames;
        row.set(attention.subarray(from, from + frames), head * frames);
      }
      this.attention.push(row);
    }
  }
}

/** What was read before the text, and what it says of the sound. */
interface Opening {
  logits: Float32Array;
  language: string;
  languageProbability: number;
  noSpeech: number;
}

/** A Whisper model (https://arxiv.org/abs/2212.04356) in ONNX Runtime, by greedy decoding: the same sound, the same words. */
export class Listener {
  readonly #tokens: Tokens;
  readonly #encoder: InferenceSession;
  readonly #decoder: InferenceSession;
  readonly #heads: number;
  readonly #width: number;
  readonly #suppressed: readonly number[];
  readonly #suppressedFirst: readonly number[];

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

  /** Reads what precedes the text: the start, the language (detected if null), and the task. */
  async #open(reading: Reading, language: string | null): Promise<Opening> {
    const tokens = this.#tokens;
    const first = await reading.read([tokens.start]);
    const noSpeech = probabilityOf(first, tokens.noSpeech);
    const guess = mostProbableLanguage(first, tokens.languages);
    if (guess === null)
      return { logits: await reading.read([tokens.withoutTimes]), language: 'en', languageProbability: 1, noSpeech };
    const isTold = language !== null && tokens.languages.has(language);
    const spoken = isTold ? language : guess.language;
    const id = tokens.languages.get(spoken) ?? tokens.transcribe;
    const logits = await reading.read([id, tokens.transcribe, tokens.withoutTimes]);
    return { logits, language: spoken, languageProbability: isTold ? 1 : guess.probability, noSpeech };
  }

  /** What the encoder makes of sound, for the decoder. */
  async #encode(samples: Float32Array): Promise<Reading> {
    const sound = padded(samples);
    const encoded = await this.#encoder.run({
      sound: new Tensor('float32', sound, [1, 1, sound.length]),
      frames: new Tensor('int64', BigInt64Array.of(BigInt(Math.ceil(samples.length / hopSamples))), [1]),
    });
    return new Reading(this.#decoder, encoded, this.#heads, this.#width);
  }

  /** The token that most probably follows English words, each a token of the vocabulary, over some sound. */
  async continuation(samples: Float32Array, words: readonly string[]): Promise<string> {
    const reading = await this.#encode(samples);
    await this.#open(reading, 'en');
    const logits = await reading.read(words.map((word) => this.#tokens.idOf(word)));
    return this.#tokens.text([mostProbable(logits, this.#tokens.end, []).id]);
  }

  /**
   * Transcribes at most 30 s of sound (samples between -1 and 1 at 16 kHz). `language` is a code of the model; any other,
   * and null, is detected.
   */
  async listen(samples: Float32Array, language: string | null): Promise<HeardPart> {
    const part = samples.subarray(0, longestPart);
    const reading = await this.#encode(part);
    const opening = await this.#open(reading, language);
    const skip = reading.length - 1;
    const ids: number[] = [];
    const logProbabilities: number[] = [];
    let { logits } = opening;
    let stuck = 0;
    for (;;) {
      const suppressed = ids.length === 0 ? [...this.#suppressed, ...this.#suppressedFirst] : this.#suppressed;
      const { id, logProbability } = mostProbable(logits, this.#tokens.end + 1, suppressed);
      logProbabilities.push(logProbability);
      if (id === this.#tokens.end || reading.length >= maxTokens - 1) break;
      ids.push(id);
      stuck = stuckTokens(ids, reading.attention, reading.frames);
      if (stuck > 0) break;
      logits = await reading.read([id]);
    }
    const used = Math.max(1, Math.min(reading.frames, Math.round((part.length / sampleRate) * framesPerSecond)));
    const { attention: rows, heads, frames } = reading;
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
      lostAt: stuck > 0 ? secondsAt(ids.length - stuck) : null,
    };
  }
}
