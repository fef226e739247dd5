import { ExtractionFailure } from '../models/extraction-failure.ts';

/** A box of an MP4 or QuickTime file (ISO/IEC 14496-12, 4.2): its offset and its whole size. */
export interface Box {
  type: string;
  from: number;
  headerBytes: number;
  /** Null if it extends to the end of the file. */
  bytes: number | null;
}

/** Size of the longest box header. */
export const boxHeaderBytes = 16;

/**
 * The box whose header is at `at` in `bytes`; null if the header is incomplete.
 * @param from offset in the file of the returned box
 * @throws ExtractionFailure `media_unreadable` if it is shorter than its own header
 */
export function boxAt(bytes: Uint8Array, at: number, from: number): Box | null {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.length < at + 8) return null;
  const short = view.readUInt32BE(at);
  const type = view.toString('latin1', at + 4, at + 8);
  if (short === 0) return { type, from, headerBytes: 8, bytes: null };
  if (short !== 1) return sized({ type, from, headerBytes: 8, bytes: short });
  return view.length < at + 16
    ? null
    : sized({ type, from, headerBytes: 16, bytes: Number(view.readBigUInt64BE(at + 8)) });
}

function sized(box: Box & { bytes: number }): Box {
  if (box.bytes < box.headerBytes || box.bytes > Number.MAX_SAFE_INTEGER)
    throw new ExtractionFailure('media_unreadable', 'a box has an invalid size');
  return box;
}

/** Boxes that contain the tables of chunk offsets. */
const parents: ReadonlySet<string> = new Set(['moov', 'trak', 'mdia', 'minf', 'stbl']);

/** Entry sizes of the tables of chunk offsets: `stco` has 4 bytes an entry, `co64` has 8 (ISO/IEC 14496-12, 8.7.5). */
const entryBytes: Readonly<Record<string, 4 | 8>> = { stco: 4, co64: 8 };

/** Bytes of a table before its entries: header, version and flags, count. */
const tableHead = 16;

/** A part of the rewritten index: copied bytes, a parent box whose size changes, or a table. */
type Piece =
  | { kind: 'copy'; from: number; to: number }
  | { kind: 'parent'; from: number; bytes: number }
  | { kind: 'table'; at: number; entries: number; width: 4 | 8 };

/** Parses the index. `bytes` is its size after rewriting. */
function piecesOf(index: Uint8Array, from: number, to: number, depth: number): { pieces: Piece[]; bytes: number } {
  const pieces: Piece[] = [];
  let bytes = 0;
  for (let at = from; at < to;) {
    const box = boxAt(index.subarray(0, to), at, at);
    const end = box === null ? to : at + (box.bytes ?? to - at);
    if (box === null || end > to) throw new ExtractionFailure('media_unreadable', 'a box of the index is truncated');
    const width = entryBytes[box.type];
    if (parents.has(box.type) && box.headerBytes === 8 && depth < parents.size) {
      const inner = piecesOf(index, at + 8, end, depth + 1);
      pieces.push({ kind: 'parent', from: at, bytes: inner.bytes + 8 }, ...inner.pieces);
      bytes += inner.bytes + 8;
    } else if (width !== undefined && depth === parents.size) {
      const entries =
        end - at < tableHead ? -1 : Buffer.from(index.buffer, index.byteOffset, index.byteLength).readUInt32BE(at + 12);
      if (box.headerBytes !== 8 || entries < 0 || tableHead + entries * width > end - at)
        throw new ExtractionFailure('media_unreadable', 'a table of the index is longer than its box');
      pieces.push({ kind: 'table', at, entries, width });
      bytes += tableHead + entries * 8;
    } else {
      if (box.type === 'cmov') throw new ExtractionFailure('media_unreadable', 'the index is compressed');
      pieces.push({ kind: 'copy', from: at, to: end });
      bytes += end - at;
    }
    at = end;
  }
  return { pieces, bytes };
}

/**
 * The index (`moov`) of a file as it must read when it is inserted at `offset`: chunk offsets after it are shifted by
 * its length, and all tables become 64 bits, because an offset may exceed 4 GiB.
 * @throws ExtractionFailure `media_unreadable`
 */
export function relocatedIndex(index: Uint8Array, offset: number): Uint8Array {
  const source = Buffer.from(index.buffer, index.byteOffset, index.byteLength);
  const { pieces, bytes } = piecesOf(index, 0, index.length, 0);
  const moved = Buffer.alloc(bytes);
  let at = 0;
  for (const piece of pieces) {
    if (piece.kind === 'copy') {
      at += source.copy(moved, at, piece.from, piece.to);
    } else if (piece.kind === 'parent') {
      source.copy(moved, at, piece.from, piece.from + 8);
      moved.writeUInt32BE(piece.bytes, at);
      at += 8;
    } else {
      source.copy(moved, at, piece.at, piece.at + tableHead);
      moved.writeUInt32BE(tableHead + piece.entries * 8, at);
      moved.write('co64', at + 4, 'latin1');
      at += tableHead;
      for (let entry = 0; entry < piece.entries; entry++, at += 8) {
        const from = piece.at + tableHead + entry * piece.width;
        const old = piece.width === 4 ? BigInt(source.readUInt32BE(from)) : source.readBigUInt64BE(from);
        moved.writeBigUInt64BE(BigInt.asUintN(64, old >= BigInt(offset) ? old + BigInt(bytes) : old), at);
      }
    }
  }
  return moved;
}
