import type { PackedRows } from '../messages.ts';

/** A row of a passage for tests of the index: words without a text. @param length in words */
export function passageRow(ordinal: number, stems: string, length: number): PackedRows['rows'][number] {
  return { ordinal, text: '', stems, length, location: {}, language: null, speaker: null, analysedAs: 'en' };
}
