import type { IncomingMessage } from 'node:http';
import type { ByteRange } from '../../../mixins/http/api/conditions.ts';
import { Fault } from './faults.ts';

const form = /^bytes=(\d{1,16})-(\d{0,16})$/i;

/**
 * The part of a blob that a read asks for: `x-ms-range` goes before `Range`. What is no range from a first byte is
 * ignored.
 * @returns null for the whole blob. @throws Fault `InvalidRange`
 */
export function readRange({ headers }: Pick<IncomingMessage, 'headers'>, size: number): ByteRange | null {
  const sent = String(headers['x-ms-range'] ?? headers.range ?? '').replaceAll(' ', '');
  const [, first, last] = form.exec(sent) ?? [];
  if (first === undefined) return null;
  const from = Number(first);
  if (last !== undefined && last !== '' && Number(last) < from) return null;
  if (from >= size) throw new Fault('InvalidRange', { headers: { 'Content-Range': `bytes */${size}` } });
  return { from, to: last === undefined || last === '' ? size - 1 : Math.min(Number(last), size - 1) };
}
