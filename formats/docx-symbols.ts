/** Greek letters of the font Symbol by their codes, 0x41 on (Adobe Symbol encoding). */
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

/** Signs of private use, where Word keeps those of fonts of symbols that were typed as text. */
const privateSign = /[\ue000-\uf8ff]/g;

/** Text of a run in a font, in which signs of fonts of symbols say what they mean. */
export function textInFont(font: string, text: string): string {
  return text.replace(privateSign, (sign) => symbolText(font, sign.charCodeAt(0).toString(16)));
}

/**
 * What a symbol of a Word run (`w:sym`) says: fonts of symbols keep their signs in the private use area from F000 on.
 * Signs without meaning as text, such as the pictures of Wingdings, are a space.
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
