/**
 * Formats numbers as a workbook's cells display them, for the common formats (ECMA-376 part 1, 18.8.30 and 18.8.31).
 * Colours and fill characters are ignored; words are English.
 */

/** Built-in formats by id. Ids from 27 are dates of East Asian editions. */
const builtIn: Readonly<Record<number, string>> = {
  1: '0',
  2: '0.00',
  3: '#,##0',
  4: '#,##0.00',
  5: '"$"#,##0;("$"#,##0)',
  6: '"$"#,##0;("$"#,##0)',
  7: '"$"#,##0.00;("$"#,##0.00)',
  8: '"$"#,##0.00;("$"#,##0.00)',
  9: '0%',
  10: '0.00%',
  11: '0.00E+00',
  14: 'm/d/yyyy',
  15: 'd-mmm-yy',
  16: 'd-mmm',
  17: 'mmm-yy',
  18: 'h:mm AM/PM',
  19: 'h:mm:ss AM/PM',
  20: 'h:mm',
  21: 'h:mm:ss',
  22: 'm/d/yyyy h:mm',
  27: 'yyyy-mm-dd',
  28: 'yyyy-mm-dd',
  29: 'yyyy-mm-dd',
  30: 'm/d/yyyy',
  31: 'yyyy-mm-dd',
  32: 'h:mm',
  33: 'h:mm:ss',
  34: 'h:mm',
  35: 'h:mm:ss',
  36: 'yyyy-mm-dd',
  37: '#,##0;-#,##0',
  38: '#,##0;-#,##0',
  39: '#,##0.00;-#,##0.00',
  40: '#,##0.00;-#,##0.00',
  41: '#,##0;(#,##0);"-"',
  42: '"$"#,##0;("$"#,##0);"-"',
  43: '#,##0.00;(#,##0.00);"-"',
  44: '"$"#,##0.00;("$"#,##0.00);"-"',
  45: 'mm:ss',
  46: '[h]:mm:ss',
  47: 'mm:ss.0',
  48: '0.0E+0',
  50: 'yyyy-mm-dd',
  51: 'yyyy-mm-dd',
  52: 'yyyy-mm-dd',
  53: 'yyyy-mm-dd',
  54: 'yyyy-mm-dd',
  57: 'yyyy-mm-dd',
  58: 'yyyy-mm-dd',
};

/** Excel accepts 255 characters; longer format codes are treated as General. */
const maxFormatLength = 1000;

/** Formats a number as a cell displays it. */
export type NumberWriter = (value: number) => string;

const months = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];
const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const dayMilliseconds = 86_400_000;

/** Characters that a number without a format takes at most, the decimal point among them. */
const generalWidth = 11;

/** Scientific notation in the width of a cell: `3.50685E-06`. */
function writeScientific(value: number): string {
  const [base = '', power = ''] = value.toExponential(5).split('e');
  return `${Number(base)}E${power.slice(0, 1)}${power.slice(1).padStart(2, '0')}`;
}

/**
 * A number without a format: whole numbers with all of the 15 digits that spreadsheets keep, others in the width of a
 * cell. Rounding errors (`0.30000000000000004`) are not displayed.
 */
export function writeGeneral(value: number): string {
  if (!Number.isFinite(value)) return '';
  const kept = Number(value.toPrecision(15));
  const written = String(kept);
  const size = Math.abs(kept);
  if (written.includes('e')) return writeScientific(kept);
  if (written.length <= generalWidth || Number.isInteger(kept)) return written;
  if (size < 1e-4) return writeScientific(kept);
  const whole = String(Math.trunc(size)).length;
  return String(Number(kept.toFixed(Math.max(0, generalWidth - 1 - whole))));
}

/** The tokens of a format: `"quoted"`, `\\x`, `[...]`, runs of one letter, AM/PM, and single characters. */
function tokensOf(format: string): string[] {
  return (
    format.match(/"[^"]*"?|\\.|\[[^\]]*\]|_.|\*.|AM\/PM|A\/P|General|(y+|m+|d+|h+|s+|e+(?![+-]))|[0#?]+|E[+-]|./gi) ??
    []
  );
}

