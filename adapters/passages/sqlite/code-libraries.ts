import { createHash } from 'node:crypto';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { QueryVector } from '../port.ts';
import { CodesFile, dimensionsOf } from './codes-file.ts';
import { compactCodes } from './compact-codes.ts';
import { numberOf, type Connection } from './connection.ts';
import { codesStateOf, wasIn } from './openings.ts';
import { VectorCodes, type CodesSizes } from './vector-codes.ts';

/** Share of removed passages from which on their codes are removed. */
const maxRemovedShare = 0.1;
/** Part of the names of files of codes that changes with what is in them. */
const format = 1;
/** Hexadecimal digits in the name of a file of codes, after the number of the organization. */
const nameDigits = 32;
const nameForm = new RegExp(`^\\d+-[0-9a-f]{${nameDigits}}$`);

/** Options of the libraries. */
export interface CodeLibrariesOptions {
  /** Bytes of codes in memory. */
  capacity: number;
  /** Folder of the files of codes; it is created with the first one. */
  folder: string;
  sizes: CodesSizes;
  /** Called when codes leave memory, so that nothing keeps them. */
  dropped: () => void;
}

/**
 * The codes of all organizations and models. Least recently used ones leave memory. After a start, files of codes are
 * loaded a part at a time, as far as they fit, before a search needs them.
 */
export class CodeLibraries {
  readonly #connection: Connection;
  readonly #options: CodeLibrariesOptions;
  /** By the names of their files, the least recently used first. */
  readonly #libraries = new Map<string, VectorCodes>();
  #bytes = 0;
  #overwrites = -1;
  /** Names of files that no search has needed yet, the next one last; null until they are known. */
  #ahead: string[] | null = null;

  constructor(connection: Connection, options: CodeLibrariesOptions) {
    this.#connection = connection;
    this.#options = options;
  }

  /** Whether `loadOn` has something to do. */
  get isAhead(): boolean {
    return this.#ahead?.length !== 0;
  }

  /** The codes of an organization and a model, loaded. */
  get(organization: number, { model, vector }: QueryVector): VectorCodes {
    const name = nameOf(organization, model, vector.length);
    let codes = this.#libraries.get(name);
    if (
      codes?.isLoaded === true &&
      codes.slots > this.#passagesOf(organization) * (1 + maxRemovedShare) + this.#options.sizes.maxRemoved
    ) {
      const live = new Set(
        this.#connection.lists('select number from live where organization = ?', organization).map((row) => row[0]),
      );
      compactCodes(codes, (number) => live.has(number));
      this.#drop(name);
      codes = undefined;
    }
    codes ??= this.#opened(name, vector.length);
    // The last one in the order of the map.
    this.#libraries.delete(name);
    this.#libraries.set(name, codes);
    while (!codes.isLoaded) this.#loadNext(codes);
    return codes;
  }

