import { LRUCache } from 'lru-cache';

/** Characters of all texts held; memory is about four times as many bytes. */
const maxCharacters = 8 * 2 ** 20;
/** Longer texts are parsed each time. */
const maxTextCharacters = 16 * 2 ** 10;

interface Entry {
  id: string;
  text: string;
  document: object;
  /** Version of its collection when the text was last read. */
  version: number;
  /** The entries of its collection. */
  among: Map<string, Entry>;
}

/** The parsed documents of one collection. */
export interface CachedDocuments {
  /**
   * The document of an id, if what was read at a version of its collection is still so; undefined if it has to be read.
   * Does not renew its position in the order of eviction, which would take most of the time here.
   */
  current(id: string, isStill: (id: string, version: number) => boolean): object | undefined;
  /**
   * The document of a text. All callers share it, so it is frozen with everything in it.
   * @param version of the collection, read before the text was
   */
  parse(id: string, text: string, version: number): object;
}

/**
 * Parsed documents by collection and id. The same documents are read again and again, and parsing takes far longer than
 * reading. A document is current while no write has touched it (`TouchedDocuments`), and after that while its text is the
 * same.
 */
export class DocumentCache {
  readonly #collections = new Map<string, Map<string, Entry>>();
  readonly #order: LRUCache<Entry, true>;

  constructor(capacity: number = maxCharacters) {
    this.#order = new LRUCache<Entry, true>({
      maxSize: capacity,
      maxEntrySize: maxTextCharacters,
      sizeCalculation: (_, { text }) => Math.max(1, text.length),
      dispose: (_, { id, among }) => among.delete(id),
    });
  }

  /** The documents of a collection. */
  of(collection: string): CachedDocuments {
    const among = this.#collections.get(collection) ?? new Map<string, Entry>();
    this.#collections.set(collection, among);
    return {
      current: (id, isStill) => {
        const entry = among.get(id);
        return entry !== undefined && isStill(id, entry.version) ? entry.document : undefined;
      },
      parse: (id, text, version) => {
        const known = among.get(id);
        if (known?.text === text && this.#order.get(known) === true) {
          known.version = version;
          return known.document;
        }
        if (known !== undefined) this.#order.delete(known);
        const entry = { id, text, document: frozen(JSON.parse(text) as object), version, among };
        this.#order.set(entry, true);
        if (this.#order.has(entry)) among.set(id, entry);
        return entry.document;
      },
    };
  }
}

/** Freezes an object of plain data and everything in it. */
export function frozen(document: object): object {
  for (const value of Object.values(document) as unknown[])
    if (typeof value === 'object' && value !== null) frozen(value);
  return Object.freeze(document);
}
