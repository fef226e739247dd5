/** Greek letters of the Symbol font by their codes from 0x41 (Adobe Symbol encoding). */
const symbolUpper = 'ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ';
const symbolLower = 'αβχδεφγηιϕκλμνοπθρστυϖωξψζ';
const symbolOther: Readonly<Record<number, string>> = {
  0xa3: '≤',
  0xa5: '∞',
  0xac: '←',
  0xad: '↑',
  0xae: '→',
  0xaf: '↓',
  0xb0: '°',
  0xb1: '±',
  0xb3: '≥',
  0xb4: '×',
  0xb5: '∝',
  0xb6: '∂',
  0xb7: '•',
  0xb8: '÷',
  0xb9: '≠',
  0xba: '≡',
  0xbb: '≈',
  0xce: '∈',
  0xd6: '√',
  0xe5: '∑',
  0xf2: '∫',
};

/** Private-use characters, in which Word stores typed symbols of symbol fonts. */
const privateUse = /[\ue000-\uf8ff]/g;

/** Text of a run, with the symbols of symbol fonts replaced by their meaning. */
export function textInFont(font: string, text: string): string {
  return text.replace(privateUse, (sign) => symbolText(font, sign.charCodeAt(0).toString(16)));
}

/**
 * The meaning of a symbol in a Word run (`w:sym`): symbol fonts use the private use area from F000. Symbols without
 * meaning as text, such as Wingdings pictures, become a space.
 */
export function symbolText(font: string, hexadecimal: string): string {
  const code = Number.parseInt(hexadecimal, 16);
  if (!(code > 0 && code <= 0xffff)) return '';
  const inFont = code >= 0xf000 && code <= 0xf0ff ? code - 0xf000 : code;
  if (/^symbol$/i.test(font)) {
    return (
      symbolUpper[inFont - 0x41] ??
      symbolLower[inFont - 0x61] ??
      symbolOther[inFont] ??
      (inFont < 0x7f ? String.fromCharCode(inFont) : ' ')
    );
  }
  if (code >= 0xe000 && code <= 0xf8ff) return ' ';
  return String.fromCharCode(code);
}
