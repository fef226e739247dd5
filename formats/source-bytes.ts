import { open } from 'node:fs/promises';
import type { SourceFile } from './reader.ts';

/** An open source with random access. */
export interface SourceBytes {
  /** Reads up to `length` bytes at a position of the source into a buffer; 0 bytes at its end. */
  read(buffer: Buffer, offset: number, length: number, position: number): Promise<{ bytesRead: number }>;
  close(): Promise<void>;
}

/** Opens a source in a file, in memory, or within a file. */
export async function openSource(file: SourceFile): Promise<SourceBytes> {
  const { content, offset: start = 0 } = file;
  if (content !== undefined) {
    return {
      read: async (buffer, offset, length, position) => ({
        bytesRead: content.copy(buffer, offset, position, Math.min(position + length, content.length)),
      }),
      close: async () => undefined,
    };
  }
  const handle = await open(file.path, 'r');
  return {
    read: (buffer, offset, length, position) => {
      // A part of a file must not be read beyond its end.
      const available = file.offset === undefined ? length : Math.max(0, Math.min(length, file.bytes - position));
      return handle.read(buffer, offset, available, start + position);
    },
    close: () => handle.close(),
  };
}

/** The first bytes of a source; fewer than requested if it is shorter. */
export async function startOf(file: SourceFile, bytes: number): Promise<Buffer> {
  if (file.content !== undefined) return file.content.subarray(0, bytes);
  const source = await openSource(file);
  try {
    const buffer = Buffer.alloc(bytes);
    let filled = 0;
    for (;;) {
      const { bytesRead } = await source.read(buffer, filled, bytes - filled, filled);
      filled += bytesRead;
      if (bytesRead === 0 || filled === bytes) return buffer.subarray(0, filled);
    }
  } finally {
    await source.close();
  }
}

/** All bytes of a source that is known to be small. */
export function wholeSource(file: SourceFile): Promise<Buffer> {
  return startOf(file, file.bytes);
}
