import {
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';

/** Numbers in a block's header: places, slots, the three of its state, dimensions, and two checksums. */
const headerNumbers = 8;
const numberBytes = Float64Array.BYTES_PER_ELEMENT;
/** Numbers of a place, see `CodesBlock`. */
export const placeNumbers = 4;

/** The state of the passages file from which codes were made; see `Openings`. */
export interface CodesState {
  opening: number;
  changes: number;
  /** The counter `relaid`. */
  overwrites: number;
}

/** Adjacent codes with their places, as they are appended at once. */
export interface CodesBlock {
  state: CodesState;
  /** For each revision its number, first slot, slots, and the exclusive upper bound of the ordinals that were read. */
  places: Float64Array<ArrayBuffer>;
  /** Id of the passage in each slot. */
  ids: Float64Array<ArrayBuffer>;
}

/**
 * A file of codes: blocks that are only appended. A block is a header of eight numbers, places and ids as numbers of 64
 * bits in the machine's byte order, and the codes. Its checksum is CRC-32 of all of them. The file only saves the time to
 * make codes again: what is incomplete or of another state is cut off.
 */
export class CodesFile {
  readonly #path: string;
  readonly #dimensions: number;
  /** Where the codes of each block begin, in slots and in bytes. */
  readonly #blocks: { slot: number; at: number }[] = [];
  #slots = 0;
  #end = 0;

  constructor(path: string, dimensions: number) {
    this.#path = path;
    this.#dimensions = dimensions;
  }

  /** Codes in the file. */
  get slots(): number {
    return this.#slots;
  }

  /** Codes that the file may have, at most, by its size. */
  maxSlots(): number {
    return existsSync(this.#path) ? Math.floor(statSync(this.#path).size / (this.#dimensions + numberBytes)) : 0;
  }

  /**
   * Reads the next block; null after the last one, and at one that is damaged or not of a current state.
   * @param isCurrent whether codes of this state are those of the passages file
   * @param room where the codes from a slot on go: returns room for some of them, at most for so many. They may be
   * damaged while the block was not returned
   */
  next(isCurrent: (state: CodesState) => boolean, room: (slot: number, slots: number) => Int8Array): CodesBlock | null {
    if (!existsSync(this.#path)) return null;
    const file = openSync(this.#path, 'r');
    try {
      const block = this.#readBlock(file, isCurrent, room);
      if (block !== null) this.#took(block);
      return block;
    } finally {
      closeSync(file);
    }
  }

  #readBlock(
    file: number,
    isCurrent: (state: CodesState) => boolean,
    room: (slot: number, slots: number) => Int8Array,
  ): CodesBlock | null {
    const { size } = fstatSync(file);
    const at = this.#end + headerNumbers * numberBytes;
    if (at > size) return null;
    const header = new Float64Array(headerNumbers);
    readFully(file, header, this.#end);
    const [places = 0, slots = 0, opening = 0, changes = 0, overwrites = 0, dimensions, ofHeader, ofBlock] = header;
    if (dimensions !== this.#dimensions || ofHeader !== headerChecksum(header)) return null;
    const state = { opening, changes, overwrites };
    const block = { places: new Float64Array(places * placeNumbers), ids: new Float64Array(slots) };
    const codesAt = at + block.places.byteLength + block.ids.byteLength;
    if (codesAt + slots * this.#dimensions > size || !isCurrent(state)) return null;
    readFully(file, block.places, at);
    readFully(file, block.ids, at + block.places.byteLength);
    let checksum = checksumOf([block.places, block.ids], 0);
    for (let slot = 0; slot < slots;) {
      const codes = room(this.#slots + slot, slots - slot);
      readFully(file, codes, codesAt + slot * this.#dimensions);
      checksum = checksumOf([codes], checksum);
      slot += codes.length / this.#dimensions;
    }
    return checksum === ofBlock ? { state, ...block } : null;
  }

  #took({ places, ids }: CodesBlock): void {
    const at = this.#end + headerNumbers * numberBytes + places.byteLength + ids.byteLength;
    this.#blocks.push({ slot: this.#slots, at });
    this.#slots += ids.length;
    this.#end = at + ids.length * this.#dimensions;
  }

  /** Appends a block with its codes. @throws if the disk is full; then the file is as it was */
  append(block: CodesBlock, codes: readonly Int8Array[]): void {
    const { state, places, ids } = block;
    const header = Float64Array.of(
      places.length / placeNumbers,
      ids.length,
      state.opening,
      state.changes,
      state.overwrites,
      this.#dimensions,
      0,
      checksumOf([places, ids, ...codes], 0),
    );
    header[6] = headerChecksum(header);
    mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
    const file = openSync(this.#path, this.#end === 0 ? 'w' : 'r+', 0o600);
    try {
      ftruncateSync(file, this.#end);
      let at = this.#end;
      for (const part of [header, places, ids, ...codes]) at += writeFully(file, part, at);
      this.#took(block);
    } finally {
      closeSync(file);
    }
  }

  /** Reads the codes of adjacent slots, those of each range after those of the range before. */
  read(ranges: Iterable<{ start: number; slots: number }>, into: Int8Array): void {
    const file = openSync(this.#path, 'r');
    try {
      let [read, index] = [0, 0];
      for (const { start, slots } of ranges) {
        const end = start + slots;
        for (let slot = start; slot < end;) {
          index = this.#blockOf(slot, index);
          const block = this.#blocks[index] ?? { slot: 0, at: 0 };
          const until = Math.min(end, this.#blocks[index + 1]?.slot ?? this.#slots);
          const bytes = (until - slot) * this.#dimensions;
          readFully(file, into.subarray(read, read + bytes), block.at + (slot - block.slot) * this.#dimensions);
          read += bytes;
          slot = until;
        }
      }
    } finally {
      closeSync(file);
    }
  }

  /** The block of a slot, in or after the one with this index if that begins before it. */
  #blockOf(slot: number, from: number): number {
    let index = (this.#blocks[from]?.slot ?? 0) <= slot ? from : 0;
    while ((this.#blocks[index + 1]?.slot ?? Infinity) <= slot) index += 1;
    return index;
  }

  /** An empty file that can replace this one. */
  successor(): CodesFile {
    const file = new CodesFile(`${this.#path}.new`, this.#dimensions);
    file.remove();
    return file;
  }

  /** Takes the place of the file of which it is the successor. */
  replace(file: CodesFile): void {
    renameSync(this.#path, file.#path);
  }

  remove(): void {
    rmSync(this.#path, { force: true });
    this.#blocks.length = 0;
    this.#slots = 0;
    this.#end = 0;
  }
}

/** The dimensions of the codes of a file; null if it has none, or is damaged. */
export function dimensionsOf(path: string): number | null {
  const file = openSync(path, 'r');
  try {
    const header = new Float64Array(headerNumbers);
    if (fstatSync(file).size < header.byteLength) return null;
    readFully(file, header, 0);
    return header[headerNumbers - 2] === headerChecksum(header) ? (header[headerNumbers - 3] ?? null) : null;
  } finally {
    closeSync(file);
  }
}

function bytesOf(part: Float64Array | Int8Array): Uint8Array {
  return new Uint8Array(part.buffer, part.byteOffset, part.byteLength);
}

function checksumOf(parts: readonly (Float64Array | Int8Array)[], start: number): number {
  return parts.reduce((checksum, part) => crc32(bytesOf(part), checksum), start);
}

/** Of all numbers but its own, which is the last but one. */
function headerChecksum(header: Float64Array): number {
  return checksumOf([header.subarray(0, headerNumbers - 2), header.subarray(headerNumbers - 1)], 0);
}

function readFully(file: number, into: Float64Array | Int8Array, at: number): void {
  const bytes = bytesOf(into);
  for (let done = 0; done < bytes.length;) {
    const read = readSync(file, bytes, done, bytes.length - done, at + done);
    if (read === 0) throw new Error('a file of codes is shorter than before');
    done += read;
  }
}

function writeFully(file: number, part: Float64Array | Int8Array, at: number): number {
  const bytes = bytesOf(part);
  for (let done = 0; done < bytes.length;) done += writeSync(file, bytes, done, bytes.length - done, at + done);
  return bytes.length;
}
