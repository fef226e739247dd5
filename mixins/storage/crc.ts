import { crc32 } from 'node:zlib';

/** A checksum that grows with the bytes. */
export interface RunningChecksum {
  update(bytes: Uint8Array): void;
  digest(): Buffer;
}

/** An entry of a table, whose index is always within it. */
function entryAt(table: Uint32Array, index: number): number {
  return table[index] ?? 0;
}

/** A byte, whose index is always within them. */
function byteAt(bytes: Uint8Array, index: number): number {
  return bytes[index] ?? 0;
}

/** Reflected tables of eight, so that eight bytes are taken at a time ("slicing-by-8", M. Kounavis and F. Berry). */
function slices32(polynomial: number): Uint32Array {
  const table = new Uint32Array(8 * 256);
  for (let byte = 0; byte < 256; byte += 1) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc & 1) === 1 ? (crc >>> 1) ^ polynomial : crc >>> 1;
    table[byte] = crc;
  }
  for (let at = 256; at < table.length; at += 1) {
    const before = table[at - 256] ?? 0;
    table[at] = (before >>> 8) ^ (table[before & 0xff] ?? 0);
  }
  return table;
}

/** Castagnoli's polynomial, reflected (RFC 3720, 12.1). */
const castagnoli = slices32(0x82f63b78);

/** CRC32C. */
export class Crc32c implements RunningChecksum {
  #crc = 0xffffffff;

  update(bytes: Uint8Array): void {
    const table = castagnoli;
    let crc = this.#crc;
    let at = 0;
    const end = bytes.length - 7;
    for (; at < end; at += 8) {
      const low =
        crc ^
        (byteAt(bytes, at) |
          (byteAt(bytes, at + 1) << 8) |
          (byteAt(bytes, at + 2) << 16) |
          (byteAt(bytes, at + 3) << 24));
      crc =
        entryAt(table, 1792 + (low & 0xff)) ^
        entryAt(table, 1536 + ((low >>> 8) & 0xff)) ^
        entryAt(table, 1280 + ((low >>> 16) & 0xff)) ^
        entryAt(table, 1024 + (low >>> 24)) ^
        entryAt(table, 768 + byteAt(bytes, at + 4)) ^
        entryAt(table, 512 + byteAt(bytes, at + 5)) ^
        entryAt(table, 256 + byteAt(bytes, at + 6)) ^
        entryAt(table, byteAt(bytes, at + 7));
    }
    for (; at < bytes.length; at += 1) crc = (crc >>> 8) ^ entryAt(table, (crc ^ byteAt(bytes, at)) & 0xff);
    this.#crc = crc;
  }

  digest(): Buffer {
    const digest = Buffer.alloc(4);
    digest.writeUInt32BE(~this.#crc >>> 0);
    return digest;
  }
}

/** CRC32. */
export class Crc32 implements RunningChecksum {
  #crc = 0;

  update(bytes: Uint8Array): void {
    this.#crc = crc32(bytes, this.#crc);
  }

  digest(): Buffer {
    const digest = Buffer.alloc(4);
    digest.writeUInt32BE(this.#crc);
    return digest;
  }
}

/** The polynomial of CRC-64/NVME, reflected (NVM Express NVM Command Set 1.0, 5.2.1.3.4). */
export const nvme = 0x9a6c9329ac4bc9b5n;

/** Tables of CRC-64 as two halves of 32 bits, eight of them. */
function slices64(polynomial: bigint): { low: Uint32Array; high: Uint32Array } {
  const full = new BigUint64Array(8 * 256);
  for (let byte = 0; byte < 256; byte += 1) {
    let crc = BigInt(byte);
    for (let bit = 0; bit < 8; bit += 1) crc = (crc & 1n) === 1n ? (crc >> 1n) ^ polynomial : crc >> 1n;
    full[byte] = crc;
  }
  for (let at = 256; at < full.length; at += 1) {
    const before = full[at - 256] ?? 0n;
    full[at] = (before >> 8n) ^ (full[Number(before & 0xffn)] ?? 0n);
  }
  return {
    low: Uint32Array.from(full, (crc) => Number(crc & 0xffffffffn)),
    high: Uint32Array.from(full, (crc) => Number(crc >> 32n)),
  };
}

const nvmeSlices = slices64(nvme);

/** CRC-64/NVME. */
export class Crc64Nvme implements RunningChecksum {
  #low = 0xffffffff;
  #high = 0xffffffff;

  update(bytes: Uint8Array): void {
    const { low: lows, high: highs } = nvmeSlices;
    let low = this.#low;
    let high = this.#high;
    let at = 0;
    const end = bytes.length - 7;
    for (; at < end; at += 8) {
      const one =
        low ^
        (byteAt(bytes, at) |
          (byteAt(bytes, at + 1) << 8) |
          (byteAt(bytes, at + 2) << 16) |
          (byteAt(bytes, at + 3) << 24));
      const two =
        high ^
        (byteAt(bytes, at + 4) |
          (byteAt(bytes, at + 5) << 8) |
          (byteAt(bytes, at + 6) << 16) |
          (byteAt(bytes, at + 7) << 24));
      const a = 1792 + (one & 0xff);
      const b = 1536 + ((one >>> 8) & 0xff);
      const c = 1280 + ((one >>> 16) & 0xff);
      const d = 1024 + (one >>> 24);
      const e = 768 + (two & 0xff);
      const f = 512 + ((two >>> 8) & 0xff);
      const g = 256 + ((two >>> 16) & 0xff);
      const h = two >>> 24;
      low =
        entryAt(lows, a) ^
        entryAt(lows, b) ^
        entryAt(lows, c) ^
        entryAt(lows, d) ^
        entryAt(lows, e) ^
        entryAt(lows, f) ^
        entryAt(lows, g) ^
        entryAt(lows, h);
      high =
        entryAt(highs, a) ^
        entryAt(highs, b) ^
        entryAt(highs, c) ^
        entryAt(highs, d) ^
        entryAt(highs, e) ^
        entryAt(highs, f) ^
        entryAt(highs, g) ^
        entryAt(highs, h);
    }
    for (; at < bytes.length; at += 1) {
      const index = (low ^ byteAt(bytes, at)) & 0xff;
      low = ((low >>> 8) | (high << 24)) ^ entryAt(lows, index);
      high = (high >>> 8) ^ entryAt(highs, index);
    }
    this.#low = low;
    this.#high = high;
  }

  digest(): Buffer {
    const digest = Buffer.alloc(8);
    digest.writeUInt32BE(~this.#high >>> 0, 0);
    digest.writeUInt32BE(~this.#low >>> 0, 4);
    return digest;
  }
}
