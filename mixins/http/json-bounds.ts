import { invalid, type Refusal } from '../../models/errors.ts';

/** Limits of a JSON text. */
export interface JsonBounds {
  /** All values: strings, numbers, literals, arrays and objects. */
  maxValues: number;
}

/**
 * Levels of arrays and objects; valid bodies have fewer than ten, and recursive functions can take this many.
 */
const maxLevels = 500;
/** Fields of one object: V8 blocks the event loop for a second to parse an object with a million. */
const maxFields = 10_000;

const quote = 0x22;
const comma = 0x2c;
const backslash = 0x5c;
const openList = 0x5b;
const closeList = 0x5d;
const openObject = 0x7b;
const closeObject = 0x7d;

/**
 * Counts values and levels of a JSON text as its bytes arrive, so that a text which is made to be costly is refused
 * before it is parsed (31 MB of empty arrays take seconds and a gigabyte). The grammar is left to the parser. Bytes of
 * characters outside ASCII are all above 0x7f (RFC 3629), so they are never taken for punctuation.
 */
export class JsonBoundsCheck {
  private readonly maxValues: number;
  private readonly fields = new Uint32Array(maxLevels + 1);
  private readonly isObject = new Uint8Array(maxLevels + 1);
  private values = 0;
  private level = 0;
  private inText = false;
  private escaped = false;

  constructor({ maxValues }: JsonBounds) {
    this.maxValues = maxValues;
  }

  /** Counts the next piece. @throws Refusal `validation_error` at `body` */
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
    if (this.values > this.maxValues) throw tooMuch(`more than ${this.maxValues} values`);
  }

  private next(): void {
    this.values += 1;
    const fields = (this.fields[this.level] ?? 0) + 1;
    this.fields[this.level] = fields;
    if (fields >= maxFields && this.isObject[this.level] === 1)
      throw tooMuch(`an object with more than ${maxFields} fields`);
  }

  private open(isObject: boolean): void {
    this.values += 1;
    this.level += 1;
    if (this.level > maxLevels) throw tooMuch(`more than ${maxLevels} levels`);
    this.fields[this.level] = 0;
    this.isObject[this.level] = isObject ? 1 : 0;
  }
}

function tooMuch(what: string): Refusal {
  return invalid(['body'], `The body has ${what}, which no valid one has.`);
}
