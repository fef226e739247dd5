import { unsure, type ParsedDocuments } from './parsed.ts';

/** A change of one document that has been sent to the writer. */
export interface SentChange {
  key: string;
  /** Version of its table's collective removals when it was sent. */
  removals: number;
}

interface UnderWay {
  open: number;
  /** Whether another change of the document was sent before this one was done. */
  isMixed: boolean;
}

/**
 * Tells which documents that were read are so still, and need not be read again. No other process writes the file: a
 * document is as it was read as long as no change of it is sent, and is what its change answered once that is done.
 */
export class Freshness {
  readonly #parsed: ParsedDocuments;
  /** For each collection a number that grows when a write is sent and when it is done. */
  readonly #writes = new Map<string, number>();
  /** The same of removals whose documents are not told one by one. */
  readonly #removals = new Map<string, number>();
  /** Documents of which changes are under way, by their keys. */
  readonly #underWay = new Map<string, UnderWay>();

  constructor(parsed: ParsedDocuments) {
    this.#parsed = parsed;
  }

  /** Of answers that hold while nothing is written to the collection. */
  ofCollection(name: string): number {
    return this.#writes.get(name) ?? 0;
  }

  /** Of a document: `unsure` while a change of it is under way. */
  ofDocument(name: string, key: string): number {
    return this.#underWay.has(key) ? unsure : (this.#removals.get(name) ?? 0);
  }

  /** Something is written to a collection, or was. */
  written(name: string): void {
    this.#writes.set(name, this.ofCollection(name) + 1);
  }

  /** Documents are removed from a collection, or were. */
  removed(name: string): void {
    this.#removals.set(name, (this.#removals.get(name) ?? 0) + 1);
  }

  /** A change of a document is about to be sent. */
  sent(name: string, key: string): SentChange {
    const known = this.#underWay.get(key);
    if (known === undefined) this.#underWay.set(key, { open: 1, isMixed: false });
    else Object.assign(known, { open: known.open + 1, isMixed: true });
    this.#parsed.doubt(key);
    return { key, removals: this.#removals.get(name) ?? 0 };
  }

  /** It was done, or failed. Answers whether the document is what this change has made of it, whatever else was sent. */
  done(name: string, { key, removals }: SentChange): boolean {
    const known = this.#underWay.get(key);
    if (known === undefined) return false;
    known.open -= 1;
    if (known.open > 0) return false;
    this.#underWay.delete(key);
    return !known.isMixed && removals === (this.#removals.get(name) ?? 0);
  }
}
