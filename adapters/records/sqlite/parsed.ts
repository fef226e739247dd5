/** Characters of the texts of one generation; two are held, so that memory is bounded by about four times as many bytes for each. */
const generationCharacters = 4 * 2 ** 20;
/** Longer texts are parsed each time. */
const longestRemembered = 16 * 2 ** 10;

interface Entry {
  text: string;
  document: object;
  /** Version of its table at which the text was seen last. */
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
   * The document that `text` says, as an object of the caller's own. What lies within it is shared and therefore
   * frozen, whether it was remembered or not. `key` names the document in the store; `version` is one of its
   * table that was asked for before the text was read.
   */
  parse(key: string, text: string, version: number): object {
    const young = this.#young.get(key);
    if (young?.text === text) {
      young.version = version;
      return { ...young.document };
    }
    const old = this.#old.get(key);
    const entry = old?.text === text ? old : { text, document: frozenWithin(JSON.parse(text) as object), version };
    entry.version = version;
    if (text.length <= longestRemembered) this.#remember(key, entry, young);
    return { ...entry.document };
  }

  /** The document as `parse` answered it, where its table still is at the version of then; undefined where it must be read. */
  unchanged(key: string, version: number): object | undefined {
    const young = this.#young.get(key);
    const entry = young ?? this.#old.get(key);
    if (entry?.version !== version) return undefined;
    if (young === undefined) this.#remember(key, entry, undefined);
    return { ...entry.document };
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

/** Freezes everything within an object of plain data, not the object itself. */
function frozenWithin(document: object): object {
  for (const value of Object.values(document) as unknown[]) {
    if (typeof value === 'object' && value !== null) Object.freeze(frozenWithin(value));
  }
  return document;
}
