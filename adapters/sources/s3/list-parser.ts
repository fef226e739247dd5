import { SaxesParser } from 'saxes';
import { SourceError } from '../port.ts';

/** An object as a bucket lists it. */
export interface ListedObject {
  /** As it was written: percent-encoded where the list says so. */
  key: string;
  etag: string;
  /** Bytes; -1 where the bucket does not tell. */
  size: number;
}

/** Elements deeper than this are in no list. */
const mostDepth = 16;

/** Fields of an object that are kept. */
const fields: ReadonlySet<string> = new Set(['Key', 'ETag', 'Size']);

/**
 * Reads the answer to `ListObjectsV2` as it comes, and keeps three fields of each object. The S3 library's own reader makes a
 * tree of everything first, some megabytes of garbage for each page, of which a large bucket has thousands. The rest of the
 * list is left to the library (`remainder`).
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

  /** Takes the next bytes. @throws SourceError `refused` where they are no list */
  write(piece: Uint8Array): void {
    this.#read(() => this.#parser.write(this.#decoder.decode(piece, { stream: true })));
  }

  /** Tells that nothing follows. @throws SourceError `refused` where the list is not complete */
  end(): void {
    this.#read(() => this.#parser.write(this.#decoder.decode()).close());
  }

  /** The list without its objects, in XML. */
  get remainder(): string {
    const told = this.#isTruncated === 'true' || this.#isTruncated === 'false' ? `<IsTruncated>${this.#isTruncated}</IsTruncated>` : '';
    return `<ListBucketResult>${told}${this.#encoding === 'url' ? '<EncodingType>url</EncodingType>' : ''}</ListBucketResult>`;
  }

  // A store may answer 200 with an error, or with half a list: taken as a list it would say that files are gone.
  #read(step: () => void): void {
    try {
      step();
    } catch {
      // What the parser says holds text of the source.
      throw new SourceError('refused', 'the bucket answered 200 with something that is no complete list');
    }
  }

  #open(name: string): void {
    this.#depth += 1;
    if (this.#depth > mostDepth || (this.#depth === 1 && name !== 'ListBucketResult')) throw new Error('no list');
    if (this.#depth === 2) this.#object = name === 'Contents' ? { key: '', etag: '', size: -1 } : null;
    const isKept = this.#depth === 2 ? name === 'IsTruncated' || name === 'EncodingType' : this.#depth === 3 && this.#object !== null && fields.has(name);
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
