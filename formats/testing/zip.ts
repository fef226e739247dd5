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
  /** Unix mode (stat(2)): 0o120777 is a symbolic link. */
  mode?: number;
  /** Sizes follow the data instead of standing before them (4.3.9). */
  descriptor?: boolean;
  /** Sizes stand in the extra field of zip64 (4.5.3). */
  zip64?: boolean;
  /** Bytes of an extra field that the local header has and the directory does not tell of. */
  localExtraBytes?: number;
  /** The name as bytes, where it is not to be UTF-8 that says so. */
  rawName?: Buffer;
}

const utf8Flag = 0x800;
const descriptorFlag = 8;
const notHere = 0xffffffff;

/** The fields that local header and directory record share (4.3.7, from the version on). */
function sharedFields(
  entry: TestEntry,
  content: Buffer,
  packed: Buffer,
  name: Buffer,
  extraBytes: number,
  isLocal: boolean,
): Buffer {
  const follow = isLocal && entry.descriptor === true;
  const fields = Buffer.alloc(26);
  fields.writeUInt16LE(entry.zip64 === true ? 45 : 20, 0);
  fields.writeUInt16LE(
    (entry.flags ?? 0) |
      (entry.rawName === undefined ? utf8Flag : 0) |
      (entry.descriptor === true ? descriptorFlag : 0),
    2,
  );
  fields.writeUInt16LE(entry.stored === true ? 0 : 8, 4);
  fields.writeUInt32LE(follow ? 0 : crc32(content), 10);
  fields.writeUInt32LE(entry.zip64 === true ? notHere : follow ? 0 : packed.length, 14);
  fields.writeUInt32LE(entry.zip64 === true ? notHere : follow ? 0 : (entry.claimedBytes ?? content.length), 18);
  fields.writeUInt16LE(name.length, 22);
  fields.writeUInt16LE(extraBytes, 24);
  return fields;
}

function zip64Extra(entry: TestEntry, content: Buffer, packed: Buffer): Buffer {
  if (entry.zip64 !== true) return Buffer.alloc(0);
  const extra = Buffer.alloc(20);
  extra.writeUInt16LE(1, 0);
  extra.writeUInt16LE(16, 2);
  extra.writeBigUInt64LE(BigInt(entry.claimedBytes ?? content.length), 4);
  extra.writeBigUInt64LE(BigInt(packed.length), 12);
  return extra;
}

/** An extra field of nothing, of a kind that nobody knows. */
function emptyExtra(bytes: number): Buffer {
  const extra = Buffer.alloc(bytes);
  if (bytes >= 4) {
    extra.writeUInt16LE(0x9999, 0);
    extra.writeUInt16LE(bytes - 4, 2);
  }
  return extra;
}

function descriptorOf(entry: TestEntry, content: Buffer, packed: Buffer): Buffer {
  if (entry.descriptor !== true) return Buffer.alloc(0);
  const descriptor = Buffer.alloc(16);
  descriptor.write('PK\x07\x08', 'latin1');
  descriptor.writeUInt32LE(crc32(content), 4);
  descriptor.writeUInt32LE(packed.length, 8);
  descriptor.writeUInt32LE(content.length, 12);
  return descriptor;
}

/** The end of an archive (4.3.14 to 4.3.16), with zip64's where there are more entries than the old one can count. */
function endOf(count: number, directoryBytes: number, directoryAt: number): Buffer {
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(Math.min(count, 0xffff), 8);
  end.writeUInt16LE(Math.min(count, 0xffff), 10);
  end.writeUInt32LE(directoryBytes, 12);
  end.writeUInt32LE(directoryAt, 16);
  if (count < 0xffff) return end;
  const large = Buffer.alloc(56 + 20);
  large.write('PK\x06\x06', 'latin1');
  large.writeBigUInt64LE(44n, 4);
  large.writeBigUInt64LE(BigInt(count), 24);
  large.writeBigUInt64LE(BigInt(count), 32);
  large.writeBigUInt64LE(BigInt(directoryBytes), 40);
  large.writeBigUInt64LE(BigInt(directoryAt), 48);
  large.write('PK\x06\x07', 56, 'latin1');
  large.writeBigUInt64LE(BigInt(directoryAt + directoryBytes), 64);
  large.writeUInt32LE(1, 72);
  return Buffer.concat([large, end]);
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
    const name = entry.rawName ?? Buffer.from(entry.name, 'utf8');
    const extra = zip64Extra(entry, content, packed);
    const at = entry.sameBytesAs === undefined ? offset : (offsets[entry.sameBytesAs] ?? 0);
    offsets.push(at);
    if (entry.sameBytesAs === undefined) {
      const hidden = emptyExtra(entry.localExtraBytes ?? 0);
      const fields = sharedFields(entry, content, packed, name, extra.length + hidden.length, true);
      const local = Buffer.concat([
        Buffer.from('PK\x03\x04', 'latin1'),
        fields,
        name,
        extra,
        hidden,
        packed,
        descriptorOf(entry, content, packed),
      ]);
      locals.push(local);
      offset += local.length;
    }
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(((entry.mode ?? 0) << 16) >>> 0, 6);
    tail.writeUInt32LE(at, 10);
    records.push(
      Buffer.concat([
        Buffer.from('PK\x01\x02\x14\x03', 'latin1'),
        sharedFields(entry, content, packed, name, extra.length, false),
        tail,
        name,
        extra,
      ]),
    );
  }
  const directory = Buffer.concat(records);
  return Buffer.concat([...locals, directory, endOf(entries.length, directory.length, offset)]);
}
