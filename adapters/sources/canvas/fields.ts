import { SourceError } from '../port.ts';

/** An object of Canvas with unchecked fields. */
export type Fields = { readonly [name: string]: unknown };

/** Whether a value is an object with string keys. */
export function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An id as digits (`1~2` for an object of another instance). @throws SourceError `refused` */
export function idOf(value: unknown): string {
  const id = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;
  if (typeof id !== 'string' || !/^\d{1,20}(~\d{1,20})?$/.test(id))
    throw new SourceError('refused', 'Canvas sent an object without a usable id');
  return id;
}

/** Compares ids by their bytes, which for digits is the order of strings. */
export function compareIds(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** An optional id. @throws SourceError `refused` */
export function optionalId(value: unknown): string | null {
  return value === null || value === undefined ? null : idOf(value);
}

/** A text; empty if there is none. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** A time in milliseconds; null if there is none, NaN where it cannot be read. */
export function timeOf(value: unknown): number | null {
  if (value === null || value === undefined || value === '') return null;
  return typeof value === 'string' ? Date.parse(value) : Number.NaN;
}
