import { languageDefinitions } from './languages.ts';

/**
 * Replaces the separator inside a number (`3.14`), to distinguish it from `314`. It is a letter by its Unicode category
 * (Lm), so that every tokeniser leaves it inside the token.
 */
export const innerPoint = '\u02d1';

/** Whether a run is digits with single points or commas between them. */
export function isNumberRun(run: string): boolean {
  return /^\p{Nd}+(?:[.,]\p{Nd}+)+$/u.test(run);
}

/**
 * An amount of a query without its thousands separators, or null: a user may write ten thousand as `10.000`, whatever
 * the language of the library.
 */
export function amountOf(run: string): string | null {
  return /^\p{Nd}{1,3}(?:[.,]\p{Nd}{3})+$/u.test(run) ? run.replaceAll(/[.,]/g, '') : null;
}

/**
 * Interprets a number in a language: `10,000` in English and `10.000` in German are one amount `10000`; `3.14` is one
 * with an inner point; `1.2.3` is a version or date (whole and parts); `1,2,3` in English is a list. `whole` is null
 * for a list.
 */
export function readNumber(run: string, language: string): { whole: string | null; withParts: boolean } {
  const [group, decimal] = languageDefinitions.get(language)?.decimalComma === true ? ['.', ','] : [',', '.'];
  const amount = new RegExp(`^\\p{Nd}{1,3}(?:[${group}]\\p{Nd}{3})+(?:[${decimal}]\\p{Nd}+)?$`, 'u');
  const simple = new RegExp(`^\\p{Nd}+[${decimal}]\\p{Nd}+$`, 'u');
  if (amount.test(run) || simple.test(run))
    return { whole: run.replaceAll(group, '').replace(decimal, innerPoint), withParts: false };
  if (/^\p{Nd}+(?:\.\p{Nd}+)+$/u.test(run)) return { whole: run.replaceAll('.', innerPoint), withParts: true };
  return { whole: null, withParts: true };
}
