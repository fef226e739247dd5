import { LRUCache } from 'lru-cache';

/** Characters of all texts held; memory is about four times as many bytes. */
const maxCharacters = 8 * 2 ** 20;
/** Longer texts are parsed each time. */
const maxTextCharacters = 16 * 2 ** 10;

interface Entry {
  text: string;
  document: object;
  /** Version of its collection when the text was last read. */
  version: number;
}

/**
 * Parsed documents by their keys. A search reads the same documents again and again, and parsing takes far longer than
 * reading. A document is current while its collection has not changed (`WriteChannel.versionOf`), and after that while its
 * text is the same.
 */
export class DocumentCache {
  readonly #entries: LRUCache<string, Entry>;

  constructor(capacity: number = maxCharacters) {
    this.#entries = new LRUCache<string, Entry>({
      maxSize: capacity,
      maxEntrySize: maxTextCharacters,
      sizeCalculation: ({ text }) => Math.max(1, text.length),
    });
  }

  /**
   * The document of a key as it was read in this version of its collection; undefined if it has to be read. Does not renew
   * its position in the order of eviction: a search asks for hundreds of documents, and that would take half of its
   * time here.
   */
  current(key: string, version: number): object | undefined {
    const entry = this.#entries.peek(key);
    return entry?.version === version ? entry.document : undefined;
  }

  /**
   * The document of a text. All callers share it, so it is frozen with everything in it.
   * @param version of the collection, read before the text was
   */
  parse(key: string, text: string, version: number): object {
    const entry = this.#entries.get(key);
    if (entry?.text === text) {
      entry.version = version;
      return entry.document;
    }
    const document = frozen(JSON.parse(text) as object);
    this.#entries.set(key, { text, document, version });
    return document;
  }
}

/** Freezes an object of plain data and everything in it. */
function frozen(document: object): object {
  for (const value of Object.values(document) as unknown[])
    if (typeof value === 'object' && value !== null) frozen(value);
  return Object.freeze(document);
}
