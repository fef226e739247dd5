import type { Runtime } from '../../../models/runtime.ts';
import type { CredentialKind } from '../../../models/storage-credential.ts';

/** Base 32 (RFC 4648, section 6): what tools accept in an access key id. */
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const idCharacters = 16;

/** A new access key id: 20 upper-case letters and digits, 80 random bits. */
export function newAccessKeyId({ secret }: Pick<Runtime, 'secret'>): string {
  const bytes = Buffer.from(secret(idCharacters), 'base64url');
  return `PLYK${Array.from(bytes, (byte) => alphabet[byte % alphabet.length]).join('')}`;
}

/** A new secret: 40 characters for S3 clients; for Blob clients base64 of 64 bytes. */
export function newSecret({ secret }: Pick<Runtime, 'secret'>, kind: CredentialKind): string {
  return kind === 's3' ? secret(30) : Buffer.from(secret(64), 'base64url').toString('base64');
}
