import { existsSync } from 'node:fs';
import { chmod, mkdir, open, readdir } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import { parseArgs } from 'node:util';
import { backup as copyDatabase, DatabaseSync } from 'node:sqlite';
import { programVersion } from '../models/program-version.ts';
import { systemRuntime } from '../models/runtime.ts';
import type { Configuration } from '../models/configuration/configuration.ts';
import { errorCodeOf } from '../models/error-code.ts';
import { BlobCopy, copyMeasured } from './backup/blobs.ts';
import { backupFormat, blobListName, flush, measured, writeManifest, type Manifest } from './backup/manifest.ts';
import { backupEvery, intervalOf } from './backup/schedule.ts';
import { Snapshot } from './backup/snapshot.ts';
import { CommandError } from './connection.ts';

/** Attempts to take a snapshot whose blobs still exist when they are copied. */
const maxSnapshots = 5;

/** Files that are copied unchanged, if they exist: they are written once, or replaced as a whole. */
const plainFiles = ['secret.key', 'operator.json'];

/** The data folder of an embedded program. @throws CommandError if stores are elsewhere */
export function embeddedFolder(configuration: Configuration): string {
  const elsewhere = (['PLY_NATS_URL', 'PLY_MONGO_URL', 'PLY_MILVUS_URL', 'PLY_BLOBS_URL'] as const).filter(
    (name) => configuration[name] !== null,
  );
  if (elsewhere.length > 0)
    throw new CommandError(
      `${elsewhere.join(', ')}: these stores are backed up and restored by their own means. "Backup in a cluster" in docs/operations.md says how.`,
    );
  return resolve(configuration.PLY_DATA_DIR);
}

/** A folder from the command line, relative to the caller's folder. */
export function namedFolder(words: readonly string[], usage: string): string {
  const [folder, ...more] = words;
  if (folder === undefined || more.length > 0) throw new CommandError(`Missing the folder: ${usage}`);
  return resolve(process.env['INIT_CWD'] ?? process.cwd(), folder);
}

/** The entries of a folder; none if it does not exist. */
export async function entriesOf(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: unknown) => {
    if (errorCodeOf(error) === 'ENOENT') return [];
    throw error;
  });
}

/** A snapshot whose records name only blobs that were copied or already missing, and how many were missing. */
async function takeSnapshot(data: string, blobs: BlobCopy): Promise<{ snapshot: Snapshot; missing: number }> {
  let missingBefore = new Set<string>();
  for (let taken = 1; ; taken += 1) {
    const snapshot = await Snapshot.take(data, systemRuntime.now);
    try {
      await blobs.pass();
      const missing = new Set<string>();
      for (const named of snapshot.named()) {
        for (const key of named.blobs) if (!snapshot.hasText(key) && !blobs.has(key)) missing.add(key);
        if (named.active !== null && snapshot.passagesOf(named, named.active.revision) < named.active.passages) {
          throw new CommandError(
            `The passage index lacks passages of asset ${named.assetId}. Reindex it (POST .../assets/${named.assetId}/reindex), then take the backup.`,
          );
        }
      }
      // A blob that was already missing was not removed in between.
      if (missing.size === 0 || [...missing].every((key) => missingBefore.has(key)) || taken === maxSnapshots)
        return { snapshot, missing: missing.size };
      missingBefore = missing;
      snapshot.close();
    } catch (error) {
      snapshot.close();
      throw error;
    }
  }
}

function countsOf(snapshot: Snapshot): Pick<Manifest['counts'], 'assets' | 'active' | 'unfinished' | 'passages'> {
  const counts = { assets: 0, active: 0, unfinished: 0, passages: snapshot.countPassages() };
  for (const { active, inProgress } of snapshot.named()) {
    counts.assets += 1;
    if (active !== null) counts.active += 1;
    if (inProgress !== null) counts.unfinished += 1;
  }
  return counts;
}

async function writeBlobList(target: string, blobs: BlobCopy): Promise<{ blobs: number; blobBytes: number }> {
  const counts = { blobs: 0, blobBytes: 0 };
  const list = await open(join(target, blobListName), 'w', 0o600);
  try {
    for (const file of blobs.files()) {
      await list.writeFile(`${JSON.stringify(file)}\n`);
      counts.blobs += 1;
      counts.blobBytes += file.bytes;
    }
    await list.sync();
  } finally {
    await list.close();
  }
  return counts;
}

/**
 * Copies the counters, which nothing refers to, the secret key, and the stored API address and key. Returns the file
 * names.
 */
async function copyRest(data: string, target: string): Promise<string[]> {
  const copied: string[] = [];
  if (existsSync(join(data, 'counters.sqlite'))) {
    const counters = new DatabaseSync(join(data, 'counters.sqlite'), { readOnly: true, timeout: 10_000 });
    try {
      await copyDatabase(counters, join(target, 'counters.sqlite'), { rate: 2000 });
    } finally {
      counters.close();
    }
    copied.push('counters.sqlite');
  }
  for (const name of plainFiles) {
    if (!existsSync(join(data, name))) continue;
    await copyMeasured(join(data, name), join(target, name));
    copied.push(name);
  }
  return copied;
}

