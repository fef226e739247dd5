/** Characters of the texts of one generation; two are held, so that memory is bounded by about four times as many bytes for each. */
const generationCharacters = 4 * 2 ** 20;
/** Longer texts are parsed each time. */
const longestRemembered = 16 * 2 ** 10;

/** Version of what must be read each time. */
export const unsure = -1;

interface Entry {
  text: string;
  /** Null until somebody asks for it. */
  document: object | null;
  /** Version at which the text was seen last, of whatever the reader goes by. */
  version: number;
}

/**
 * A bounded memory of parsed documents: searches read the same documents again and again, and parsing takes far longer
 * than seeing that the text is still the same. Documents are remembered in two generations: when the young one is
 * full it becomes the old one, and the one before is forgotten.
 */
export class ParsedDocuments {
  readonly #capacity: number;
  #young = new Map<string, Entry>();
  #old = new Map<string, Entry>();
  #characters = 0;

  /** At most twice `capacity` characters of text are held. */
  constructor(capacity = generationCharacters) {
    this.#capacity = capacity;
  }

  /**
   * The document that `text` says. It is shared with whoever reads it, and therefore frozen with all that lies within it,
   * whether it was remembered or not. `key` names the document in the store; `version` was asked for before the text was read.
   */
  parse(key: string, text: string, version: number): object {
    const young = this.#young.get(key);
    if (young?.text === text) {
      young.version = version;
      return documentOf(young);
    }
    const old = this.#old.get(key);
    const entry: Entry = old?.text === text ? old : { text, document: null, version };
    entry.version = version;
    if (text.length <= longestRemembered) this.#remember(key, entry, young);
    return documentOf(entry);
  }

  /** The document as `parse` answered it, where the version still is that of then; undefined where it must be read. */
  unchanged(key: string, version: number): object | undefined {
    const young = this.#young.get(key);
    const entry = young ?? this.#old.get(key);
    if (version === unsure || entry?.version !== version) return undefined;
    if (young === undefined) this.#remember(key, entry, undefined);
    return documentOf(entry);
  }

  /** Remembers what a document says now, without reading it. */
  learn(key: string, text: string, version: number): void {
    if (text.length <= longestRemembered) this.#remember(key, { text, document: null, version }, this.#young.get(key));
  }

  /** The same of a document that was changed, which is answered. One that was not read before is not worth remembering. */
  changed(key: string, text: string, version: number): object {
    return this.#young.has(key) || this.#old.has(key) ? this.parse(key, text, version) : frozen(JSON.parse(text) as object);
  }

  /** The document may be another by now. */
  doubt(key: string): void {
    for (const entry of [this.#young.get(key), this.#old.get(key)]) if (entry !== undefined) entry.version = unsure;
  }

  /** Characters of the texts held. */
  get characters(): number {
    return [...this.#young.values(), ...this.#old.values()].reduce((sum, { text }) => sum + text.length, 0);
  }

  #remember(key: string, entry: Entry, replaced: Entry | undefined): void {
    const added = entry.text.length - (replaced?.text.length ?? 0);
    if (this.#characters + added > this.#capacity) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#characters = entry.text.length;
    } else {
      this.#characters += added;
    }
    this.#young.set(key, entry);
  }
}

function documentOf(entry: Entry): object {
  entry.document ??= frozen(JSON.parse(entry.text) as object);
  return entry.document;
}

/** Freezes an object of plain data and everything within it. */
function frozen(document: object): object {
  for (const value of Object.values(document) as unknown[]) if (typeof value === 'object' && value !== null) frozen(value);
  return Object.freeze(document);
}
