import { basename, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Configuration } from '../../models/configuration/configuration.ts';
import { systemRuntime } from '../../models/runtime.ts';
import { sourcesFolder } from '../../models/video.ts';
import { filesOf, typeOf, type LocalFile } from '../bucket/local-files.ts';
import { objectsBelow } from '../bucket/lookups.ts';
import { failureLines, isSame } from '../bucket/put.ts';
import { UnfinishedUploads } from '../bucket/unfinished.ts';
import { uploadFile } from '../bucket/upload-file.ts';
import { CommandError, connect, reasonOf, type AnswerBody, type Connection } from '../connection.ts';
import { localPaths } from '../items.ts';
import { ProgressBar } from '../progress.ts';
import { printable } from '../terminal.ts';
import { followVideo } from './follow.ts';
import { findLibrary, videosOf } from './lookups.ts';

/** Films that are uploaded at a time. */
const filesAtOnce = 2;
/** How long one request is repeated while Ply or one of its stores does not respond. */
const retryMs = 10 * 60_000;
const mebibyte = 2 ** 20;

/** What became of the files. */
interface Outcome {
  uploaded: LocalFile[];
  known: LocalFile[];
  ready: number;
  /** Files that are no videos by their names. */
  others: number;
  failed: { file: LocalFile; why: string }[];
}

/** What uploading needs. */
interface Putting {
  connection: Connection;
  configuration: Configuration;
  libraryId: string;
  title: string | undefined;
  /** Whether the command waits until the videos are ready. */
  waits: boolean;
  unfinished: UnfinishedUploads;
  bar: ProgressBar;
  signal: AbortSignal;
}

/**
 * `ply video put <library> <folder|file>...`: uploads films and follows them until they are ready. Interrupted uploads go
 * on where they were, and films whose sources the library has are followed, not uploaded again.
 * @throws CommandError if a film was not uploaded or encoded, or the command was stopped before the end
 */
export async function putVideos(configuration: Configuration, words: readonly string[]): Promise<string> {
  const { values, positionals } = parseArgs({
    args: [...words],
    allowPositionals: true,
    options: { title: { type: 'string' }, 'no-wait': { type: 'boolean' } },
  });
  const [name, ...targets] = positionals;
  if (name === undefined || targets.length === 0)
    throw new CommandError('npm run ply -- video put <library> <folder|file>... [--title <title>] [--no-wait]');
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
    const { id: libraryId } = await findLibrary(connection, name);
    const found: LocalFile[] = [];
    for (const path of await localPaths(targets, process.env['INIT_CWD'] ?? process.cwd()))
      found.push(...(await filesOf(path, '')));
    const files = found.filter(({ path }) => typeOf(path).startsWith('video/'));
    const { title } = values;
    if (title !== undefined && files.length !== 1) throw new CommandError('--title is for one file.');
    const outcome = await putAll(
      {
        ...{ connection, configuration, libraryId, title, bar, signal: stopping.signal },
        waits: values['no-wait'] !== true,
        unfinished: new UnfinishedUploads(resolve(configuration.PLY_DATA_DIR)),
      },
      files,
    );
    const report = summaryOf({ ...outcome, others: found.length - files.length });
    if (stopping.signal.aborted) throw new CommandError(`${report}\nStopped. Run the same command to continue.`);
    if (outcome.failed.length > 0 || files.length === 0) throw new CommandError(report);
    return report;
  } finally {
    bar.clear();
    process.off('SIGINT', stop).off('SIGTERM', stop);
  }
}

async function putAll(putting: Putting, files: readonly LocalFile[]): Promise<Outcome> {
  const { bar, signal } = putting;
  const outcome: Outcome = { uploaded: [], known: [], ready: 0, others: 0, failed: [] };
  const total = files.reduce((sum, { size }) => sum + size, 0);
  let done = 0;
  const sent = (file: LocalFile, bytes: number): void => {
    done += bytes;
    bar.show(Math.floor(done / mebibyte), Math.ceil(total / mebibyte), `MiB  ${printable(file.key)}`);
  };
  const failed = (file: LocalFile) => (error: unknown) => {
    if (!signal.aborted) outcome.failed.push({ file, why: reasonOf(error) });
  };
  const isKnown = await knownVideos(putting, files);
  const following: Promise<void>[] = [];
  const queue = files.values();
  const upload = async (file: LocalFile): Promise<void> => {
    const known = await isKnown(file);
    const videoId = known ?? (await send(putting, file, (bytes) => sent(file, bytes)));
    if (known !== null) sent(file, file.size);
    outcome[known === null ? 'uploaded' : 'known'].push(file);
    if (!putting.waits) return;
    const ended = followVideo({ ...putting, name: basename(file.path) }, videoId).then(() => {
      outcome.ready += 1;
    }, failed(file));
    following.push(ended);
  };
  const work = async (): Promise<void> => {
    for (const file of queue) {
      if (signal.aborted) return;
      await upload(file).catch(failed(file));
    }
  };
  await Promise.all(Array.from({ length: filesAtOnce }, work));
  await Promise.all(following);
  return outcome;
}

/** Uploads a film as a new video, or goes on with one that was begun. Returns the id of the video. */
async function send(
  { connection, libraryId, title, unfinished, signal }: Putting,
  file: LocalFile,
  sent: (bytes: number) => void,
): Promise<string> {
  const start = async ({ path, size }: LocalFile): Promise<AnswerBody> => {
    const body = {
      size,
      contentType: typeOf(path),
      fileName: basename(path),
      ...(title === undefined ? {} : { title }),
    };
    const made = await connection.ask('POST', `/libraries/${libraryId}/videos`, body, systemRuntime.uuid());
    return made['upload'] as AnswerBody;
  };
  const target = { connection, bucketId: libraryId, unfinished, start, keepsAll: true, sent, signal };
  return String((await uploadFile(target, file))['videoId']);
}

/** Finds the video that a file is the source of already; one that failed does not count. */
async function knownVideos(
  { connection, libraryId }: Putting,
  files: readonly LocalFile[],
): Promise<(file: LocalFile) => Promise<string | null>> {
  const sizes = new Set(files.map(({ size }) => size));
  const sources = (await Array.fromAsync(objectsBelow(connection, libraryId, sourcesFolder))).filter(({ size }) =>
    sizes.has(size),
  );
  const bySource = new Map<string, string>();
  if (sources.length > 0)
    for await (const { id, sourceKey, status } of videosOf(connection, libraryId))
      if (status !== 'failed') bySource.set(sourceKey, id);
  return async (file) => {
    for (const source of sources) {
      const videoId = bySource.get(source.key);
      if (videoId !== undefined && (await isSame(source, file))) return videoId;
    }
    return null;
  };
}

/** Lines about what became of the films. */
function summaryOf({ uploaded, known, ready, others, failed }: Outcome): string {
  const bytes = uploaded.reduce((sum, { size }) => sum + size, 0);
  const parts = [
    `${uploaded.length} ${uploaded.length === 1 ? 'video' : 'videos'} uploaded (${(bytes / mebibyte).toFixed(1)} MiB)`,
    `${known.length} there before`,
    `${ready} ready`,
    ...(others > 0 ? [`${others} ${others === 1 ? 'file is no video' : 'files are no videos'}`] : []),
  ];
  return [`${parts.join('; ')}.`, ...failureLines(failed, 'failed')].join('\n');
}
