import { csvCell } from '../../../models/csv.ts';
import type { BreakdownRow } from './breakdown.ts';

/**
 * Beginnings of texts that spreadsheets take for formulas: `=`, `+`, `-`, `@`, their full-width forms, tab and return,
 * also after spaces. See https://owasp.org/www-community/attacks/CSV_Injection
 */
const formula = /^[\p{Zs}\ufeff]*[=+\-@\uff1d\uff0b\uff0d\uff20\t\r]/u;

/** A text as a cell of RFC 4180; one that could be a formula begins with an apostrophe. */
export function textCell(text: string): string {
  return csvCell(formula.test(text) ? `'${text}` : text);
}

/** The first line of a breakdown. */
export const csvHeader = 'organization,bucket,dimension,value,bytes,requests,cache_hits,cache_misses\r\n';

/** A row of a breakdown as a line. */
export function csvLine({ organization, bucket, dimension, value, ...counts }: BreakdownRow): string {
  const texts = [organization, bucket, dimension, value].map(textCell);
  const { bytes, requests, cacheHits, cacheMisses } = counts;
  return `${[...texts, bytes, requests, cacheHits, cacheMisses].join(',')}\r\n`;
}
