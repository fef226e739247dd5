import { invalid, type Refusal } from '../../models/errors.ts';

/** What a JSON text may hold at most. */
export interface JsonBounds {
  /** Values in all: texts, numbers, words, lists and objects. */
  mostValues: number;
}

/** Levels of lists and objects; valid bodies have fewer than ten, and what walks a value recursively bears this many. */
const mostLevels = 500;
/** Fields of one object: V8 takes a second of the event loop for an object with a million. */
const mostFields = 10_000;

const quote = 0x22;
const comma = 0x2c;
const backslash = 0x5c;
const openList = 0x5b;
const closeList = 0x5d;
const openObject = 0x7b;
const closeObject = 0x7d;

/**
 * Counts values and levels of a JSON text piece by piece as its bytes come, so that a text which is made to be
 * costly is refused before it is parsed (31 MB of empty lists take seconds and a gigabyte). It does not look at the
 * grammar: the parser does that. Bytes of characters outside ASCII are all above 0x7f (RFC 3629), so they are never
 * taken for one of the marks.
 */
export class JsonBoundsCheck {
  private readonly mostValues: number;
  private readonly fields = new Uint32Array(mostLevels + 1);
  private readonly isObject = new Uint8Array(mostLevels + 1);
  private values = 0;
  private level = 0;
  private inText = false;
  private escaped = false;

  constructor({ mostValues }: JsonBounds) {
    this.mostValues = mostValues;
  }

  /** Looks at the next piece. @throws Refusal `validation_error` at `body` */
  take(piece: Uint8Array): void {
    for (let at = 0; at < piece.length; at += 1) {
      const byte = piece[at];
      if (this.escaped) this.escaped = false;
      else if (this.inText) {
        if (byte === quote) this.inText = false;
        else if (byte === backslash) this.escaped = true;
      } else if (byte === quote) this.inText = true;
      else if (byte === comma) this.next();
      else if (byte === openList || byte === openObject) this.open(byte === openObject);
      else if ((byte === closeList || byte === closeObject) && this.level > 0) this.level -= 1;
    }
    if (this.values > this.mostValues) throw tooMuch(`more than ${this.mostValues} values`);
  }

  private next(): void {
    this.values += 1;
    const fields = (this.fields[this.level] ?? 0) + 1;
    this.fields[this.level] = fields;
    if (fields >= mostFields && this.isObject[this.level] === 1) throw tooMuch(`an object with more than ${mostFields} fields`);
  }

  private open(isObject: boolean): void {
    this.values += 1;
    this.level += 1;
    if (this.level > mostLevels) throw tooMuch(`more than ${mostLevels} levels`);
    this.fields[this.level] = 0;
    this.isObject[this.level] = isObject ? 1 : 0;
  }
}

function tooMuch(what: string): Refusal {
  return invalid(['body'], `The body has ${what}, which no valid one has.`);
}
