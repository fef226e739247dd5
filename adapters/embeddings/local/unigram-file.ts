import { buildDoubleArray, type DoubleArray, type Key } from './double-array.ts';

/** Integers before the arrays: states, pieces, start, end, unknown, bytes of the character map. */
const headerIntegers = 6;

/** A unigram vocabulary, as views of its file. */
export interface UnigramVocabulary {
  /** Ids of the start, end and unknown tokens. */
  start: number;
  end: number;
  unknown: number;
  /** The trie of pieces by their UTF-8 bytes. */
  trie: DoubleArray;
  /** Logarithm of each piece's probability, by id. */
  scores: Float32Array;
  /** Characters that are replaced before the search for pieces. */
  replacements: ReadonlyMap<string, string>;
}

/** The character map: count, bytes, then for each entry the character, the length and the replacement. */
function replacementsAt(view: DataView, start: number): [string, string][] {
  const pairs: [string, string][] = [];
  let at = start + 8;
  for (let left = view.getInt32(start, true); left > 0; left -= 1) {
    const length = view.getUint8(at + 4);
    const characters = Array.from({ length }, (_, index) => view.getUint32(at + 5 + 4 * index, true));
    pairs.push([String.fromCodePoint(view.getUint32(at, true)), String.fromCodePoint(...characters)]);
    at += 5 + 4 * length;
  }
  return pairs;
}

/**
 * Creates the file that threads load from the tokeniser part of a package (`E5Package.tokeniser`): number of pieces;
 * ids of start, end, padding, unknown; bytes of all pieces; then their offsets, scores and bytes; then the character
 * map. Takes about a second.
 */
export function compileUnigram(part: Uint8Array): Uint8Array {
  const view = new DataView(part.buffer, part.byteOffset, part.byteLength);
  const count = view.getInt32(0, true);
  const offsetsAt = 28;
  const scoresAt = offsetsAt + 4 * (count + 1);
  const textAt = scoresAt + 4 * count;
  const keys: Key[] = [];
  for (let id = 0; id < count; id += 1) {
    // Special tokens have the score 0 and are never found in a text: a typed `</s>` is ordinary text.
    if (view.getFloat32(scoresAt + 4 * id, true) >= 0) continue;
    const [start, end] = [view.getUint32(offsetsAt + 4 * id, true), view.getUint32(offsetsAt + 4 * id + 4, true)];
    keys.push({ id, start: textAt + start, end: textAt + end });
  }
  const trie = buildDoubleArray(part, keys);
  const map = new TextEncoder().encode(
    JSON.stringify(replacementsAt(view, textAt + Number(view.getBigUint64(20, true)))),
  );
  const states = trie.base.length;
  const head = [states, count, view.getInt32(4, true), view.getInt32(8, true), view.getInt32(16, true), map.length];
  const file = new Uint8Array(4 * (headerIntegers + 3 * states + count) + map.length);
  new Int32Array(file.buffer, 0, headerIntegers).set(head);
  [trie.base, trie.check, trie.value].forEach((array, index) =>
    new Int32Array(file.buffer, 4 * (headerIntegers + index * states), states).set(array),
  );
  const end = 4 * (headerIntegers + 3 * states);
  file.set(part.subarray(scoresAt, scoresAt + 4 * count), end);
  file.set(map, end + 4 * count);
  return file;
}

function isPairs(value: unknown): value is [string, string][] {
  return (
    Array.isArray(value) &&
    value.every((pair) => Array.isArray(pair) && typeof pair[0] === 'string' && typeof pair[1] === 'string')
  );
}

/** Reads the output of `compileUnigram` without copying. @throws Error if the format differs */
export function readUnigram(file: ArrayBuffer): UnigramVocabulary {
  if (file.byteLength < 4 * headerIntegers) throw new Error('not a unigram vocabulary');
  const [states = 0, count = 0, start = 0, end = 0, unknown = 0, mapBytes = 0] = new Int32Array(
    file,
    0,
    headerIntegers,
  );
  const arraysEnd = 4 * (headerIntegers + 3 * states);
  if (file.byteLength !== arraysEnd + 4 * count + mapBytes) throw new Error('not a unigram vocabulary');
  const array = (index: number): Int32Array => new Int32Array(file, 4 * (headerIntegers + index * states), states);
  const map: unknown = JSON.parse(new TextDecoder().decode(new Uint8Array(file, arraysEnd + 4 * count, mapBytes)));
  if (!isPairs(map)) throw new Error('the character map of the unigram vocabulary is damaged');
  return {
    start,
    end,
    unknown,
    trie: { base: array(0), check: array(1), value: array(2) },
    scores: new Float32Array(file, arraysEnd, count),
    replacements: new Map(map),
  };
}
