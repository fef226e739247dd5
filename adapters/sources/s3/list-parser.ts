import { SaxesParser } from 'saxes';
import { SourceError } from '../port.ts';

/** A listed object. */
export interface ListedObject {
  /** As received: percent-encoded where the list declares it. */
  key: string;
  etag: string;
  /** Bytes; -1 where the list has none. */
  size: number;
}

/** Maximum depth of elements. */
const maxDepth = 16;

/** The fields of an object that are read. */
const fields: ReadonlySet<string> = new Set(['Key', 'ETag', 'Size']);

/**
 * Parses the answer to `ListObjectsV2` as a stream, and keeps three fields of each object. The S3 library's own parser
 * builds a tree first: some megabytes of garbage for each page, and a large bucket has thousands of pages. The library
 * parses the rest of the list (`remainder`).
 */
export class ListParser {
  readonly objects: ListedObject[] = [];
  readonly #parser = new SaxesParser();
  readonly #decoder = new TextDecoder();
  #depth = 0;
  #text: string | null = null;
  #object: ListedObject | null = null;
  #isTruncated: string | null = null;
  #encoding: string | null = null;

  constructor() {
    this.#parser.on('opentag', ({ name }) => this.#open(name));
    this.#parser.on('closetag', ({ name }) => this.#close(name));
    const take = (text: string): void => {
      if (this.#text !== null) this.#text += text;
    };
    this.#parser.on('text', take);
    this.#parser.on('cdata', take);
  }

  /** Parses the next bytes. @throws SourceError `refused` for anything but a list */
  write(piece: Uint8Array): void {
    this.#read(() => this.#parser.write(this.#decoder.decode(piece, { stream: true })));
  }

  /** Ends the parsing. @throws SourceError `refused` if the list is not complete */
  end(): void {
    this.#read(() => this.#parser.write(this.#decoder.decode()).close());
  }

  /** The XML of the list without its objects. */
  get remainder(): string {
    const truncation =
      this.#isTruncated === 'true' || this.#isTruncated === 'false'
        ? `<IsTruncated>${this.#isTruncated}</IsTruncated>`
        : '';
    return `<ListBucketResult>${truncation}${this.#encoding === 'url' ? '<EncodingType>url</EncodingType>' : ''}</ListBucketResult>`;
  }

  // A store may answer 200 with an error or a truncated list, which would make files appear deleted.
  #read(step: () => void): void {
    try {
      step();
    } catch {
      // The parser's message contains text of the source.
      throw new SourceError('refused', 'the bucket answered 200 without a complete list');
    }
  }

  #open(name: string): void {
    this.#depth += 1;
    if (this.#depth > maxDepth || (this.#depth === 1 && name !== 'ListBucketResult')) throw new Error('not a list');
    if (this.#depth === 2) this.#object = name === 'Contents' ? { key: '', etag: '', size: -1 } : null;
    const isKept =
      this.#depth === 2
        ? name === 'IsTruncated' || name === 'EncodingType'
        : this.#depth === 3 && this.#object !== null && fields.has(name);
    this.#text = isKept ? '' : null;
  }

  #close(name: string): void {
    this.#depth -= 1;
    const text = this.#text;
    this.#text = null;
    if (this.#depth === 1 && this.#object !== null) {
      this.objects.push(this.#object);
      this.#object = null;
    } else if (text === null) {
      return;
    } else if (this.#object === null) {
      if (name === 'IsTruncated') this.#isTruncated = text.trim();
      else this.#encoding = text.trim();
    } else if (name === 'Key') {
      this.#object.key = text;
    } else if (name === 'ETag') {
      this.#object.etag = text;
    } else {
      this.#object.size = /^\s*\d{1,15}\s*$/.test(text) ? Number(text) : -1;
    }
  }
}