function isDate(tokens: readonly string[]): boolean {
  return (
    tokens.some((token) => /^(y+|m+|d+|h+|s+|\[(h+|m+|s+)\])$/i.test(token)) &&
    !tokens.some((token) => /^general$/i.test(token))
  );
}

/** Literal characters of a token; empty for those that only affect layout or colour. */
function literal(token: string): string {
  if (token.startsWith('"')) return token.replaceAll('"', '');
  if (token.startsWith('\\')) return token.slice(1);
  // `[$€-407]` names a currency and a locale.
  if (token.startsWith('[$')) return token.slice(2, -1).split('-')[0] ?? '';
  if (token.startsWith('[') || token.startsWith('*')) return '';
  if (token.startsWith('_')) return ' ';
  return token;
}

/** The date of a serial day number. Day 60 of the 1900 system is 29 February 1900, which did not exist. */
function momentOf(serial: number, since1904: boolean): Date {
  const day = since1904 ? serial + 1462 : serial < 60 ? serial + 1 : serial;
  return new Date(Math.round((day - 25_569) * dayMilliseconds));
}

function dateWriter(tokens: readonly string[], since1904: boolean): NumberWriter {
  const halfDay = tokens.some((token) => /^a(m\/pm|\/p)$/i.test(token));
  const fraction = /\.(0+)/.exec(tokens.join(''))?.[1]?.length ?? 0;
  const pad = (value: number, size: number): string => String(value).padStart(size, '0');
  return (value) => {
    const moment = momentOf(fraction === 0 ? Math.round(value * 86_400) / 86_400 : value, since1904);
    if (Number.isNaN(moment.getTime()) || value < 0) return writeGeneral(value);
    // Day 0 is the value of an empty cell in a formula; it is not a date.
    const isDayNought = !since1904 && value < 1;
    const hours = moment.getUTCHours();
    const year = isDayNought ? 1900 : moment.getUTCFullYear();
    const monthNumber = isDayNought ? 0 : moment.getUTCMonth();
    let afterHour = false;
    const written = tokens
      .map((token, at) => {
        const lower = token.toLowerCase();
        const size = token.length;
        if (/^y+$/.test(lower) || /^e+$/.test(lower))
          return size <= 2 && lower.startsWith('y') ? pad(year % 100, 2) : String(year);
        if (/^d+$/.test(lower))
          return size >= 4
            ? (days[moment.getUTCDay()] ?? '')
            : size === 3
              ? (days[moment.getUTCDay()] ?? '').slice(0, 3)
              : pad(isDayNought ? 0 : moment.getUTCDate(), size);
        if (/^h+$/.test(lower)) {
          afterHour = true;
          return pad(halfDay ? hours % 12 || 12 : hours, size);
        }
        if (/^s+$/.test(lower)) return pad(moment.getUTCSeconds(), size);
        if (/^\[h+\]$/.test(lower)) {
          afterHour = true;
          return String(Math.floor(value * 24 + 1e-9));
        }
        if (/^\[m+\]$/.test(lower)) return String(Math.floor(value * 1440 + 1e-9));
        if (/^\[s+\]$/.test(lower)) return String(Math.floor(value * 86_400 + 1e-9));
        if (/^m+$/.test(lower)) {
          const isMinute =
            afterHour ||
            tokens
              .slice(at + 1)
              .find((later) => /^[ymdhs]+$/i.test(later))
              ?.toLowerCase()
              .startsWith('s') === true;
          afterHour = false;
          if (isMinute && size <= 2) return pad(moment.getUTCMinutes(), size);
          const month = months[monthNumber] ?? '';
          return size === 3
            ? month.slice(0, 3)
            : size === 5
              ? month.slice(0, 1)
              : size >= 4
                ? month
                : pad(monthNumber + 1, size);
        }
        if (/^a(m\/pm|\/p)$/.test(lower)) return hours < 12 ? 'AM' : 'PM';
        if (/^0+$/.test(token))
          return pad(Math.floor(moment.getUTCMilliseconds() / 10 ** (3 - Math.min(3, size))), Math.min(3, size));
        return literal(token);
      })
      .join('');
    return written.trim();
  };
}

