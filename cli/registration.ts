import { setTimeout as pause } from 'node:timers/promises';
import type { AssetView, ImportResult } from '../models/api.ts';
import { systemRuntime } from '../models/runtime.ts';
import type { Connection } from './connection.ts';
import type { Item, Unusable } from './items.ts';
import type { ProgressBar } from './progress.ts';

/** Maximum number of files in an import. */
export const batchSize = 50;

/** Codes about the file itself: another attempt would fail the same way. */
const fileErrorCodes: ReadonlySet<string | null> = new Set([
  'text_encoding_must_be_utf8',
  'ocr_required',
  'document_empty',
  'not_a_scorm_package',
  'source_too_large',
  'document_unreadable',
  'document_encrypted',
  'document_too_complex',
  'media_unreadable',
  'media_encrypted',
  'audio_too_long',
  'audio_track_not_found',
]);
const stoppedStates = ['failed', 'cancelled', 'awaiting_source_access', 'retry_scheduled'] as const;
/** States in which a job still has to read its source. */
const readingStates = ['queued', 'extracting', 'transcribing'] as const;
const pageSize = 100;
const pollMs = 200;

/** Results of the files, by name. */
export interface Tally {
  imports: { importId: string; names: Map<string, string> }[];
  accepted: number;
  unchanged: Item[];
  /** Files of earlier registrations whose jobs are still in progress, by job id: their names. */
  pending: Map<string, string>;
  skipped: number;
  refused: Unusable[];
}

/** An empty tally. */
export function emptyTally(): Tally {
  return { imports: [], accepted: 0, unchanged: [], pending: new Map(), skipped: 0, refused: [] };
}

/** Registers a batch. A version that is already registered is not an error: the file is unchanged. */
export async function registerBatch(connection: Connection, items: readonly Item[], tally: Tally): Promise<void> {
  if (items.length === 0) return;
  const body = await connection.ask(
    'POST',
    '/imports',
    { assets: items.map((item) => item.asset) },
    systemRuntime.uuid(),
  );
  const names = new Map<string, string>();
  (body['results'] as ImportResult[]).forEach((result, index) => {
    const item = items[index];
    if (item === undefined) return;
    if ('jobId' in result) names.set(result.jobId, item.name);
    else if (result.code === 'source_version_already_registered') tally.unchanged.push(item);
    else tally.refused.push({ name: item.name, why: `${result.code}: ${result.detail ?? ''}` });
  });
  tally.accepted += names.size;
  if (names.size > 0) tally.imports.push({ importId: String(body['importId']), names });
}

/**
 * What an earlier registration of unchanged files has left: files that are not indexed although their version is known.
 */
export interface Leftovers {
  /** Their jobs stopped for an external reason, or still have to read a source that may be gone: registered again. */
  again: Item[];
  /** Their jobs are in progress and need nothing more from this machine: job ids with the items. */
  pending: Map<string, Item>;
}

/** Finds unchanged files that are not indexed: queued, in progress, or stopped for an external reason. */
export async function leftovers(connection: Connection, unchanged: readonly Item[]): Promise<Leftovers> {
  const left: Leftovers = { again: [], pending: new Map() };
  if (unchanged.length === 0) return left;
  const jobs = new Map<string, AssetView['latestJob']>();
  // In the order in which a job passes them, so that one that moves on meanwhile is seen later.
  for (const state of [...readingStates, 'embedding', ...stoppedStates])
    for await (const { externalId, latestJob } of assetsIn(connection, state)) jobs.set(externalId, latestJob);
  for (const item of unchanged) {
    const job = jobs.get(item.asset.externalId);
    if (job === undefined || fileErrorCodes.has(job.errorCode)) continue;
    const isReading = readingStates.some((state) => state === job.state);
    const isStopped = stoppedStates.some((state) => state === job.state);
    // The source of a local file ends with the command that registered it.
    if (item.path !== null && (isReading || isStopped)) left.again.push(item);
    else if (!isStopped || job.state === 'retry_scheduled') left.pending.set(job.jobId, item);
  }
  return left;
}

async function* assetsIn(connection: Connection, state: string): AsyncGenerator<AssetView> {
  for (let cursor = ''; ;) {
    const page = await connection.ask('GET', `/activity?order=filename&state=${state}&limit=${pageSize}${cursor}`);
    yield* page['items'] as AssetView[];
    if (typeof page['nextCursor'] !== 'string') return;
    cursor = `&cursor=${encodeURIComponent(page['nextCursor'])}`;
  }
}

interface ImportedJob {
  jobId: string;
  state: string;
  errorCode: string | null;
}

/** Whether a job has ended or needs intervention. */
function isOver(state: string): boolean {
  return state === 'ready' || state === 'failed' || state === 'cancelled' || state === 'awaiting_source_access';
}

/** Waits until all accepted jobs are over. Returns the files' names by outcome: `ready`, an error code, or a state. */
export async function waitForJobs(
  connection: Connection,
  tally: Tally,
  bar: ProgressBar,
  stopping: AbortSignal,
): Promise<Map<string, string[]>> {
  const ended = new Map<string, string[]>();
  const total = tally.accepted + tally.pending.size;
  const end = (name: string, state: string, errorCode: string | null): void => {
    done++;
    const outcome = state === 'ready' ? state : (errorCode ?? state);
    ended.set(outcome, [...(ended.get(outcome) ?? []), name]);
  };
  let done = 0;
  let waiting = tally.imports;
  while (waiting.length + tally.pending.size > 0 && !stopping.aborted) {
    const still: Tally['imports'] = [];
    let working = '';
    for (const { importId, names } of waiting) {
      const items = (await connection.ask('GET', `/imports/${importId}`))['items'] as ImportedJob[];
      for (const { jobId, state, errorCode } of items) {
        const name = names.get(jobId);
        if (name === undefined) continue;
        if (state === 'extracting' || state === 'transcribing' || state === 'embedding') working = `${state} ${name}`;
        if (!isOver(state)) continue;
        names.delete(jobId);
        end(name, state, errorCode);
      }
      if (names.size > 0) still.push({ importId, names });
      bar.show(done, total, working);
    }
    waiting = still;
    for (const [jobId, name] of tally.pending) {
      const job = await connection.ask('GET', `/jobs/${jobId}`);
      const state = String(job['state']);
      const errorCode = typeof job['errorCode'] === 'string' ? job['errorCode'] : null;
      if (!isOver(state)) continue;
      tally.pending.delete(jobId);
      end(name, state, errorCode);
    }
    bar.show(done, total, working);
    // An interrupted pause is the request to stop, which the loop checks.
    if (waiting.length + tally.pending.size > 0)
      await pause(pollMs, undefined, { signal: stopping }).catch(() => undefined);
  }
  bar.clear();
  return ended;
}

/** Cancels the jobs that are not over; returns their number. One that ended meanwhile is not changed. */
export async function cancelOpen(connection: Connection, tally: Tally): Promise<number> {
  let cancelled = 0;
  for (const { names } of tally.imports) {
    for (const jobId of names.keys()) {
      // It has ended, or the program is not reachable.
      const wasOpen = await connection.ask('POST', `/jobs/${jobId}/cancel`).then(
        () => true,
        () => false,
      );
      if (wasOpen) cancelled++;
    }
  }
  return cancelled;
}
