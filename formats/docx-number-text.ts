/*
 * List numbers as Word displays them (ST_NumberFormat, ECMA-376 part 1, 17.18.59). Unknown formats are displayed in
 * digits.
 */

const ones = [
  '',
  'One',
  'Two',
  'Three',
  'Four',
  'Five',
  'Six',
  'Seven',
  'Eight',
  'Nine',
  'Ten',
  'Eleven',
  'Twelve',
  'Thirteen',
  'Fourteen',
  'Fifteen',
  'Sixteen',
  'Seventeen',
  'Eighteen',
  'Nineteen',
];
const tens = ['', '', 'Twenty', 'Thirty', 'Forty', 'Fifty', 'Sixty', 'Seventy', 'Eighty', 'Ninety'];
const irregularOrdinals: Readonly<Record<string, string>> = {
  One: 'First',
  Two: 'Second',
  Three: 'Third',
  Five: 'Fifth',
  Eight: 'Eighth',
  Nine: 'Ninth',
  Twelve: 'Twelfth',
};

function inWords(value: number): string {
  if (value < 1 || value > 99) return String(value);
  const one = ones[value < 20 ? value : value % 10] ?? '';
  return value < 20
    ? one
    : [tens[Math.floor(value / 10)] ?? '', one.toLowerCase()].filter((word) => word !== '').join('-');
}

/** An ordinal in words: `Twenty-first`. */
function ordinalInWords(value: number): string {
  const words = inWords(value);
  const last = /[A-Za-z]+$/.exec(words)?.[0];
  if (last === undefined) return withSuffix(value);
  const capital = last.charAt(0).toUpperCase() + last.slice(1);
  const ordinal = irregularOrdinals[capital] ?? capital.replace(/y$/, 'ie') + 'th';
  return words.slice(0, -last.length) + (last === capital ? ordinal : ordinal.toLowerCase());
}

function withSuffix(value: number): string {
  const [ten, one] = [Math.floor(value / 10) % 10, value % 10];
  return `${value}${ten === 1 ? 'th' : (['th', 'st', 'nd', 'rd'][one] ?? 'th')}`;
}

const romanDigits: readonly (readonly [number, string])[] = [
  [1000, 'm'],
  [900, 'cm'],
  [500, 'd'],
  [400, 'cd'],
  [100, 'c'],
  [90, 'xc'],
  [50, 'l'],
  [40, 'xl'],
  [10, 'x'],
  [9, 'ix'],
  [5, 'v'],
  [4, 'iv'],
  [1, 'i'],
];
/** Larger Roman numerals would be long runs of `m`. */
const maxRoman = 32_767;

function inRoman(value: number): string {
  if (value < 1 || value > maxRoman) return String(value);
  let [rest, text] = [value, ''];
  for (const [worth, digits] of romanDigits) {
    text += digits.repeat(Math.floor(rest / worth));
    rest %= worth;
  }
  return text;
}

/** Word repeats a letter at most this many times, then restarts. */
const maxRepeats = 30;

/** `a` to `z`, then `aa`, `bb`, ... */
function inLetters(value: number, alphabet: string): string {
  if (value < 1) return String(value);
  const index = (value - 1) % (alphabet.length * maxRepeats);
  return (alphabet[index % alphabet.length] ?? '').repeat(Math.floor(index / alphabet.length) + 1);
}

const hanDigits = '〇一二三四五六七八九';
const hanPowers = ['', '十', '百', '千'];

/** Numbers below ten thousand in Chinese characters; a leading `一十` is written `十`. */
function inHan(value: number): string {
  if (value < 1 || value > 9999) return String(value);
  const digits = Array.from(String(value), Number);
  let text = '';
  digits.forEach((digit, index) => {
    if (digit !== 0) text += (hanDigits[digit] ?? '') + (hanPowers[digits.length - 1 - index] ?? '');
    else if (!text.endsWith('零') && digits.slice(index).some((later) => later !== 0)) text += '零';
  });
  return text.replace(/^一十/, '十');
}

const latin = 'abcdefghijklmnopqrstuvwxyz';
const cyrillic = 'абвгдежзиклмнопрстуфхцчшщыэюя';
const heavenlyStems = '甲乙丙丁戊己庚辛壬癸';
const zodiac = '子丑寅卯辰巳午未申酉戌亥';

const formats: Readonly<Record<string, (value: number) => string>> = {
  decimalZero: (value) => String(value).padStart(2, '0'),
  lowerLetter: (value) => inLetters(value, latin),
  upperLetter: (value) => inLetters(value, latin.toUpperCase()),
  lowerRoman: inRoman,
  upperRoman: (value) => inRoman(value).toUpperCase(),
  russianLower: (value) => inLetters(value, cyrillic),
  russianUpper: (value) => inLetters(value, cyrillic.toUpperCase()),
  chineseCounting: inHan,
  chineseCountingThousand: inHan,
  taiwaneseCounting: inHan,
  taiwaneseCountingThousand: inHan,
  japaneseCounting: (value) => inHan(value).replaceAll('零', ''),
  ideographDigital: (value) => Array.from(String(value), (digit) => hanDigits[Number(digit)] ?? '').join(''),
  ideographTraditional: (value) => heavenlyStems[value - 1] ?? String(value),
  ideographZodiac: (value) => zodiac[value - 1] ?? String(value),
  none: () => '',
  bullet: () => '',
};

/** Formats in words of the document's language, in English. */
const englishFormats: Readonly<Record<string, (value: number) => string>> = {
  ordinal: withSuffix,
  cardinalText: inWords,
  ordinalText: ordinalInWords,
};

/** Maximum number of digits of a `custom` format (`001, 002, 003, ...`). */
const maxDigits = 10;

/** How a list number is displayed. */
export interface ShownNumber {
  format: string;
  /**
   * Pattern of the format `custom`, such as `001, 002, 003, ...`: the first number has the minimum number of digits.
   */
  pattern: string;
  /** Whether the document is in English; otherwise word formats are displayed in digits. */
  isEnglish: boolean;
}

/** Formats a list number. */
export function numberText(value: number, { format, pattern, isEnglish }: ShownNumber): string {
  const digits = format === 'custom' ? (/^0*1\b/.exec(pattern)?.[0].length ?? 1) : 1;
  const known = isEnglish && Object.hasOwn(englishFormats, format) ? englishFormats : formats;
  const writer = Object.hasOwn(known, format) ? known[format] : undefined;
  return writer === undefined ? String(value).padStart(Math.min(digits, maxDigits), '0') : writer(value);
}
