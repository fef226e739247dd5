import { frozen } from './document-cache.ts';

/** Values of a list up to which a part has it whole, whatever was asked for, so that it can be cached. */
const maxListKept = 100;

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
  /** For each part the key of its row, and 1 where its list lacks values of the document's. */
  rows: Int32Array<ArrayBuffer>;
}

/** The statement for the documents of a JSON array of ids, with their index in it as the key. */
export function partsSql(table: string): string {
  return `SELECT asked.key AS key, doc FROM json_each(?) AS asked CROSS JOIN ${table} ON _id = asked.value`;
}

/** Makes the parts of selected documents. */
export function packParts(rows: Iterable<Record<string, unknown>>, { fields, list }: PartsOrder): PackedParts {
  const among = new Set<unknown>(list?.among);
  const parts: object[] = [];
  const numbers: number[] = [];
  for (const { key, doc } of rows) {
    const document = JSON.parse(String(doc)) as Record<string, unknown>;
    const part = Object.fromEntries(fields.map((field) => [field, document[field]]));
    const values = list === null ? undefined : part[list.field];
    const isCut = Array.isArray(values) && values.length > maxListKept;
    if (isCut && list !== null) part[list.field] = values.filter((value) => among.has(value));
    parts.push(part);
    numbers.push(Number(key), isCut ? 1 : 0);
  }
  return { texts: JSON.stringify(parts), rows: Int32Array.from(numbers) };
}

/** Calls `visit` with each part, the key of its row, and whether it may be cached. */
export function unpackParts(
  { texts, rows }: PackedParts,
  visit: (key: number, part: object, isWhole: boolean) => void,
): void {
  for (const [index, part] of (JSON.parse(texts) as object[]).entries())
    visit(rows[index * 2] ?? -1, part, rows[index * 2 + 1] === 0);
}

/** Parts of one collection's documents with the same fields, by id. */
export interface CachedParts {
  /**
   * The part of an id, or null where there is no document, if what was read at a version of its collection is still so;
   * undefined if it has to be read.
   */
  current(id: string, isStill: (id: string, version: number) => boolean): object | null | undefined;
  /** Keeps a part, or that there is none. @param version of the collection, from before it was read */
  keep(id: string, part: object | null, version: number): void;
}

/** Parts of all collections that are kept: some tens of megabytes. */
const maxParts = 60_000;

/** Parts of documents, so that searches do not read hundreds of them each time. The first ones kept go first. */
export class PartCache {
  readonly #collections = new Map<string, CachedParts>();
  readonly #capacity: number;

  /** @param capacity parts of each collection and list of fields */
  constructor(capacity: number = maxParts) {
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
    const kept = new Map<string, { part: object | null; version: number }>();
    return {
      current(id, isStill) {
        const entry = kept.get(id);
        return entry !== undefined && isStill(id, entry.version) ? entry.part : undefined;
      },
      keep: (id, part, version) => {
        kept.delete(id);
        const [first] = kept.keys();
        if (kept.size >= this.#capacity && first !== undefined) kept.delete(first);
        kept.set(id, { part: part === null ? null : frozen(part), version });
      },
    };
  }
}
