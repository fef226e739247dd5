import type { Runtime } from '../../../models/runtime.ts';
import { createHash } from 'node:crypto';
import type { Fault } from './faults.ts';

/*
 * The parts of a content that was made of blocks are named after them: `<id>-<size>-<mark>`, where the id is in base64url,
 * the size in base 36, and the mark keeps several writes of one block apart. So the store itself says which blocks a blob
 * consists of, and no record grows with their number.
 */

const maxIdBytes = 64;
const nameForm = /^([A-Za-z0-9_-]{2,86})-([0-9a-z]{1,7})-([0-9a-z]{5})$/;
const markLength = 5;

/** A block, as the name of its part says. */
export interface Block {
  /** As clients send it: base64. */
  id: string;
  bytes: number;
  /** Name of its part. */
  name: string;
}

/** Bytes of a block's id. @throws Fault `InvalidQueryParameterValue` or another for what is no id */
export function idBytes(id: string, fault: () => Fault): Buffer {
  const bytes = Buffer.from(id, 'base64');
  if (bytes.length < 1 || bytes.length > maxIdBytes || bytes.toString('base64') !== id) throw fault();
  return bytes;
}

/** A new name for the part of a block. */
export function nameOfBlock(runtime: Pick<Runtime, 'random'>, id: Buffer, bytes: number): string {
  const mark = Math.floor(runtime.random() * 36 ** markLength)
    .toString(36)
    .padStart(markLength, '0');
  return `${id.toString('base64url')}-${bytes.toString(36)}-${mark}`;
}

/** The block of a part; null for a part of another kind. */
export function blockOfName(name: string): Block | null {
  const [, id, size] = nameForm.exec(name) ?? [];
  if (id === undefined || size === undefined) return null;
  return { id: Buffer.from(id, 'base64url').toString('base64'), bytes: Number.parseInt(size, 36), name };
}

/** The number under which a block is recorded: made from its id. */
export function numberOfBlock(id: Buffer): number {
  return createHash('sha256').update(id).digest().readUIntBE(0, 6);
}
