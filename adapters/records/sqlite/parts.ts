import { LRUCache } from 'lru-cache';
import { frozen } from './document-cache.ts';

/**
 * Values of a list, and their characters, up to which a part has it whole, whatever was asked for, so that it can be
 * cached.
 */
const [maxListKept, maxListCharacters] = [100, 8192];

/** What a reader thread makes of each document that a statement selects: its rows are a key and the document. */
export interface PartsOrder {
  fields: readonly string[];
  /** A field with a list of which only some values are needed. */
  list: { field: string; among: readonly string[] } | null;
}

/** Parts of documents as they travel between threads: one text and one array of numbers. */
export interface PackedParts {
  /** A JSON array of the parts. */
  texts: string;
  /** For each part the key of its row, its characters, and 1 where its list lacks values of the document's. */
  rows: Int32Array<ArrayBuffer>;
}

/** The statement for the documents of a JSON array of ids, with their index in it as the key. */
export function partsSql(table: string): string {
  return `SELECT asked.key AS key, doc FROM json_each(?) AS asked CROSS JOIN ${table} ON _id = asked.value`;
}

/** Makes the parts of selected documents. */
export function packParts(rows: Iterable<Record<string, unknown>>, { fields, list }: PartsOrder): PackedParts {
  const among = new Set<unknown>(list?.among);
  const texts: string[] = [];
  const numbers: number[] = [];
  for (const { key, doc } of rows) {
    const document = JSON.parse(String(doc)) as Record<string, unknown>;
    const part = Object.fromEntries(fields.map((field) => [field, document[field]]));
    const values = list === null ? undefined : part[list.field];
    const isCut = Array.isArray(values) && isLong(values);
    if (isCut && list !== null) part[list.field] = values.filter((value) => among.has(value));
    const text = JSON.stringify(part);
    texts.push(text);
    numbers.push(Number(key), text.length, isCut ? 1 : 0);
  }
  return { texts: `[${texts.join(',')}]`, rows: Int32Array.from(numbers) };
}

function isLong(values: readonly unknown[]): boolean {
  if (values.length > maxListKept) return true;
  return values.reduce<number>((sum, value) => sum + String(value).length, 0) > maxListCharacters;
}

/** Calls `visit` with each part, the key of its row, and its characters if it may be cached; otherwise null. */
export function unpackParts(
  { texts, rows }: PackedParts,
  visit: (key: number, part: object, characters: number | null) => void,
): void {
  for (const [index, part] of (JSON.parse(texts) as object[]).entries()) {
    const [key = -1, characters = 0, isCut] = rows.subarray(index * 3, index * 3 + 3);
    visit(key, part, isCut === 0 ? characters : null);
  }
}

/** Parts of one collection's documents with the same fields, by id. */
export interface CachedParts {
  /**
   * The part of an id, or null where there is no document, if what was read at a version of its collection is still so;
   * undefined if it has to be read.
   */
  current(id: string, isStill: (id: string, version: number) => boolean): object | null | undefined;
  /**
   * Keeps a part, or that there is none.
   * @param characters of its text
   * @param version of the collection, from before it was read
   */
  keep(id: string, part: object | null, characters: number, version: number): void;
}

/** Characters of the parts of one list of fields that are kept: some tens of thousands of files, in some tens of MB. */
const maxCharacters = 2 ** 24;
/** What an entry takes beside the text of its part, about, in characters. */
const entryCharacters = 100;

/** Parts of documents, so that searches do not read hundreds of them each time. The first ones kept go first. */
export class PartCache {
  readonly #collections = new Map<string, CachedParts>();
  readonly #capacity: number;

  /** @param capacity characters of each collection and list of fields */
  constructor(capacity: number = maxCharacters) {
    this.#capacity = capacity;
  }

  /** The parts of a collection with these fields. */
  of(collection: string, fields: readonly string[]): CachedParts {
    const name = `${collection} ${fields.join(' ')}`;
    const known = this.#collections.get(name) ?? this.#make();
    this.#collections.set(name, known);
    return known;
  }

  #make(): CachedParts {
    const kept = new LRUCache<string, { part: object | null; version: number }>({ maxSize: this.#capacity });
    return {
      current(id, isStill) {
        // Renewing its position in the order of eviction would take most of the time here.
        const entry = kept.peek(id);
        return entry !== undefined && isStill(id, entry.version) ? entry.part : undefined;
      },
      keep: (id, part, characters, version) => {
        const entry = { part: part === null ? null : frozen(part), version };
        kept.set(id, entry, { size: characters + entryCharacters });
      },
    };
  }
}
