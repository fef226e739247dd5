import { createCipheriv, createHash } from 'node:crypto';

const padding = Buffer.from('28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a', 'hex');
const documentId = Buffer.from('0123456789abcdef0123456789abcdef', 'hex');
const permissions = -4;

const md5 = (...parts: readonly Uint8Array[]): Buffer => createHash('md5').update(Buffer.concat(parts)).digest();
const padded = (password: string): Buffer => Buffer.concat([Buffer.from(password, 'latin1'), padding]).subarray(0, 32);

/** The stream cipher RC4, which Node's own cryptography no longer offers. */
function rc4(key: Uint8Array, data: Uint8Array): Buffer {
  const state = Uint8Array.from({ length: 256 }, (_, index) => index);
  const swap = (a: number, b: number): void => {
    [state[a], state[b]] = [state[b] ?? 0, state[a] ?? 0];
  };
  for (let i = 0, j = 0; i < 256; i++) {
    j = (j + (state[i] ?? 0) + (key[i % key.length] ?? 0)) & 255;
    swap(i, j);
  }
  let [i, j] = [0, 0];
  return Buffer.from(
    data.map((byte) => {
      i = (i + 1) & 255;
      j = (j + (state[i] ?? 0)) & 255;
      swap(i, j);
      return byte ^ (state[((state[i] ?? 0) + (state[j] ?? 0)) & 255] ?? 0);
    }),
  );
}

/**
 * Encrypts the streams of a test PDF with 40 bits (ISO 32000-1, 7.6.3, revision 2). With an empty user password every
 * reader opens it, as most protected PDFs that forbid only printing or copying.
 */
export function encryptPdf(pdf: Buffer, userPassword: string, ownerPassword = 'owner'): Buffer {
  const owner = rc4(md5(padded(ownerPassword)).subarray(0, 5), padded(userPassword));
  const flags = Buffer.alloc(4);
  flags.writeInt32LE(permissions);
  const key = md5(padded(userPassword), owner, flags, documentId).subarray(0, 5);
  const user = rc4(key, padding);
  const encrypted = Buffer.from(pdf);
  const text = pdf.toString('latin1');
  for (const match of text.matchAll(/(\d+) 0 obj\n<<[^]*?>>\n(stream\n([^]*?)\nendstream\n)?endobj/g)) {
    if (match[3] === undefined) continue;
    const number = Buffer.alloc(5);
    number.writeUInt32LE(Number(match[1]));
    const start = match.index + match[0].indexOf('stream\n') + 'stream\n'.length;
    rc4(
      md5(key, number.subarray(0, 3), Buffer.alloc(2)).subarray(0, 10),
      encrypted.subarray(start, start + match[3].length),
    ).copy(encrypted, start);
  }
  const entry = `/Encrypt << /Filter /Standard /V 1 /R 2 /O <${owner.toString('hex')}> /U <${user.toString('hex')}> /P ${permissions} >> /ID [<${documentId.toString('hex')}> <${documentId.toString('hex')}>] `;
  const at = encrypted.lastIndexOf('/Root');
  return Buffer.concat([encrypted.subarray(0, at), Buffer.from(entry, 'latin1'), encrypted.subarray(at)]);
}

const sha256 = (...parts: readonly Uint8Array[]): Buffer => createHash('sha256').update(Buffer.concat(parts)).digest();

function aes256(key: Uint8Array, data: Uint8Array, isPadded: boolean): Buffer {
  const vector = Buffer.alloc(16);
  const cipher = createCipheriv('aes-256-cbc', key, vector).setAutoPadding(isPadded);
  return Buffer.concat([...(isPadded ? [vector] : []), cipher.update(data), cipher.final()]);
}

/**
 * The content of a page encrypted with 256 bits (ISO 32000-2, 7.6.4, revision 5), and what the trailer of its file says
 * of it, for `buildPdf`: revision 6 differs in how a password is hashed.
 */
export function encryptContent(
  content: string,
  userPassword: string,
  ownerPassword: string,
): { operators: string; trailer: string } {
  const key = sha256(Buffer.from('key of the file'));
  const [check, wrap] = [Buffer.from('validate'), Buffer.from('wrapping')];
  const hashed = (password: string, more: Uint8Array): Buffer =>
    Buffer.concat([sha256(Buffer.from(password), check, more), check, wrap]);
  const wrapped = (password: string, more: Uint8Array): Buffer =>
    aes256(sha256(Buffer.from(password), wrap, more), key, false);
  const none = Buffer.alloc(0);
  const user = hashed(userPassword, none);
  const entries = {
    O: hashed(ownerPassword, user),
    U: user,
    OE: wrapped(ownerPassword, user),
    UE: wrapped(userPassword, none),
    Perms: Buffer.alloc(16),
  };
  const values = Object.entries(entries)
    .map(([name, value]) => `/${name} <${value.toString('hex')}>`)
    .join(' ');
  return {
    operators: aes256(key, Buffer.from(content, 'latin1'), true).toString('latin1'),
    trailer: `/Encrypt << /Filter /Standard /V 5 /R 5 /Length 256 /P ${permissions} /CF << /StdCF << /CFM /AESV3 /Length 32 >> >> /StmF /StdCF /StrF /StdCF ${values} >> /ID [<01> <01>]`,
  };
}