/** Decimal digits of a non-negative number, rounded as in spreadsheets: to 15 digits, halves away from zero. */
function rounded(value: number, digits: number): string {
  const written = String(Number(value.toPrecision(15)));
  if (written.includes('e')) return value.toFixed(digits);
  const [whole = '', decimals = ''] = written.split('.');
  if (decimals.length <= digits) return digits === 0 ? whole : `${whole}.${decimals.padEnd(digits, '0')}`;
  return Number(`${Math.round(Number(`${written}e${digits}`))}e-${digits}`).toFixed(digits);
}

/** Whether a token is digit placeholders. */
const isDigits = (token: string): boolean => /^[0#?]+$/.test(token);

/** Fills digits into placeholders, with the characters between them: `00 00 00` of telephone numbers, `000-00-0000`. */
function laidOut(tokens: readonly string[], whole: string, decimals: string): string {
  const point = tokens.indexOf('.');
  const wholeTokens = point < 0 ? tokens : tokens.slice(0, point);
  const first = wholeTokens.findIndex(isDigits);
  let left = whole;
  let written = '';
  for (const [at, token] of [...wholeTokens.entries()].toReversed()) {
    // The first placeholders take all remaining digits.
    const from = at === first ? 0 : Math.max(0, left.length - token.length);
    written = (isDigits(token) ? left.slice(from) : token === ',' ? '' : literal(token)) + written;
    if (isDigits(token)) left = left.slice(0, from);
  }
  if (decimals !== '') written += '.';
  let at = 0;
  for (const token of point < 0 ? [] : tokens.slice(point + 1)) {
    written += isDigits(token) ? decimals.slice(at, at + token.length) : literal(token);
    if (isDigits(token)) at += token.length;
  }
  return written;
}

function plainWriter(tokens: readonly string[]): NumberWriter {
  const digits = tokens.filter(isDigits);
  if (tokens.some((token) => /^general$/i.test(token))) {
    return (value) =>
      tokens
        .map((token) => (/^general$/i.test(token) ? writeGeneral(value) : literal(token)))
        .join('')
        .trim();
  }
  if (digits.length === 0) return () => tokens.map(literal).join('').trim();
  const text = tokens.filter((token) => /^([0#?]+|[.,%]|E[+-])$/i.test(token)).join('');
  // Fractions (`# ?/?`) are written as decimals, which searches match better.
  if (tokens.includes('/')) return writeGeneral;
  const percents = (text.match(/%/g) ?? []).length;
  const [mantissa = '', exponent] = text.split(/E[+-]/i);
  const point = mantissa.indexOf('.');
  const whole = point < 0 ? mantissa : mantissa.slice(0, point);
  const after = point < 0 ? '' : mantissa.slice(point + 1).replace(/[^0#?]/g, '');
  const fixed = after.lastIndexOf('0') + 1;
  const scale = /,+(?=$|[.%])/.exec(mantissa.replaceAll('%', ''))?.[0].length ?? 0;
  const grouped = /[0#?],[0#?]/.test(whole);
  const digitPositions = whole.replace(/[^0#?]/g, '');
  const minWhole = digitPositions.includes('0') ? digitPositions.length - digitPositions.indexOf('0') : 0;
  const first = tokens.findIndex(isDigits);
  const last = tokens.findLastIndex(isDigits);
  const inner = tokens.slice(first, last + 1);
  const hasSignsBetween =
    exponent === undefined &&
    inner.some((token) => !isDigits(token) && token !== '.' && token !== ',' && literal(token) !== '');
  const write = (value: number): string => {
    const scaled = (value * 100 ** percents) / 1000 ** scale;
    if (exponent !== undefined) {
      const [base = '', power = '0'] = scaled.toExponential(Math.min(after.length, 20)).split('e');
      return `${base}E${Number(power) < 0 ? '-' : '+'}${String(Math.abs(Number(power))).padStart(exponent.length, '0')}`;
    }
    const [integer = '', decimals = ''] =
      Math.abs(scaled) < 1e21
        ? rounded(Math.abs(scaled), Math.min(after.length, 20)).split('.')
        : [writeGeneral(scaled)];
    const shown = decimals.replace(/0+$/, '').padEnd(fixed, '0');
    const padded = (minWhole === 0 && integer === '0' ? '' : integer).padStart(minWhole, '0');
    if (hasSignsBetween) return laidOut(inner, padded, shown);
    return (grouped ? padded.replace(/\B(?=(\d{3})+$)/g, ',') : padded) + (shown === '' ? '' : `.${shown}`);
  };
  const before = tokens
    .slice(0, first)
    .map((token) => (token === ',' || token === '.' ? '' : literal(token)))
    .join('');
  const behind = tokens
    .slice(last + 1)
    .map((token) => (token === ',' || token === '.' ? '' : literal(token)))
    .join('');
  return (value) => (before + write(value) + behind).trim();
}

/** Whether a section of a format applies to a number. */
type Condition = (value: number) => boolean;

/** The condition of a section: `[>=1000]`. Null if it has none. */
function conditionOf(section: string): Condition | null {
  const [, operator, written] = /^(?:\[[^\]]*\])*?\[(<=|>=|<>|<|>|=)(-?[\d.]+(?:E[+-]?\d+)?)\]/i.exec(section) ?? [];
  const than = Number(written);
  switch (operator) {
    case '<':
      return (value) => value < than;
    case '<=':
      return (value) => value <= than;
    case '>':
      return (value) => value > than;
    case '>=':
      return (value) => value >= than;
    case '=':
      return (value) => value === than;
    case '<>':
      return (value) => value !== than;
    default:
      return null;
  }
}

/**
 * Formats with the first section whose condition holds; a section without a condition applies to all other numbers, the
 * second of two to negative ones.
 */
function conditionalWriter(writers: readonly NumberWriter[], conditions: readonly (Condition | null)[]): NumberWriter {
  const isFor = (index: number, value: number): boolean => {
    const condition = conditions[index] ?? null;
    if (condition !== null) return condition(value);
    return index === writers.length - 1 || (index === 1 && value < 0);
  };
  return (value) => {
    const index = Number.isFinite(value) ? writers.findIndex((_, at) => isFor(at, value)) : -1;
    const writer = writers[index];
    if (writer === undefined) return writeGeneral(value);
    const written = writer(Math.abs(value));
    return value < 0 && written !== '' ? `-${written}` : written;
  };
}

/** Creates the writer of a format code such as `#,##0.00;[Red]-#,##0.00` or `dd/mm/yyyy`. */
export function numberWriter(format: string, since1904: boolean): NumberWriter {
  if (format === '' || /^general$/i.test(format) || format === '@' || format.length > maxFormatLength)
    return writeGeneral;
  const sections = (format.match(/(?:"[^"]*"|\\.|\[[^\]]*\]|[^;"\\[])*(?:;|$)/g) ?? [])
    .slice(0, 4)
    .map((section) => section.replace(/;$/, ''));
  // Text sections and empty trailing sections do not apply to numbers.
  while (sections.length > 1 && (sections.at(-1) === '' || tokensOf(sections.at(-1) ?? '').includes('@')))
    sections.pop();
  const writers = sections.map((section) => {
    const tokens = tokensOf(section);
    return isDate(tokens) ? dateWriter(tokens, since1904) : plainWriter(tokens);
  });
  const conditions = sections.map(conditionOf);
  if (conditions.some((condition) => condition !== null)) return conditionalWriter(writers, conditions);
  const [positive = writeGeneral, negative, zero] = writers;
  const isDateFormat = isDate(tokensOf(sections[0] ?? ''));
  const has = (index: number): boolean => index === 1 || (sections[index] ?? '') !== '';
  return (value) => {
    if (!Number.isFinite(value)) return '';
    if (value < 0)
      return negative !== undefined && has(1) && format.includes(';') && (sections[1] ?? '') !== ''
        ? negative(-value)
        : isDateFormat
          ? positive(value)
          : `-${positive(-value)}`;
    if (value === 0 && zero !== undefined && has(2)) return zero(value);
    return positive(value);
  };
}

/** The writer of a workbook's format id; its own formats take precedence over built-in ones. */
export function writerOfId(id: number, own: ReadonlyMap<number, string>, since1904: boolean): NumberWriter {
  return numberWriter(own.get(id) ?? builtIn[id] ?? '', since1904);
}
