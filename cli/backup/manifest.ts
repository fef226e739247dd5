import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject } from '../../models/schemas/schema.ts';
import { CommandError } from '../connection.ts';

/** Format version of backups; it increases when earlier versions cannot restore them. */
export const backupFormat = 1;

/** Name of the manifest, which is written last: a backup without it is incomplete. */
export const manifestName = 'manifest.json';

/** Name of the list of blobs: one line of JSON each, with `path` below `blobs/`, `bytes` and `sha256`. */
export const blobListName = 'blobs.ndjson';

/** A file of a backup, by its path. */
export interface BackedUpFile {
  path: string;
  bytes: number;
  /** SHA-256, lower-case hex. */
  sha256: string;
}

/** The contents of a backup. */
export interface Manifest {
  format: number;
  /** Version of the program that created it. */
  program: string;
  /** Schemas of the stores, which the restoring program must know. */
  schema: { records: number; passages: number };
  /** The time of the records and passages, ISO 8601. */
  takenAt: string;
  counts: { assets: number; active: number; unfinished: number; passages: number; blobs: number; blobBytes: number };
  /** All files except for the blobs, whose list is one of them. */
  files: BackedUpFile[];
}

/** The digest and size of a file. */
export async function measured(folder: string, path: string): Promise<BackedUpFile> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const piece of createReadStream(join(folder, path)) as AsyncIterable<Buffer>) {
    hash.update(piece);
    bytes += piece.length;
  }
  return { path, bytes, sha256: hash.digest('hex') };
}

/** Flushes a file, or a folder's entries, to disk. */
export async function flush(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function digestOf(manifest: Manifest): string {
  return createHash('sha256').update(JSON.stringify(manifest)).digest('hex');
}

/** Writes the manifest with its own digest, first under a temporary name. */
export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  const unnamed = join(folder, `${manifestName}.new`);
  const handle = await open(unnamed, 'w', 0o600);
  try {
    await handle.writeFile(`${JSON.stringify({ sha256: digestOf(manifest), manifest }, null, 2)}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(unnamed, join(folder, manifestName));
  await flush(folder);
}

/** Reads a backup's manifest. @throws CommandError if there is none, it was altered, or a later version wrote it */
export async function readManifest(folder: string): Promise<Manifest> {
  const text = await readFile(join(folder, manifestName), 'utf8').catch(() => null);
  if (text === null)
    throw new CommandError(
      `${folder} contains no complete backup: it has no ${manifestName}, which is written last. Make another backup, or name another folder.`,
    );
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    // An incomplete manifest is reported like an altered one.
    parsed = null;
  }
  const held = isObject(parsed) && isObject(parsed['manifest']) ? parsed : null;
  // The content is trusted if its digest is correct.
  const manifest = held?.['manifest'] as Manifest | undefined;
  if (manifest === undefined || digestOf(manifest) !== held?.['sha256'])
    throw new CommandError(`The backup in ${folder} is damaged: ${manifestName} was altered. Take another backup.`);
  if (manifest.format > backupFormat)
    throw new CommandError(
      `The backup in ${folder} is of format ${manifest.format}, made by Ply ${manifest.program}; this version reads format ${backupFormat}. Restore it with that version.`,
    );
  return manifest;
}
