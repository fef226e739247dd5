import { Tensor, type InferenceSession } from 'onnxruntime-node';
import { floatsOf } from './sessions.ts';

/** Tokens that the decoder can keep, the prompt included. */
export const maxTokens = 448;

/** The tokens that one part of sound has got so far, with the keys and values of the decoder. */
export class Reading {
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
