import { resolve } from 'node:path';
import { askProgram } from '../app/operator-socket.ts';
import { systemRuntime } from '../models/runtime.ts';
import type { Configuration } from '../models/configuration/configuration.ts';
import { jobErrorCodes } from '../models/errors.ts';
import { CommandError, connect, reasonOf, type Connection } from './connection.ts';
import { isAddress, itemOfFile, itemsOf, localPaths, type Found, type Item } from './items.ts';
import { openLocalSource, type LocalSource } from './local-source.ts';
import { ProgressBar } from './progress.ts';
import {
  batchSize,
  cancelOpen,
  emptyTally,
  registerBatch,
  leftovers,
  waitForJobs,
  type Tally,
} from './registration.ts';
import { printable } from './terminal.ts';

const trustEveryMs = 2000;
const namesShown = 5;
/** How long one request is repeated while Ply or one of its stores does not respond. */
const retryMs = 10 * 60_000;
const notTrusted =
  '\nLocal files can be read by a program with embedded stores in this data folder, or by one with PLY_PRIVATE_NETWORKS=allow.';

/** Summary of `ply add`: number of files, and failures by code. */
export function summary(tally: Tally, ended: ReadonlyMap<string, readonly string[]>, seconds: number): string {
  const ready = ended.get('ready')?.length ?? 0;
  const lines = [
    `${ready} ${ready === 1 ? 'file' : 'files'} indexed in ${seconds.toFixed(1)} s; ${tally.unchanged.length} unchanged, ${tally.skipped} of other formats skipped.`,
  ];
  for (const [code, names] of ended) {
    if (code === 'ready') continue;
    const meaning = Object.hasOwn(jobErrorCodes, code)
      ? jobErrorCodes[code as keyof typeof jobErrorCodes]
      : 'The job was stopped.';
    lines.push(`${names.length} ${code}: ${meaning}`, ...listed(names));
  }
  const reasons = new Map<string, string[]>();
  for (const { name, why } of tally.refused) reasons.set(why, [...(reasons.get(why) ?? []), name]);
  for (const [why, names] of reasons) lines.push(`${names.length} not registered, ${printable(why)}`, ...listed(names));
  return lines.join('\n');
}

function listed(names: readonly string[]): string[] {
  const shown = names.slice(0, namesShown).map((name) => `    ${printable(name)}`);
  return names.length > namesShown ? [...shown, `    and ${names.length - namesShown} more`] : shown;
}

/** Keeps the program trusting the temporary source on a loopback address; null if no program listens for it. */
async function keepTrusted(configuration: Configuration, source: LocalSource): Promise<{ end: () => void } | null> {
  const trust = (): Promise<unknown> =>
    askProgram(resolve(configuration.PLY_DATA_DIR), 'sources.trust', {
      origin: source.origin,
      milliseconds: trustEveryMs * 5,
    });
  const reply = await trust().catch((error: unknown) => {
    throw new CommandError(`The program does not read files of this machine: ${reasonOf(error)}`);
  });
  if (reply === null) return null;
  const timer = setInterval(() => {
    trust().catch((error: unknown) =>
      console.error(`the program does not accept the temporary source: ${reasonOf(error)}`),
    );
  }, trustEveryMs);
  return { end: () => clearInterval(timer) };
}

async function registerAll(
  connection: Connection,
  source: LocalSource,
  found: AsyncIterable<Found>,
  tally: Tally,
  stopping: AbortSignal,
): Promise<void> {
  let batch: Item[] = [];
  for await (const one of found) {
    if (stopping.aborted) return;
    if ('skipped' in one) tally.skipped++;
    else if ('unusable' in one) tally.refused.push(one.unusable);
    else batch.push(one.item);
    if (batch.length < batchSize) continue;
    await registerBatch(connection, batch, tally);
    batch = [];
  }
  await registerBatch(connection, batch, tally);
  await registerUnfinished(connection, source, tally);
}

/** Registers again what an earlier `ply add` left unfinished, and notes what is still in progress. */
async function registerUnfinished(connection: Connection, source: LocalSource, tally: Tally): Promise<void> {
  const { again, pending } = await leftovers(connection, tally.unchanged);
  for (const [jobId, { name }] of pending) tally.pending.set(jobId, name);
  const known = new Set([...again, ...pending.values()]);
  tally.unchanged = tally.unchanged.filter((item) => !known.has(item));
  const edition = systemRuntime.now().toString(36);
  for (let start = 0; start < again.length; start += batchSize) {
    const batch = again.slice(start, start + batchSize);
    await registerBatch(
      connection,
      await Promise.all(
        batch.map(async ({ path, asset }) => itemOfFile(await source.offer(path ?? '', edition), asset.kind)),
      ),
      tally,
    );
  }
}

/** Listens for Ctrl-C while files are indexed, so that jobs are cancelled before their source goes away. */
function listenForStop(): { signal: AbortSignal; end: () => void } {
  const controller = new AbortController();
  const stop = (): void => controller.abort();
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  return {
    signal: controller.signal,
    end: () => {
      process.off('SIGINT', stop);
      process.off('SIGTERM', stop);
    },
  };
}

/**
 * `ply add <folder|file|URL>...`: indexes local files through a temporary source on this machine, and URLs as they
 * are. Relative paths start at the folder the command was run in, not at the project's folder.
 * @throws CommandError if nothing can be done, nothing was indexed, or it was stopped before the end
 */
export async function add(configuration: Configuration, targets: readonly string[]): Promise<string> {
  if (targets.length === 0) throw new CommandError('Missing what to index: npm run ply -- add <folder|file|URL>...');
  const paths = await localPaths(targets, process.env['INIT_CWD'] ?? process.cwd());
  const bar = new ProgressBar(process.stderr);
  const stop = listenForStop();
  const connection = await connect(configuration, {
    forMs: retryMs,
    signal: stop.signal,
    report: (reason) => {
      bar.clear();
      console.error(
        reason === null ? 'Ply responds again.' : `${reason}\nTrying again for up to ${retryMs / 60_000} minutes.`,
      );
    },
  });
  await connection.ask('GET', '/capabilities');
  const source = await openLocalSource();
  const startedAt = performance.now();
  let trusted: { end: () => void } | null = null;
  try {
    trusted = paths.length > 0 ? await keepTrusted(configuration, source) : null;
    const tally = emptyTally();
    await registerAll(connection, source, itemsOf(targets.filter(isAddress), paths, source), tally, stop.signal);
    const ended = await waitForJobs(connection, tally, bar, stop.signal);
    const report =
      summary(tally, ended, (performance.now() - startedAt) / 1000) +
      (paths.length > 0 && trusted === null && tally.refused.length > 0 ? notTrusted : '');
    if (stop.signal.aborted)
      throw new CommandError(
        `${report}\nStopped: ${await cancelOpen(connection, tally)} jobs cancelled. Run the same command to continue.`,
      );
    // Single files may fail, and the summary lists them. If nothing at all can be searched, a script must notice.
    if ((ended.get('ready')?.length ?? 0) + tally.unchanged.length === 0) throw new CommandError(report);
    return report;
  } finally {
    stop.end();
    trusted?.end();
    await source.close();
  }
}
