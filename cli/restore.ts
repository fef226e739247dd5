import { createReadStream } from 'node:fs';
import { mkdir, rename, rm, rmdir } from 'node:fs/promises';
import { dirname, join, normalize, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createInterface } from 'node:readline';
import { restoringName } from '../app/restoring.ts';
import { knownSchema } from '../models/migrations.ts';
import { systemRuntime } from '../models/runtime.ts';
import type { Configuration } from '../models/configuration/configuration.ts';
import { errorCodeOf } from '../models/error-code.ts';
import { isObject } from '../models/schemas/schema.ts';
import { embeddedFolder, entriesOf, namedFolder } from './backup.ts';
import { copyMeasured, filesBelow } from './backup/blobs.ts';
import {
  blobListName,
  flush,
  manifestName,
  readManifest,
  type BackedUpFile,
  type Manifest,
} from './backup/manifest.ts';
import { Snapshot } from './backup/snapshot.ts';
import { CommandError } from './connection.ts';

/** Files of a backup except for its blobs. */
const known: ReadonlySet<string> = new Set([
  'records.db',
  'passages.db',
  'counters.sqlite',
  'secret.key',
  'operator.json',
  blobListName,
]);

function damaged(folder: string, what: string): CommandError {
  return new CommandError(`The backup in ${folder} is damaged: ${what}. Nothing was restored; take another backup.`);
}

/** Copies one file and checks it against its manifest entry. */
async function copyChecked(backup: string, path: string, to: string, expected: BackedUpFile): Promise<void> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  const copied = await copyMeasured(join(backup, path), to).catch((cause: unknown) => {
    if (errorCodeOf(cause) === 'ENOENT') throw damaged(backup, `${path} is missing`);
    throw cause;
  });
  if (copied.bytes !== expected.bytes)
    throw damaged(backup, `${path} has ${copied.bytes} bytes instead of ${expected.bytes}`);
  if (copied.sha256 !== expected.sha256) throw damaged(backup, `${path} was altered (its SHA-256 differs)`);
}

/** The blobs of a backup's list, whose digest has been checked. */
async function* listedBlobs(list: string): AsyncGenerator<BackedUpFile> {
  for await (const line of createInterface({ input: createReadStream(list), crlfDelay: Infinity })) {
    const entry: unknown = JSON.parse(line);
    if (isObject(entry))
      yield { path: String(entry['path']), bytes: Number(entry['bytes']), sha256: String(entry['sha256']) };
  }
}

/** Copies the whole backup into `staging` and checks each file. */
async function copyAll(backup: string, staging: string, { files, counts }: Manifest): Promise<void> {
  for (const file of files) {
    if (!known.has(file.path)) throw damaged(backup, `it names ${file.path}, which is not a file of a backup`);
    await copyChecked(backup, file.path, join(staging, file.path), file);
  }
  let blobs = 0;
  for await (const blob of listedBlobs(join(staging, blobListName))) {
    if (normalize(blob.path) !== blob.path || blob.path.startsWith('..') || blob.path.startsWith('/'))
      throw damaged(backup, `its list names ${blob.path}`);
    await copyChecked(backup, `blobs/${blob.path}`, join(staging, 'blobs', blob.path), blob);
    blobs += 1;
  }
  if (blobs !== counts.blobs) throw damaged(backup, `its list has ${blobs} blobs instead of ${counts.blobs}`);
  for await (const path of filesBelow(backup)) {
    if (!path.startsWith('blobs/') && path !== manifestName && !files.some((file) => file.path === path))
      throw damaged(backup, `${path} does not belong to it`);
  }
}

/** Checks that the stores are intact, and that the passages contain what the records name. */
async function checkStores(backup: string, staging: string, { counts }: Manifest): Promise<void> {
  const snapshot = await Snapshot.take(staging, systemRuntime.now);
  try {
    let assets = 0;
    for (const named of snapshot.named()) {
      assets += 1;
      if (named.active !== null && snapshot.passagesOf(named, named.active.revision) < named.active.passages)
        throw damaged(backup, `passages.db lacks passages of asset ${named.assetId}`);
    }
    if (assets !== counts.assets) throw damaged(backup, `records.db has ${assets} files instead of ${counts.assets}`);
  } finally {
    snapshot.close();
  }
  // Opened for writing, so that SQLite removes its -wal and -shm files when the connection closes.
  for (const name of ['records.db', 'passages.db']) {
    const database = new DatabaseSync(join(staging, name));
    try {
      const { integrity_check: verdict } = database.prepare('pragma integrity_check(1)').get() ?? {};
      if (verdict !== 'ok') throw damaged(backup, `${name}: ${String(verdict)}`);
    } finally {
      database.close();
    }
  }
}

/** Moves the restored files into place, the records last: without them there is no data folder. */
async function moveIn(staging: string, data: string): Promise<void> {
  const entries = (await entriesOf(staging)).filter((name) => name !== 'records.db' && name !== blobListName);
  for (const name of [...entries, 'records.db']) await rename(join(staging, name), join(data, name));
  await rm(join(staging, blobListName));
  await flush(data);
  await rmdir(staging);
  await flush(data);
}

/**
 * `ply restore <folder>`: restores a backup into an empty data folder. Every byte is checked against the manifest
 * before anything is moved into place. After the next start, unfinished jobs are queued again.
 */
export async function restore(configuration: Configuration, words: readonly string[]): Promise<string> {
  const data = embeddedFolder(configuration);
  const backup = namedFolder(words, 'npm run ply -- restore <folder>');
  const manifest = await readManifest(backup);
  const newest = Math.max(manifest.schema.records, manifest.schema.passages);
  if (newest > knownSchema)
    throw new CommandError(
      `The backup in ${backup} is of schema ${newest}, made by Ply ${manifest.program}; this version reads schema ${knownSchema}. Restore it with that version or a later one.`,
    );
  if ((await entriesOf(data)).length > 0) {
    throw new CommandError(
      `${data} is not empty${(await entriesOf(data)).includes('operator.sock') ? ', and a program may be running on it' : ''}. A backup is restored into an empty folder: name another with PLY_DATA_DIR, or stop the program and move the folder away.`,
    );
  }
  const staging = join(data, restoringName);
  await mkdir(staging, { recursive: true, mode: 0o700 });
  try {
    await copyAll(backup, staging, manifest);
    await checkStores(backup, staging, manifest);
  } catch (error) {
    // The folder is empty again.
    await rm(staging, { recursive: true, force: true });
    throw error;
  }
  await moveIn(staging, data);
  const { takenAt, counts } = manifest;
  const secret = manifest.files.some(({ path }) => path === 'secret.key')
    ? ''
    : ' Set PLY_SECRET_KEY to its value at the time of the backup.';
  return `Restored into ${resolve(data)}, as of ${takenAt}: ${counts.assets} files (${counts.active} searchable, ${counts.unfinished} in progress), ${counts.passages} passages. All checksums are correct.${secret} Start with: npm start`;
}
