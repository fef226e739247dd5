/** A string in a script, or the content of a pair of brackets. */
export type Literal = string | Branch;

/** The content of a pair of brackets: an object, a list, the arguments of a call; the file itself at the root. */
export interface Branch {
  kind: 'object' | 'list' | 'call';
  /** Its key, variable or function; empty if there is none. */
  name: string;
  children: { key: string; value: Literal }[];
}

/** The literals of a script, and how much of it is code. */
export interface Script {
  root: Branch;
  /** Number of keywords of statements and functions: data has none. */
  codeWords: number;
}

/** Maximum number of brackets and strings of one script. Larger scripts are code without course text. */
const maxLiterals = 300_000;
const deepestNesting = 400;

const codeWord = new Set([
  'function',
  'return',
  'if',
  'else',
  'for',
  'while',
  'switch',
  'case',
  'try',
  'catch',
  'throw',
  'typeof',
  'this',
  'prototype',
  'delete',
  'async',
  'await',
  'class',
  'import',
  'export',
]);
const beforeRegex = new Set([
  '(',
  ',',
  '=',
  ':',
  '[',
  '!',
  '&',
  '|',
  '?',
  '{',
  '}',
  ';',
  '+',
  '-',
  '*',
  '%',
  '<',
  '>',
  '~',
  '^',
  'return',
  'typeof',
  'case',
  '',
]);
const escapes: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  v: '\v',
  0: '\0',
  '\n': '',
  '\r': '',
};
const kinds: Readonly<Record<string, Branch['kind']>> = { '{': 'object', '[': 'list', '(': 'call' };

const word = /[\p{L}\p{Nl}$_][\p{L}\p{Nl}\p{Mn}\p{Nd}$_]*/uy;
const space = /[\s\ufeff]+/y;
const number = /\d[\w.]*/y;
/** A regular expression literal on one line (ECMA-262, 12.9.5). */
const regex = /^\/(?![*/])(?:[^\\/[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/;
/** Longer regular expressions are not recognized: searching the end of each takes quadratic time. */
const longestRegex = 1000;

function unescaped(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replace(
    /\\(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|\r\n|([\s\S]))/g,
    (_, braces: string | undefined, four: string | undefined, two: string | undefined, one: string | undefined) => {
      const code = braces ?? four ?? two;
      if (code === undefined) return one === undefined ? '' : (escapes[one] ?? one);
      const point = Number.parseInt(code, 16);
      return point <= 0x10ffff ? String.fromCodePoint(point) : '';
    },
  );
}

/** Offset after the closing quote of a string that begins at `from`; the end of the text if it is unclosed. */
function endOfString(text: string, from: number, quote: string): number {
  for (let at = from; at < text.length; at++) {
    const letter = text[at];
    if (letter === '\\') at++;
    else if (letter === quote || (letter === '\n' && quote !== '`')) return at + 1;
  }
  return text.length;
}

/**
 * Finds the strings of a script or of JSON, with the objects, lists and calls around them. The text is not executed,
 * and other syntax is skipped, so broken scripts yield what they have. Null if there are too many literals.
 */
export function literalsOf(text: string): Script | null {
  const root: Branch = { kind: 'list', name: '', children: [] };
  const stack = [root];
  let codeWords = 0;
  let literals = 0;
  /** The last token: a punctuator, a word, or `"` for a string. */
  let last = '';
  let name = '';
  let key = '';
  let joins = false;
  const matchAt = (pattern: RegExp, at: number): string | null => {
    pattern.lastIndex = at;
    return pattern.exec(text)?.[0] ?? null;
  };
  for (let at = 0; at < text.length;) {
    const letter = text[at] ?? '';
    const top = stack.at(-1) ?? root;
    if (letter === ' ' || letter === '\n' || letter === '\t' || letter === '\r') {
      at++;
      continue;
    }
    if (letter === '"' || letter === "'" || letter === '`') {
      if (++literals > maxLiterals) return null;
      const end = endOfString(text, at + 1, letter);
      const isClosed = end - 1 > at && text[end - 1] === letter;
      const value = unescaped(text.slice(at + 1, isClosed ? end - 1 : end));
      const before = top.children.at(-1);
      if (joins && typeof before?.value === 'string') before.value += value;
      else top.children.push({ key, value });
      joins = false;
      last = '"';
      at = end;
      continue;
    }
    if (letter === '/') {
      const next = text[at + 1];
      if (next === '/' || next === '*') {
        const end = text.indexOf(next === '/' ? '\n' : '*/', at + 2);
        at = end < 0 ? text.length : end + (next === '/' ? 1 : 2);
        continue;
      }
      const literal = beforeRegex.has(last) ? regex.exec(text.slice(at, at + longestRegex)) : null;
      last = literal === null ? '/' : '"';
      at += literal?.[0].length ?? 1;
      continue;
    }
    const found = matchAt(word, at);
    if (found !== null) {
      if (codeWord.has(found)) codeWords++;
      name = last === '.' ? `${name.slice(-200)}.${found}` : found;
      last = found;
      at += found.length;
      continue;
    }
    const kind = kinds[letter];
    if (kind !== undefined) {
      if (++literals > maxLiterals || stack.length > deepestNesting) return null;
      const branch: Branch = { kind, name: kind === 'call' ? name : key, children: [] };
      top.children.push({ key, value: branch });
      stack.push(branch);
      key = '';
    } else if (letter === '}' || letter === ']' || letter === ')') {
      if (stack.length > 1) stack.pop();
      key = '';
    } else if (letter === ',' || letter === ';') {
      key = '';
      name = '';
    } else if (letter === ':') {
      const before = top.children.at(-1);
      if (last === '"' && typeof before?.value === 'string') {
        key = before.value;
        top.children.pop();
      } else key = name;
    } else if (letter === '=') {
      if (text[at + 1] === '>') codeWords++;
      else key = name.slice(name.lastIndexOf('.') + 1);
    }
    joins = letter === '+' && last === '"';
    last = letter;
    at += matchAt(number, at)?.length ?? matchAt(space, at)?.length ?? 1;
  }
  return { root, codeWords };
}
