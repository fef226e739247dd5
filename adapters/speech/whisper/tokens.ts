/** Tokens that write one word, with the punctuation beside it. */
export interface WordTokens {
  text: string;
  /** Index of the first token, and their number. */
  first: number;
  count: number;
}

/** Languages written without spaces: every character counts as a word there. */
const unspaced: ReadonlySet<string> = new Set(['zh', 'ja', 'th', 'lo', 'my', 'yue']);
/** Punctuation that belongs to the word after it. */
const opening = '"\'“¿¡([{-«„';
/** Maximum tokens of a character. */
const maxTokensPerCharacter = 6;
/** English-only models have one token less, and tokens of languages that they do not know. */
const startOfMultilingual = 50_258;

/** Bytes by the characters that stand for them in the vocabulary: each byte has a visible one (GPT-2, encoder.py). */
function bytesByCharacter(): ReadonlyMap<string, number> {
  const bytes = new Map<string, number>();
  let next = 256;
  for (let byte = 0; byte < 256; byte++) {
    const isVisible = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
    bytes.set(String.fromCodePoint(isVisible ? byte : next++), byte);
  }
  return bytes;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** The vocabulary and the special tokens of a tokenizer.json. @throws Error where it has neither. */
function partsOf(json: string): { vocabulary: [string, number][]; special: Map<string, number> } {
  const file: unknown = JSON.parse(json);
  if (!isObject(file) || !isObject(file['model']) || !isObject(file['model']['vocab']))
    throw new Error('tokenizer.json has no vocabulary');
  const added = file['added_tokens'];
  if (!Array.isArray(added)) throw new Error('tokenizer.json has no added_tokens');
  const isId = (value: unknown): value is number => typeof value === 'number' && Number.isSafeInteger(value);
  const vocabulary = Object.entries(file['model']['vocab']).flatMap(([text, id]): [string, number][] =>
    isId(id) ? [[text, id]] : [],
  );
  const special = new Map<string, number>();
  for (const token of added as unknown[])
    if (isObject(token) && typeof token['content'] === 'string' && isId(token['id']))
      special.set(token['content'], token['id']);
  return { vocabulary, special };
}

/** The part of Whisper's tokeniser that transcribing needs: tokens to text, and tokens to words. */
export class Tokens {
  readonly start: number;
  readonly end: number;
  readonly transcribe: number;
  /** Asks for text without times. */
  readonly withoutTimes: number;
  readonly noSpeech: number;
  /** The token of each language; empty for an English-only model. */
  readonly languages: ReadonlyMap<string, number>;
  /** Bytes by token. */
  readonly #bytes: Buffer[] = [];

  /** @throws Error where the file (tokenizer.json) is none of Whisper's. */
  constructor(json: string) {
    const { vocabulary, special } = partsOf(json);
    const bytes = bytesByCharacter();
    for (const [text, id] of vocabulary)
      this.#bytes[id] = Buffer.from(Array.from(text, (character) => bytes.get(character) ?? 63));
    const token = (...names: string[]): number => {
      const found = names.map((name) => special.get(name)).find((id) => id !== undefined);
      if (found === undefined) throw new Error(`tokenizer.json has no ${names[0]}`);
      return found;
    };
    this.start = token('<|startoftranscript|>');
    this.end = token('<|endoftext|>');
    this.transcribe = token('<|transcribe|>');
    this.withoutTimes = token('<|notimestamps|>');
    this.noSpeech = token('<|nospeech|>', '<|nocaptions|>');
    const languages = [...special].flatMap(([name, id]): [string, number][] => {
      const code = /^<\|([a-z]{2,3})\|>$/.exec(name)?.[1];
      return code === undefined ? [] : [[code, id]];
    });
    this.languages = new Map(this.start === startOfMultilingual ? languages : []);
  }

  /** The token that writes a text. @throws Error where the text is not one token. */
  idOf(text: string): number {
    const bytes = Buffer.from(text);
    const id = this.#bytes.findIndex((each) => each.equals(bytes));
    if (id < 0) throw new Error(`the vocabulary has no token ${JSON.stringify(text)}`);
    return id;
  }

  /** The text of tokens; incomplete characters at the ends become U+FFFD. */
  text(ids: readonly number[]): string {
    const bytes = ids.flatMap((id) => (id < this.end ? [this.#bytes[id] ?? Buffer.alloc(0)] : []));
    return Buffer.concat(bytes).toString('utf8');
  }

  /** Tokens grouped until they are whole characters. */
  #characters(ids: readonly number[]): WordTokens[] {
    const characters: WordTokens[] = [];
    for (let first = 0, count = 1; first + count <= ids.length; count++) {
      const text = this.text(ids.slice(first, first + count));
      const isPartial = text.includes('\ufffd') && first + count < ids.length && count < maxTokensPerCharacter;
      if (isPartial) continue;
      characters.push({ text, first, count });
      first += count;
      count = 0;
    }
    return characters;
  }

  /**
   * Tokens grouped by the word that they write. Words end at spaces only: apostrophes and hyphens are within words.
   * `text` begins with a space where the word does.
   */
  words(ids: readonly number[], language: string): WordTokens[] {
    const words: WordTokens[] = [];
    let pending: WordTokens | null = null;
    for (const part of this.#characters(ids)) {
      const last = words.at(-1);
      const startsWord: boolean =
        last === undefined ||
        part.text.startsWith(' ') ||
        (unspaced.has(language) && !/^[\p{P}\p{M}]+$/u.test(part.text));
      if (pending !== null) {
        words.push({ ...pending, text: pending.text + part.text.trimStart(), count: pending.count + part.count });
        pending = null;
      } else if (part.text.startsWith(' ') && part.text.trim() !== '' && opening.includes(part.text.trim()))
        pending = part;
      else if (startsWord || last === undefined) words.push({ ...part });
      else {
        last.text += part.text;
        last.count += part.count;
      }
    }
    return words.filter(({ text }) => /[\p{L}\p{N}]/u.test(text));
  }
}
