import { crc32, deflateRawSync } from 'node:zlib';

/** A file of a test archive. */
export interface TestEntry {
  name: string;
  content: string | Buffer;
  /** Kept as it is instead of deflated. */
  stored?: boolean;
  /** Unpacked size that the archive claims instead of the true one. */
  claimedBytes?: number;
  /** Place of another entry, by its index, whose local header this one's directory record names. */
  sameBytesAs?: number;
  flags?: number;
}

/** Builds a zip archive (APPNOTE.TXT 4.3), honest or not. */
export function buildZip(entries: readonly TestEntry[]): Buffer {
  const locals: Buffer[] = [];
  const records: Buffer[] = [];
  const offsets: number[] = [];
  let offset = 0;
  for (const entry of entries) {
    const content = Buffer.from(entry.content);
    const packed = entry.stored === true ? content : deflateRawSync(content);
    const name = Buffer.from(entry.name, 'utf8');
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE((entry.flags ?? 0) | 0x800, 2);
    fields.writeUInt16LE(entry.stored === true ? 0 : 8, 4);
    fields.writeUInt32LE(crc32(content), 10);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(entry.claimedBytes ?? content.length, 18);
    fields.writeUInt16LE(name.length, 22);
    const at = entry.sameBytesAs === undefined ? offset : offsets[entry.sameBytesAs] ?? 0;
    offsets.push(at);
    if (entry.sameBytesAs === undefined) {
      const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), fields, name, packed]);
      locals.push(local);
      offset += local.length;
    }
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(at, 10);
    records.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00', 'latin1'), fields, tail, name]));
  }
  const directory = Buffer.concat(records);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, directory, end]);
}
