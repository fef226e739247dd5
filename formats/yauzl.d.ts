/** The part of yauzl 3 that is used here; the package has no types of its own. */
declare module 'yauzl' {
  import type { Readable } from 'node:stream';

  export interface Entry {
    fileNameRaw: Buffer;
    extraFields: { id: number; data: Buffer }[];
    generalPurposeBitFlag: number;
    externalFileAttributes: number;
    compressionMethod: number;
    compressedSize: number;
    uncompressedSize: number;
    relativeOffsetOfLocalHeader: number;
    isEncrypted(): boolean;
  }

  export interface ZipFile {
    entryCount: number;
    eachEntry(): AsyncIterableIterator<Entry>;
    openReadStreamPromise(entry: Entry): Promise<Readable>;
    close(): void;
  }

  export interface Options {
    autoClose?: boolean;
    lazyEntries?: boolean;
    decodeStrings?: boolean;
    validateEntrySizes?: boolean;
    strictFileNames?: boolean;
  }

  export class RandomAccessReader {
    _readStreamForRange(start: number, end: number): Readable;
    read(
      buffer: Buffer,
      offset: number,
      length: number,
      position: number,
      callback: (error: Error | null) => void,
    ): void;
  }

  const yauzl: {
    RandomAccessReader: typeof RandomAccessReader;
    fromRandomAccessReaderPromise(reader: RandomAccessReader, totalSize: number, options?: Options): Promise<ZipFile>;
    openPromise(path: string, options?: Options): Promise<ZipFile>;
    fromBufferPromise(buffer: Buffer, options?: Options): Promise<ZipFile>;
    getFileNameLowLevel(
      flags: number,
      name: Buffer,
      extraFields: { id: number; data: Buffer }[],
      strictFileNames: boolean,
    ): string;
  };
  export default yauzl;
}
