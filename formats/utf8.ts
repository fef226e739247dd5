import { isUtf8 } from 'node:buffer';
import { ExtractionFailure } from '../models/extraction-failure.ts';
import type { ReportShare, SourceFile } from './reader.ts';
import { openSource } from './source-bytes.ts';

const chunkBytes = 128 * 1024;
/** Leading bytes that are examined to distinguish UTF-16 or UTF-32 from text with a NUL. */
const probeBytes = 4096;

function notUtf8(message: string): ExtractionFailure {
  return new ExtractionFailure('text_encoding_must_be_utf8', message);
}

/** Number of bytes (0 to 3) of an incomplete character at the end of a chunk. */
export function cutOff(chunk: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, chunk.length); back++) {
    const byte = chunk[chunk.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) {
      const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return length > back ? back : 0;
    }
  }
  return 0;
}

/** UTF-16 and UTF-32 of Latin text are valid UTF-8 full of NULs: at least half of every second byte. */
function looksWide(start: Uint8Array): boolean {
  const probe = start.subarray(0, probeBytes);
  const zeros = [0, 0];
  for (let at = 0; at < probe.length; at++) if (probe[at] === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  const pairs = Math.floor(probe.length / 2);
  return pairs > 0 && Math.max(...zeros) >= pairs * 0.4;
}

/**
 * The bytes of a UTF-8 file in chunks that end between characters, without the byte order mark. A chunk is valid only
 * until the next one is requested.
 * @throws ExtractionFailure `text_encoding_must_be_utf8` for anything else.
 */
export async function* utf8Chunks(
  file: SourceFile,
  report: ReportShare,
  from = 0,
): AsyncGenerator<Buffer, void, undefined> {
  const handle = await openSource(file);
  try {
    // A small file gets a small buffer, since the system clears each one.
    const room = Math.max(1, Math.min(chunkBytes, file.bytes));
    const buffer = Buffer.allocUnsafe(room + 4);
    let held = 0;
    let position = from;
    for (;;) {
      const { bytesRead } = await handle.read(buffer, held, room, position);
      const filled = buffer.subarray(0, held + bytesRead);
      if (position === from && looksWide(filled)) throw notUtf8('the text is UTF-16 or UTF-32');
      const whole = filled.subarray(0, filled.length - (bytesRead === 0 ? 0 : cutOff(filled)));
      if (!isUtf8(whole)) throw notUtf8(`invalid UTF-8 between bytes ${position - held} and ${position + bytesRead}`);
      const marked = position === 0 && whole[0] === 0xef && whole[1] === 0xbb && whole[2] === 0xbf;
      position += bytesRead;
      if (whole.length > 0) yield marked ? whole.subarray(3) : whole;
      if (bytesRead === 0) return;
      report(file.bytes > 0 ? Math.min(1, position / file.bytes) : 1);
      held = filled.length - whole.length;
      buffer.copyWithin(0, whole.length, filled.length);
    }
  } finally {
    await handle.close();
  }
}
