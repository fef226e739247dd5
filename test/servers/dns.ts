import { createSocket, type RemoteInfo, type Socket as DatagramSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';

/** Records of one name; texts are single strings of any length. */
export interface DnsRecords {
  TXT?: string[];
  CNAME?: string;
  A?: string[];
  AAAA?: string[];
  CAA?: { flags: number; tag: string; value: string }[];
  /** Whether the name is the apex of a zone. */
  SOA?: boolean;
}

/** A DNS server on loopback whose records a test sets (RFC 1035 over UDP and TCP). */
export interface TestDns {
  /** As in PLY_DNS_SERVERS. */
  address: string;
  /** Records by name in lower case, without a dot at its end. */
  records: Map<string, DnsRecords>;
  /** `failing` answers SERVFAIL, `silent` nothing. */
  mode: 'answering' | 'failing' | 'silent';
  /** Names that were asked for, with the type. */
  asked: string[];
  stop(): Promise<void>;
}

const types = { A: 1, CNAME: 5, SOA: 6, TXT: 16, AAAA: 28, CAA: 257 } as const;
type RecordType = keyof typeof types;
const typeNames = new Map<number, RecordType>(Object.entries(types).map(([name, code]) => [code, name as RecordType]));
const noError = 0;
const serverFailure = 2;
const noSuchName = 3;

function encodedName(name: string): Buffer {
  const labels = name.split('.').map((label) => Buffer.from(label));
  return Buffer.concat([...labels.flatMap((label) => [Buffer.from([label.byteLength]), label]), Buffer.from([0])]);
}

/** Strings of at most 255 bytes each, with their lengths. */
function encodedText(text: string): Buffer {
  const bytes = Buffer.from(text);
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.byteLength || parts.length === 0; at += 255) {
    const part = bytes.subarray(at, at + 255);
    parts.push(Buffer.from([part.byteLength]), part);
  }
  return Buffer.concat(parts);
}

function encodedAddress(address: string): Buffer {
  if (address.includes('.')) return Buffer.from(address.split('.').map(Number));
  const [head = '', tail = ''] = address.split('::');
  const groups = (text: string): number[] => (text === '' ? [] : text.split(':').map((group) => parseInt(group, 16)));
  const [before, after] = [groups(head), groups(tail)];
  const all = [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after];
  return Buffer.from(all.flatMap((group) => [group >> 8, group & 255]));
}

/** The data of a name's records of one type. */
function dataOf(records: DnsRecords, type: RecordType): Buffer[] {
  switch (type) {
    case 'TXT':
      return (records.TXT ?? []).map(encodedText);
    case 'CNAME':
      return records.CNAME === undefined ? [] : [encodedName(records.CNAME)];
    case 'SOA':
      return records.SOA === true
        ? [Buffer.concat([encodedName('ns.invalid'), encodedName('admin.invalid'), Buffer.alloc(20)])]
        : [];
    case 'CAA':
      return (records.CAA ?? []).map(({ flags, tag, value }) =>
        Buffer.concat([Buffer.from([flags, tag.length]), Buffer.from(tag), Buffer.from(value)]),
      );
    default:
      return (records[type] ?? []).map(encodedAddress);
  }
}

function record(name: string, type: RecordType, data: Buffer): Buffer {
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(types[type], 0);
  fixed.writeUInt16BE(1, 2);
  fixed.writeUInt16BE(data.byteLength, 8);
  return Buffer.concat([encodedName(name), fixed, data]);
}

/** The answers to a question: aliases are followed within the records. */
function answersTo(all: ReadonlyMap<string, DnsRecords>, name: string, type: RecordType): Buffer[] {
  const answers: Buffer[] = [];
  for (let at = name, left = 10; left > 0; left -= 1) {
    const records = all.get(at);
    if (records === undefined) return answers;
    if (records.CNAME === undefined || type === 'CNAME')
      return [...answers, ...dataOf(records, type).map((data) => record(at, type, data))];
    answers.push(record(at, 'CNAME', encodedName(records.CNAME)));
    at = records.CNAME;
  }
  return answers;
}

function questionIn(message: Buffer): { name: string; type: RecordType | undefined; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const code = message.readUInt16BE(at + 1);
  return { name: labels.join('.').toLowerCase(), type: typeNames.get(code), end: at + 5 };
}

/** Listens on the same free port with UDP and TCP, and returns it. */
async function listenOnBoth(socket: DatagramSocket, stream: Server): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    stream.listen(0, '127.0.0.1');
    await once(stream, 'listening');
    const address = stream.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    try {
      socket.bind(port, '127.0.0.1');
      await once(socket, 'listening');
      return port;
    } catch (error) {
      if (attempt === 20) throw error;
      stream.close();
      await once(stream, 'close');
    }
  }
}

/** Starts a DNS server on a free port of loopback. */
export async function startTestDns(records: Record<string, DnsRecords> = {}): Promise<TestDns> {
  const socket = createSocket('udp4');
  const connections = new Set<Socket>();
  // Over TCP each message has its length in front (RFC 1035, 4.2.2).
  const stream = createServer((connection) => {
    let received = Buffer.alloc(0);
    connections.add(connection);
    connection.on('close', () => connections.delete(connection)).on('error', () => connection.destroy());
    connection.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      while (received.byteLength >= 2 && received.byteLength >= 2 + received.readUInt16BE(0)) {
        const end = 2 + received.readUInt16BE(0);
        const message = answer(received.subarray(2, end));
        const length = Buffer.alloc(2);
        length.writeUInt16BE(message.byteLength, 0);
        if (server.mode !== 'silent') connection.write(Buffer.concat([length, message]));
        received = received.subarray(end);
      }
    });
  });
  const server: TestDns = {
    address: '',
    records: new Map(Object.entries(records)),
    mode: 'answering',
    asked: [],
    stop: async () => {
      for (const connection of connections) connection.destroy();
      await new Promise<void>((resolve) => stream.close(() => resolve()));
      await new Promise<void>((resolve) => socket.close(() => resolve()));
    },
  };
  const answer = (message: Buffer): Buffer => {
    const { name, type, end } = questionIn(message);
    server.asked.push(`${type ?? 'other'} ${name}`);
    const answers = type === undefined ? [] : answersTo(server.records, name, type);
    const exists = [...server.records.keys()].some((known) => known === name || known.endsWith(`.${name}`));
    const code = server.mode === 'failing' ? serverFailure : exists ? noError : noSuchName;
    const header = Buffer.alloc(12);
    message.copy(header, 0, 0, 2);
    // A response (QR) that was asked for recursion (RD) and offers it (RA).
    header.writeUInt16BE(0x8180 | code, 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(code === noError ? answers.length : 0, 6);
    return Buffer.concat([header, message.subarray(12, end), ...(code === noError ? answers : [])]);
  };
  socket.on('message', (message: Buffer, { port, address }: RemoteInfo) => {
    if (server.mode === 'silent') return;
    socket.send(answer(message), port, address);
  });
  const port = await listenOnBoth(socket, stream);
  server.address = `127.0.0.1:${port}`;
  return server;
}
