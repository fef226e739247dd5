/**
 * Each Chinese character is a word: https://github.com/google-research/bert/blob/master/tokenization.py
 * (_is_chinese_char).
 */
const chinese = /[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u{20000}-\u{2a6df}\u{2a700}-\u{2ceaf}\u{2f800}-\u{2fa1f}]/gu;
/** Control, format, unassigned and private-use characters are dropped; line breaks and tabs separate words. */
const dropped = /[\0\ufffd]|(?![\t\n\r])[\p{Cc}\p{Cf}\p{Cn}\p{Co}]/gu;
/**
 * One punctuation mark, or a run of other characters. All ASCII symbols count as punctuation.
 */
const wordOrMark = /[!-/:-@[-`{-~\p{P}]|[^\s!-/:-@[-`{-~\p{P}]+/gu;
const beyondAscii = /[^\n\r\t -~]/;
/** Longer words map to the unknown token. */
const longestWord = 100;
const memoSize = 50_000;

/**
 * The tokeniser of BERT uncased: cleans, removes accents, splits into words and each word greedily into the longest
 * pieces of the vocabulary (https://arxiv.org/abs/1609.08144, section 4.1). The names of special tokens in a text
 * (`[MASK]`) are ordinary characters.
 */
export class WordPiece {
  readonly #start: number;
  readonly #end: number;
  readonly #unknown: number;
  readonly #vocabulary: ReadonlyMap<string, number>;
  readonly #memo = new Map<string, readonly number[]>();

  /**
   * @param vocabulary a vocab.txt: one piece per line; its id is the zero-based line number
   * @throws Error if a special token is missing
   */
  constructor(vocabulary: string) {
    this.#vocabulary = new Map(vocabulary.split(/\r?\n/).map((piece, id) => [piece, id]));
    const special = (piece: string): number => {
      const id = this.#vocabulary.get(piece);
      if (id === undefined) throw new Error(`the vocabulary lacks ${piece}`);
      return id;
    };
    this.#start = special('[CLS]');
    this.#end = special('[SEP]');
    this.#unknown = special('[UNK]');
  }

  /** Token ids of a text with the start and end tokens, at most `limit`; the rest of the text is ignored. */
  encode(text: string, limit: number): number[] {
    // Each piece has at least one character, so characters beyond this bound cannot add a token within the limit.
    const head = text.length > limit * longestWord ? text.slice(0, limit * longestWord) : text;
    const clean = beyondAscii.test(head)
      ? head
          .replace(dropped, '')
          .replace(chinese, ' $& ')
          .normalize('NFD')
          .replace(/\p{Mn}/gu, '')
      : head;
    const ids = [this.#start];
    for (const [word] of clean.toLowerCase().matchAll(wordOrMark)) {
      ids.push(...this.#piecesOf(word));
      if (ids.length >= limit) break;
    }
    ids.length = Math.min(ids.length, limit - 1);
    ids.push(this.#end);
    return ids;
  }

  #piecesOf(word: string): readonly number[] {
    const known = this.#memo.get(word);
    if (known !== undefined) return known;
    const pieces = this.#split(word);
    if (this.#memo.size >= memoSize) this.#memo.clear();
    this.#memo.set(word, pieces);
    return pieces;
  }

  #split(word: string): number[] {
    const characters = Array.from(word.slice(0, 2 * longestWord + 2));
    if (characters.length > longestWord) return [this.#unknown];
    const pieces: number[] = [];
    for (let start = 0; start < characters.length;) {
      let end = characters.length;
      let id: number | undefined;
      for (; end > start; end--) {
        id = this.#vocabulary.get((start === 0 ? '' : '##') + characters.slice(start, end).join(''));
        if (id !== undefined) break;
      }
      if (id === undefined) return [this.#unknown];
      pieces.push(id);
      start = end;
    }
    return pieces;
  }
}
