import type { ContentRange, StoredPart } from './port.ts';

/** Form of a content of one part, before the part's name. */
export const formOfPart = 'part:';
/** Form of a content whose parts are in a list. */
export const formOfList = 'list';

/** A content made of several parts, as its list says. */
export interface PartList {
  parts: StoredPart[];
}

const contentShape = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const partShape = /^[A-Za-z0-9_-]{1,100}$/;

/** @throws Error if a text is no content's id */
export function checkContent(content: string): string {
  if (!contentShape.test(content)) throw new Error(`not a content's id: ${JSON.stringify(content.slice(0, 100))}`);
  return content;
}

/** @throws Error if a text is no part's name */
export function checkPart(part: string): string {
  if (!partShape.test(part)) throw new Error(`not a part's name: ${JSON.stringify(part.slice(0, 100))}`);
  return part;
}

/** The ranges of the parts that make a range of a content. @throws Error if the parts are shorter than the range */
export function* extentsOf(
  { parts }: PartList,
  range: ContentRange,
): Generator<{ name: string; range: ContentRange }, void, undefined> {
  let start = 0;
  for (const { name, bytes } of parts) {
    const end = start + bytes;
    if (end > range.from && start <= range.to)
      yield { name, range: { from: Math.max(0, range.from - start), to: Math.min(bytes, range.to + 1 - start) - 1 } };
    start = end;
  }
  if (range.to >= start) throw new Error('a content is shorter than its record says');
}

/** The readers of this process by content: what is read is not removed. */
export class Readers {
  readonly #counts = new Map<string, number>();

  /** Whether somebody reads the content. */
  has(content: string): boolean {
    return this.#counts.has(content);
  }

  /** Passes pieces on; the content has a reader until they end, or until nobody takes them any more. */
  async *during(content: string, pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    this.#counts.set(content, (this.#counts.get(content) ?? 0) + 1);
    try {
      yield* pieces;
    } finally {
      const left = (this.#counts.get(content) ?? 1) - 1;
      if (left === 0) this.#counts.delete(content);
      else this.#counts.set(content, left);
    }
  }
}
