import { randomBytes } from 'node:crypto';
import { chmod, link, mkdir, open, readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { keyIdOf, sealer, type OtherKeys, type Sealer } from '../mixins/sealing.ts';
import type { Runtime } from '../models/runtime.ts';
import type { Configuration } from '../models/configuration/configuration.ts';
import { errorCodeOf } from '../models/error-code.ts';

/** The variables that name secret keys, and the folder where the key is without them. */
export type KeySettings = Pick<
  Configuration,
  'PLY_SECRET_KEY' | 'PLY_NEXT_SECRET_KEY' | 'PLY_FORMER_SECRET_KEYS' | 'PLY_DATA_DIR'
>;

/** The deployment's secret keys: the one that seals, and the others. */
export interface SecretKeys extends Required<OtherKeys> {
  current: Uint8Array;
}

/**
 * The deployment's secret keys. The current one is the configured one, else the first line of `secret.key` in the data
 * folder, which is made at the first start (mode 600); further lines there are former keys.
 * @throws where one of them is not 32 bytes, or is given twice
 */
export async function secretKeys({
  PLY_SECRET_KEY: configured,
  PLY_NEXT_SECRET_KEY: next,
  PLY_FORMER_SECRET_KEYS: former,
  PLY_DATA_DIR: folder,
}: KeySettings): Promise<SecretKeys> {
  const [current, ...kept] =
    configured === null ? await keysInFile(resolve(folder)) : [decode(configured, 'PLY_SECRET_KEY')];
  const keys = {
    current,
    next: next === null ? null : decode(next, 'PLY_NEXT_SECRET_KEY'),
    former: [...kept, ...former.map((text, at) => decode(text, `PLY_FORMER_SECRET_KEYS (key ${at + 1})`))],
  };
  const ids = [keys.current, ...(keys.next === null ? [] : [keys.next]), ...keys.former].map(keyIdOf);
  const twice = ids.find((id, at) => ids.indexOf(id) !== at);
  // Whoever means to change the key and gives the old one as both would believe that nothing is sealed with it any
  // more.
  if (twice !== undefined)
    throw new Error(
      `the secret key ${twice} is given twice: PLY_SECRET_KEY, PLY_NEXT_SECRET_KEY and PLY_FORMER_SECRET_KEYS have to name different keys`,
    );
  return keys;
}

/** Seals with the deployment's keys, as `secretKeys` finds them. */
export async function openSealer(settings: KeySettings, runtime: Pick<Runtime, 'secret'>): Promise<Sealer> {
  const keys = await secretKeys(settings);
  return sealer(keys.current, runtime, keys);
}

/** Whether former keys are named, in the variable or in the file; nothing is made. */
export async function knowsFormerKeys({
  PLY_SECRET_KEY: configured,
  PLY_FORMER_SECRET_KEYS: former,
  PLY_DATA_DIR: folder,
}: KeySettings): Promise<boolean> {
  if (former.length > 0 || configured !== null) return former.length > 0;
  const text = await readFile(join(resolve(folder), 'secret.key'), 'utf8').catch(() => '');
  return linesOf(text).length > 1;
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

async function keysInFile(folder: string): Promise<[Uint8Array, ...Uint8Array[]]> {
  const path = join(folder, 'secret.key');
  await mkdir(folder, { recursive: true });
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
    if (errorCodeOf(error) !== 'EEXIST') throw error;
  } finally {
    await rm(made, { force: true });
  }
  await chmod(path, 0o600);
  const [first = '', ...more] = linesOf(await readFile(path, 'utf8'));
  return [decode(first, path), ...more.map((line, at) => decode(line, `${path} (line ${at + 2})`))];
}

function decode(text: string, where: string): Uint8Array {
  const bytes = Buffer.from(text, text.includes('-') || text.includes('_') ? 'base64url' : 'base64');
  if (bytes.byteLength !== 32)
    throw new Error(`${where} has to hold 32 bytes as base64 or base64url; make one with: openssl rand -base64 32`);
  return bytes;
}
