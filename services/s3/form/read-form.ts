import type { IncomingMessage, ServerResponse } from 'node:http';
import { readPacedBody } from '../../../mixins/http/paced-body.ts';
import { PieceReader } from '../payload/chunks.ts';
import { pace } from '../payload/body.ts';
import { Fault } from '../protocol/faults.ts';

/** A form that a browser sends an object with. */
export interface Form {
  /** Values by names in lower case, without the file. */
  fields: ReadonlyMap<string, string>;
  fileName: string;
  /** Bytes of the file. */
  bytes: number;
  /** The bytes as they arrive. The end throws a Fault where the file is not the last field. */
  pieces: AsyncGenerator<Uint8Array>;
}

/** Bytes of all fields before the file. */
const maxFieldBytes = 64 * 1024;
const maxFields = 200;

/** Whether a request sends a form. */
export function isForm({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>): boolean {
  return method === 'POST' && /^multipart\/form-data\b/i.test(headers['content-type'] ?? '');
}

/** A parameter of a header, such as the name of a field. */
function parameterOf(header: string, name: string): string | null {
  const found = new RegExp(`(?:^|[;\\s])${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^;\\s]+))`, 'i').exec(header);
  const value = found?.[1]?.replace(/\\(["\\])/g, '$1') ?? found?.[2];
  return value === undefined ? null : Buffer.from(value, 'latin1').toString('utf8');
}

function malformed(): Fault {
  return new Fault('MalformedPOSTRequest');
}

/**
 * Reads the fields of a form (RFC 7578) up to its file, whose length follows from that of the body: it is the last field.
 * @throws Fault `MalformedPOSTRequest`, `MissingContentLength`, `InvalidArgument`
 */
export async function readForm(request: IncomingMessage, response: ServerResponse): Promise<Form> {
  const boundary = parameterOf(request.headers['content-type'] ?? '', 'boundary');
  if (boundary === null || boundary.length > 200) throw malformed();
  const length = request.headers['content-length'];
  if (length === undefined || !/^\d{1,15}$/.test(length)) throw new Fault('MissingContentLength');
  let read = 0;
  const source = async function* (): AsyncGenerator<Uint8Array> {
    for await (const piece of readPacedBody(request, response, pace)) {
      read += piece.byteLength;
      yield piece;
    }
  };
  const reader = new PieceReader(source());
  const line = async (): Promise<string> => {
    if (read - reader.buffered > maxFieldBytes) throw new Fault('MalformedPOSTRequest');
    const next = await reader.line(maxFieldBytes);
    if (next === null) throw malformed();
    return next;
  };
  const fields = new Map<string, string>();
  if ((await line()) !== `--${boundary}`) throw malformed();
  for (let count = 0; count < maxFields; count += 1) {
    const headers: string[] = [];
    for (let next = await line(); next !== ''; next = await line()) headers.push(next);
    const disposition = headers.find((each) => /^content-disposition:/i.test(each)) ?? '';
    const name = parameterOf(disposition, 'name')?.toLowerCase();
    if (name === undefined) throw malformed();
    if (name === 'file') {
      const end = Buffer.from(`\r\n--${boundary}--\r\n`);
      const bytes = Number(length) - (read - reader.buffered) - end.length;
      if (bytes < 0) throw malformed();
      return {
        fields,
        fileName: parameterOf(disposition, 'filename')?.replace(/^.*[/\\]/, '') ?? '',
        bytes,
        pieces: fileOf(reader, bytes, end),
      };
    }
    const lines: string[] = [];
    let next = await line();
    for (; next !== `--${boundary}` && next !== `--${boundary}--`; next = await line()) lines.push(next);
    fields.set(name, Buffer.from(lines.join('\r\n'), 'latin1').toString('utf8'));
    if (next === `--${boundary}--`) break;
  }
  throw new Fault('InvalidArgument', { message: 'POST requires exactly one file upload per request.' });
}

/** The bytes of the file. A boundary within them means that another field follows, which is refused. */
async function* fileOf(reader: PieceReader, bytes: number, end: Buffer): AsyncGenerator<Uint8Array> {
  const mark = end.subarray(0, end.length - 4);
  let tail = Buffer.alloc(0);
  try {
    for await (const piece of reader.bytes(bytes)) {
      const seen = Buffer.concat([tail, piece]);
      if (seen.includes(mark)) throw malformed();
      tail = Buffer.from(seen.subarray(Math.max(0, seen.length - mark.length + 1)));
      yield piece;
    }
    const last = Buffer.concat(await Array.fromAsync(reader.bytes(end.length)));
    if (!last.equals(end)) throw malformed();
  } finally {
    await reader.close();
  }
}