const usage = 'npm run ply -- backup <folder> [--every <6h> [--keep <7>]]';
const defaultKeep = 7;

/**
 * `ply backup <folder>`: takes one backup into an empty folder. With `--every`, takes one into a new folder below it now and
 * after each interval, until it is stopped, and keeps the newest ones.
 */
export async function backup(configuration: Configuration, words: readonly string[]): Promise<string> {
  const { folders, every, keep } = parseWords(words);
  if (every === undefined) return takeBackup(configuration, namedFolder(folders, usage));
  const [folder, data] = [namedFolder(folders, usage), embeddedFolder(configuration)];
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => controller.abort());
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await backupEvery({
    folder,
    data,
    everyMs: intervalOf(every),
    keep,
    take: (target) => takeBackup(configuration, target),
    report: (line) => console.log(line),
    now: systemRuntime.now,
    signal: controller.signal,
  });
  return 'Stopped.';
}

function parseWords(words: readonly string[]): { folders: string[]; every: string | undefined; keep: number } {
  try {
    const options = { every: { type: 'string' }, keep: { type: 'string' } } as const;
    const { values, positionals } = parseArgs({ args: [...words], allowPositionals: true, options });
    const keep = Number(values.keep ?? defaultKeep);
    if (!Number.isInteger(keep) || keep < 1) throw new Error('--keep must be a whole number of at least 1');
    if (values.keep !== undefined && values.every === undefined) throw new Error('--keep belongs to --every');
    return { folders: positionals, every: values.every, keep };
  } catch (error) {
    throw new CommandError(`${error instanceof Error ? error.message : 'the arguments are not valid'}: ${usage}`);
  }
}

/**
 * Copies an embedded program's data while it runs. The order makes the copy consistent: blobs
 * first, then one moment of records and passages, then the blobs added meanwhile ("Backup" in docs/operations.md).
 */
async function takeBackup(configuration: Configuration, target: string): Promise<string> {
  const data = embeddedFolder(configuration);
  if (!existsSync(join(data, 'records.db')))
    throw new CommandError(`There is nothing to back up in ${data}. PLY_DATA_DIR names the data folder.`);
  if (`${target}${sep}`.startsWith(`${data}${sep}`))
    throw new CommandError(`${target} is inside the data folder: choose another folder, best on another disk.`);
  if ((await entriesOf(target)).length > 0)
    throw new CommandError(`${target} is not empty: name a folder that is, or that does not exist yet.`);
  await mkdir(target, { recursive: true, mode: 0o700 });
  await chmod(target, 0o700);
  const blobs = new BlobCopy(join(data, 'blobs'), join(target, 'blobs'), join(target, '.copied'));
  try {
    await blobs.pass();
    const { snapshot, missing } = await takeSnapshot(data, blobs);
    try {
      await snapshot.copyTo(target);
      // Blobs that no record names are not kept: erased data must not come back.
      await blobs.keepOnly(
        (path) =>
          snapshot.namedOf(path.split('/')[2] ?? '')?.folders.some((folder) => path.startsWith(folder)) === true,
      );
      const rest = await copyRest(data, target);
      const listed = await writeBlobList(target, blobs);
      await blobs.close();
      const files = ['records.db', 'passages.db', ...rest, blobListName];
      for (const name of files) {
        await chmod(join(target, name), 0o600);
        await flush(join(target, name));
      }
      const manifest: Manifest = {
        format: backupFormat,
        program: programVersion,
        schema: snapshot.schema(),
        takenAt: new Date(snapshot.takenAt).toISOString(),
        counts: { ...countsOf(snapshot), ...listed },
        files: await Promise.all(files.map((name) => measured(target, name))),
      };
      await writeManifest(target, manifest);
      return summary(target, manifest, missing);
    } finally {
      snapshot.close();
    }
  } finally {
    await blobs.close();
  }
}

function summary(target: string, { takenAt, counts, files }: Manifest, missing: number): string {
  const lines = [
    `Backed up to ${target}, as of ${takenAt}: ${counts.assets} files (${counts.active} searchable, ${counts.unfinished} in progress), ${counts.passages} passages, ${counts.blobs} blobs outside of the records.`,
  ];
  if (missing > 0)
    lines.push(
      `${missing} files lack their extracted text, as they do in the data folder: reindex them before the embedding model is changed.`,
    );
  lines.push(
    files.some(({ path }) => path === 'secret.key')
      ? 'It holds secret.key, which opens the sealed secrets in it: protect it like the data folder.'
      : 'Store PLY_SECRET_KEY separately: without it the sealed secrets in the backup cannot be opened.',
  );
  return lines.join('\n');
}