  /**
   * Takes notice of the changes that the current transaction sees: drops the places of revisions whose vectors were
   * replaced while they were retrievable. Returns whether there are such.
   */
  refresh(): boolean {
    const state = codesStateOf(this.#connection);
    for (const codes of this.#libraries.values()) codes.state = state;
    if (state.overwrites === this.#overwrites) return false;
    for (const number of overwrittenSince(this.#connection, this.#overwrites))
      for (const codes of this.#libraries.values()) codes.places.delete(number);
    this.#overwrites = state.overwrites;
    return true;
  }

  /**
   * Loads files of codes for some milliseconds, those written last first, as far as there is room. Returns whether there
   * is more to load.
   */
  loadOn(milliseconds: number): boolean {
    this.#ahead ??= this.#filesByTime();
    const until = performance.now() + milliseconds;
    do {
      const name = this.#ahead.at(-1);
      if (name === undefined) return false;
      try {
        const codes = this.#libraries.get(name) ?? this.#openedAhead(name);
        if (codes?.isLoaded === false) this.#loadNext(codes);
        else this.#ahead.pop();
      } catch {
        // The search that needs it reads it again, and fails with what is wrong.
        this.#ahead.pop();
        this.#drop(name);
      }
    } while (performance.now() < until);
    return true;
  }

  /** Forgets the codes of organizations that were removed, in memory and in files. */
  forget(): void {
    for (const name of new Set([...this.#libraries.keys(), ...this.#fileNames()])) {
      const id = this.#connection.get('select id from organizations where number = ?', Number.parseInt(name, 10));
      if (id !== undefined && !String(id['id']).startsWith('forgotten ')) continue;
      this.#drop(name);
      rmSync(join(this.#options.folder, name), { force: true });
    }
  }

  /** Writes what the files of codes lack; libraries that are not worth one have none. */
  close(): void {
    for (const codes of this.#libraries.values()) codes.save(codes.file.slots === 0 ? undefined : 1);
  }

  #fileNames(): string[] {
    try {
      return readdirSync(this.#options.folder);
    } catch {
      // No file was written yet.
      return [];
    }
  }

  /** Names of the files, the one that was written last at the end. What an interrupted compaction left is none of them. */
  #filesByTime(): string[] {
    const timeOf = (name: string): number =>
      statSync(join(this.#options.folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0;
    return this.#fileNames()
      .filter((name) => nameForm.test(name))
      .map((name) => ({ name, time: timeOf(name) }))
      .sort((one, other) => one.time - other.time)
      .map(({ name }) => name);
  }

  /** Codes that no search needed yet; null where there is no room for them, or the file has none. */
  #openedAhead(name: string): VectorCodes | null {
    const path = join(this.#options.folder, name);
    const dimensions = dimensionsOf(path);
    if (dimensions === null || this.#bytes + statSync(path).size > this.#options.capacity) return null;
    const codes = this.#opened(name, dimensions);
    this.#libraries.set(name, codes);
    return codes;
  }

  /** Codes of which none are taken from their file yet. */
  #opened(name: string, dimensions: number): VectorCodes {
    const file = new CodesFile(join(this.#options.folder, name), dimensions);
    const memory = { take: (own: VectorCodes, bytes: number) => this.#makeRoom(own, bytes) };
    const codes = new VectorCodes(dimensions, file, memory, this.#options.sizes);
    codes.state = codesStateOf(this.#connection);
    return codes;
  }

  #loadNext(codes: VectorCodes): void {
    codes.loadNext(
      (state) => wasIn(this.#connection, state),
      ({ overwrites }) => overwrittenSince(this.#connection, overwrites),
    );
  }

  #drop(name: string): void {
    this.#bytes -= this.#libraries.get(name)?.bytes ?? 0;
    this.#libraries.delete(name);
    this.#options.dropped();
  }

  #passagesOf(organization: number): number {
    return numberOf(
      this.#connection.get('select passages from organizations where number = ?', organization)?.['passages'],
    );
  }

  /** Drops libraries that were searched longer ago until there is room for so many bytes more. */
  #makeRoom(codes: VectorCodes, bytes: number): boolean {
    const { capacity } = this.#options;
    for (const [name, other] of this.#libraries) {
      if (this.#bytes + bytes <= capacity) break;
      if (other === codes) continue;
      other.save();
      this.#drop(name);
    }
    if (this.#bytes + bytes > capacity) return false;
    this.#bytes += bytes;
    return true;
  }
}

/** The file of a library's codes begins with the number of the organization. */
function nameOf(organization: number, model: string, dimensions: number): string {
  const hash = createHash('sha256').update(JSON.stringify([format, model, dimensions]));
  return `${organization}-${hash.digest('hex').slice(0, nameDigits)}`;
}

/** Revisions whose vectors were overwritten after this value of the counter. */
function overwrittenSince(connection: Connection, change: number): Set<number> {
  return new Set(
    connection.lists('select number from overwritten where change > ?', change).map((row) => numberOf(row[0])),
  );
}
