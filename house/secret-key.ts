import { randomBytes } from 'node:crypto';
import { chmod, link, mkdir, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * The key that seals secrets: the configured one, or one made at the first start in the data folder (mode 600).
 * @returns 32 bytes
 * @throws where the configured key is not 32 bytes
 */
export async function secretKey(configured: string | null, dataFolder: string): Promise<Uint8Array> {
  if (configured !== null) return decode(configured, 'PLY_SECRET_KEY');
  const path = join(dataFolder, 'secret.key');
  await mkdir(dataFolder, { recursive: true });
  const made = `${path}.${process.pid}`;
  const file = await open(made, 'w', 0o600);
  try {
    await file.writeFile(`${randomBytes(32).toString('base64url')}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  try {
    // A link never replaces a key that is there, and never shows half of one.
    await link(made, path);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  } finally {
    await rm(made, { force: true });
  }
  await chmod(path, 0o600);
  return decode((await readFile(path, 'utf8')).trim(), path);
}

function decode(text: string, where: string): Uint8Array {
  const bytes = Buffer.from(text, text.includes('-') || text.includes('_') ? 'base64url' : 'base64');
  if (bytes.byteLength !== 32) throw new Error(`${where} has to hold 32 bytes as base64 or base64url; make one with: openssl rand -base64 32`);
  return bytes;
}
