import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Configuration } from '../../models/configuration/configuration.ts';
import type { ObjectView } from '../../models/storage-object.ts';
import { partSizeOf } from '../../models/upload.ts';
import { CommandError, connect, reasonOf, type AnswerBody, type Connection } from '../connection.ts';
import { localPaths } from '../items.ts';
import { ProgressBar } from '../progress.ts';
import { printable } from '../terminal.ts';
import { filesOf, typeOf, type LocalFile } from './local-files.ts';
import { findBucket, objectsBelow } from './lookups.ts';
import { UnfinishedUploads } from './unfinished.ts';
import { uploadFile } from './upload-file.ts';

/** Files that are uploaded at a time. */
const filesAtOnce = 4;
const namesShown = 5;
/** How long one request is repeated while Ply or one of its stores does not respond. */
const retryMs = 10 * 60_000;
const mebibyte = 2 ** 20;

/** What became of the files. */
interface Outcome {
  uploaded: LocalFile[];
  unchanged: number;
  failed: { file: LocalFile; why: string }[];
}

/**
 * `ply bucket put <name> <folder|file>...`: uploads files, several at a time. Files that the bucket has already are left
 * out, and interrupted uploads go on where they were.
 * @throws CommandError if a file could not be uploaded, or it was stopped before the end
 */
export async function putFiles(configuration: Configuration, words: readonly string[]): Promise<string> {
  const { values, positionals } = parseArgs({
    args: [...words],
    allowPositionals: true,
    options: { prefix: { type: 'string' } },
  });
  const [name, ...targets] = positionals;
  if (name === undefined || targets.length === 0)
    throw new CommandError('npm run ply -- bucket put <name> <folder|file>... [--prefix <prefix>]');
  const bar = new ProgressBar(process.stderr);
  const stopping = new AbortController();
  const stop = (): void => stopping.abort();
  process.on('SIGINT', stop).on('SIGTERM', stop);
  try {
    const connection = await connect(configuration, {
      forMs: retryMs,
      signal: stopping.signal,
      report: (reason) => {
        bar.clear();
        console.error(reason === null ? 'Ply responds again.' : `${reason}\nTrying again.`);
      },
    });
    const { id } = await findBucket(connection, name);
    const prefix = values.prefix ?? '';
    const files: LocalFile[] = [];
    for (const path of await localPaths(targets, process.env['INIT_CWD'] ?? process.cwd()))
      files.push(...(await filesOf(path, prefix)));
    const startedAt = performance.now();
    const unfinished = new UnfinishedUploads(resolve(configuration.PLY_DATA_DIR));
    const outcome = await uploadAll({ connection, bucketId: id, unfinished }, files, prefix, bar, stopping.signal);
    const report = summaryOf(outcome, (performance.now() - startedAt) / 1000);
    if (stopping.signal.aborted) throw new CommandError(`${report}\nStopped. Run the same command to continue.`);
    if (outcome.failed.length > 0) throw new CommandError(report);
    return report;
  } finally {
    bar.clear();
    process.off('SIGINT', stop).off('SIGTERM', stop);
  }
}

async function uploadAll(
  target: { connection: Connection; bucketId: string; unfinished: UnfinishedUploads },
  files: readonly LocalFile[],
  prefix: string,
  bar: ProgressBar,
  signal: AbortSignal,
): Promise<Outcome> {
  const outcome: Outcome = { uploaded: [], unchanged: 0, failed: [] };
  const present = await presentObjects(target, files, prefix);
  const total = files.reduce((sum, { size }) => sum + size, 0);
  let done = 0;
  const show = (key: string): void =>
    bar.show(Math.floor(done / mebibyte), Math.ceil(total / mebibyte), `MiB  ${printable(key)}`);
  const queue = files.values();
  const work = async (): Promise<void> => {
    for (const file of queue) {
      if (signal.aborted) return;
      const before = present.get(file.key);
      try {
        if (before !== undefined && (await isSame(before, file))) {
          outcome.unchanged += 1;
          done += file.size;
          continue;
        }
        const sent = (bytes: number): void => {
          done += bytes;
          show(file.key);
        };
        const start = ({ key, size }: LocalFile): Promise<AnswerBody> =>
          target.connection.ask('POST', `/buckets/${target.bucketId}/uploads`, { key, size, contentType: typeOf(key) });
        await uploadFile({ ...target, start, keepsAll: false, sent, signal }, file);
        outcome.uploaded.push(file);
      } catch (error) {
        if (signal.aborted) return;
        outcome.failed.push({ file, why: reasonOf(error) });
      }
    }
  };
  await Promise.all(Array.from({ length: filesAtOnce }, work));
  return outcome;
}

/** The objects that the bucket has under the keys of the files. */
async function presentObjects(
  { connection, bucketId }: { connection: Connection; bucketId: string },
  files: readonly LocalFile[],
  prefix: string,
): Promise<ReadonlyMap<string, ObjectView>> {
  const keys = new Set(files.map(({ key }) => key));
  const present = new Map<string, ObjectView>();
  for await (const object of objectsBelow(connection, bucketId, prefix))
    if (keys.has(object.key)) present.set(object.key, object);
  return present;
}

/** Whether an object has the bytes of a file, by its etag. */
export async function isSame(
  { size, etag, state }: ObjectView,
  file: Pick<LocalFile, 'path' | 'size'>,
): Promise<boolean> {
  if (state !== 'stored' || size !== file.size) return false;
  const partSize = partSizeOf(size);
  const parts: Buffer[] = [];
  for (let from = 0; from === 0 || from < size; from += partSize) {
    const hash = createHash('md5');
    if (size > 0)
      for await (const piece of createReadStream(file.path, { start: from, end: from + partSize - 1 }))
        hash.update(piece as Uint8Array);
    parts.push(hash.digest());
  }
  const [first] = parts;
  const digest = parts.length === 1 ? first : createHash('md5').update(Buffer.concat(parts)).digest();
  return etag === `"${digest?.toString('hex') ?? ''}${parts.length === 1 ? '' : `-${parts.length}`}"`;
}

/** Lines about what became of the files. */
export function summaryOf({ uploaded, unchanged, failed }: Outcome, seconds: number): string {
  const bytes = uploaded.reduce((sum, { size }) => sum + size, 0);
  const rate = bytes / mebibyte / Math.max(seconds, 0.001);
  const lines = [
    `${uploaded.length} ${uploaded.length === 1 ? 'file' : 'files'} uploaded (${(bytes / mebibyte).toFixed(1)} MiB in ${seconds.toFixed(1)} s, ${rate.toFixed(1)} MiB/s); ${unchanged} unchanged.`,
  ];
  return [...lines, ...failureLines(failed, 'not uploaded')].join('\n');
}

/** Lines about files that failed, by the reason. @param what became of them */
export function failureLines(failed: Outcome['failed'], what: string): string[] {
  const reasons = new Map<string, string[]>();
  for (const { file, why } of failed) reasons.set(why, [...(reasons.get(why) ?? []), file.path]);
  return [...reasons].flatMap(([why, paths]) => [
    `${paths.length} ${what}, ${printable(why)}`,
    ...paths.slice(0, namesShown).map((path) => `    ${printable(path)}`),
    ...(paths.length > namesShown ? [`    and ${paths.length - namesShown} more`] : []),
  ]);
}
