import type { UnigramVocabulary } from './unigram-file.ts';

/** The symbol for the space before a word. */
const spaceMark = '\u2581';
const memoSize = 50_000;
/** Maximum length of a cached word. */
const longestRemembered = 40;
/** Maximum characters of a word that are read for each requested piece. */
const longestPiece = 48;
/** Penalty of an unknown character, relative to the lowest score of a piece, as in SentencePiece. */
const unknownPenalty = 10;
const beyondAscii = /[^\n\r\t -~]/;
/** Letters with combining marks. */
const marked = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Arabic}]\p{Mn}+/gu;
/** Only shorter sequences are composed, as in Hugging Face's tokeniser, which models are trained with. */
const longestComposed = 6;

/** Bytes of a character in UTF-8 by its first byte. */
function bytesFrom(lead: number): number {
  if (lead < 0x80) return 1;
  if (lead < 0xe0) return 2;
  return lead < 0xf0 ? 3 : 4;
}

/**
 * The unigram tokeniser of XLM-RoBERTa (https://arxiv.org/abs/1804.10959): the most likely split of a text into
 * pieces of the vocabulary. A piece has the space symbol only at its start, so words are split one by one.
 */
export class Unigram {
  readonly #vocabulary: UnigramVocabulary;
  readonly #unknownScore: number;
  readonly #replaced: RegExp | null;
  readonly #memo = new Map<string, readonly number[]>();
  readonly #encoder = new TextEncoder();
  /** State of the current word: its bytes, and for each end the best score, and the start and id of its last piece. */
  #bytes = new Uint8Array();
  #best = new Float32Array();
  #from = new Int32Array();
  #piece = new Int32Array();

  constructor(vocabulary: UnigramVocabulary) {
    this.#vocabulary = vocabulary;
    const { scores, replacements } = vocabulary;
    this.#unknownScore = Math.fround(scores.reduce((lowest, score) => Math.min(lowest, score), 0) - unknownPenalty);
    const characters = [...replacements.keys()].map((from) => `\\u{${(from.codePointAt(0) ?? 0).toString(16)}}`);
    this.#replaced = characters.length === 0 ? null : new RegExp(`[${characters.join('')}]`, 'gu');
  }

  /** Token ids of a text with the start and end tokens, at most `limit`; the rest of the text is ignored. */
  encode(text: string, limit: number): number[] {
    const { start, end } = this.#vocabulary;
    const ids = [start];
    for (const word of this.#clean(text.slice(0, limit * longestPiece)).split(/[ \n\r\t]+/)) {
      if (word !== '') ids.push(...this.#piecesOf(word));
      if (ids.length >= limit) break;
    }
    ids.length = Math.min(ids.length, limit - 1);
    ids.push(end);
    return ids;
  }

  #clean(text: string): string {
    if (!beyondAscii.test(text)) return text;
    const composed = text
      .toWellFormed()
      .replace(marked, (letter) => (Buffer.byteLength(letter) < longestComposed ? letter.normalize('NFC') : letter));
    const { replacements } = this.#vocabulary;
    return this.#replaced === null
      ? composed
      : composed.replace(this.#replaced, (character) => replacements.get(character) ?? character);
  }

  #piecesOf(word: string): readonly number[] {
    const known = this.#memo.get(word);
    if (known !== undefined) return known;
    const pieces = this.#cut(spaceMark + word);
    if (word.length > longestRemembered) return pieces;
    if (this.#memo.size >= memoSize) this.#memo.clear();
    this.#memo.set(word, pieces);
    return pieces;
  }

  /** The split with the highest sum of scores; on a tie the one with the longest last piece. */
  #cut(text: string): readonly number[] {
    const length = this.#write(text);
    const { unknown } = this.#vocabulary;
    for (let at = 0; at < length;) {
      this.#extend(at, length);
      const next = at + bytesFrom(this.#bytes[at] ?? 0);
      this.#offer(next, at, unknown, this.#unknownScore);
      at = next;
    }
    const ids: number[] = [];
    for (let at = length; at > 0; at = this.#from[at] ?? 0) {
      const id = this.#piece[at] ?? unknown;
      // Consecutive unknown characters are one unknown piece.
      if (id !== unknown || ids.at(-1) !== unknown) ids.push(id);
    }
    return ids.reverse();
  }

  /** Encodes a word and clears the scores. Returns the number of bytes. */
  #write(text: string): number {
    const size = text.length * 3;
    if (size > this.#bytes.length) {
      this.#bytes = new Uint8Array(size);
      this.#best = new Float32Array(size + 1);
      this.#from = new Int32Array(size + 1);
      this.#piece = new Int32Array(size + 1);
    }
    const { written } = this.#encoder.encodeInto(text, this.#bytes);
    this.#best.fill(-Infinity, 0, written + 1);
    this.#best[0] = 0;
    return written;
  }

  /** Considers every piece of the vocabulary that begins at `at`. */
  #extend(at: number, length: number): void {
    const { trie, scores } = this.#vocabulary;
    const { base, check, value } = trie;
    let state = 0;
    for (let end = at; end < length;) {
      const next = (base[state] ?? 0) + (this.#bytes[end] ?? 0);
      if (check[next] !== state) return;
      state = next;
      end += 1;
      const id = value[state] ?? 0;
      if (id > 0) this.#offer(end, at, id, scores[id] ?? 0);
    }
  }

  /** Records the piece from `at` to `end` if it improves the split up to `end`. */
  #offer(end: number, at: number, id: number, score: number): void {
    const sum = Math.fround((this.#best[at] ?? 0) + score);
    if (!(sum > (this.#best[end] ?? 0))) return;
    this.#best[end] = sum;
    this.#from[end] = at;
    this.#piece[end] = id;
  }
}
