import { setTimeout as pause } from 'node:timers/promises';
import type { AssetView, ImportResult } from '../models/api.ts';
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
const pageSize = 100;
const pollMs = 200;

/** Results of the files, by name. */
export interface Tally {
  imports: { importId: string; names: Map<string, string> }[];
  accepted: number;
  unchanged: Item[];
  skipped: number;
  refused: Unusable[];
}

/** An empty tally. */
export function emptyTally(): Tally {
  return { imports: [], accepted: 0, unchanged: [], skipped: 0, refused: [] };
}

/** Registers a batch. A version that is already registered is not an error: the file is unchanged. */
export async function registerBatch(connection: Connection, items: readonly Item[], tally: Tally): Promise<void> {
  if (items.length === 0) return;
  const body = await connection.ask('POST', '/imports', { assets: items.map((item) => item.asset) });
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
 * Unchanged files whose jobs stopped for an external reason (the temporary source was closed, a worker was lost, or the
 * job was cancelled): they are registered again.
 */
export async function interrupted(connection: Connection, unchanged: readonly Item[]): Promise<Item[]> {
  if (unchanged.length === 0) return [];
  const stopped = new Set<string>();
  for (const state of stoppedStates) {
    for (let offset = 0; ; offset += pageSize) {
      const items = (await connection.ask('GET', `/activity?state=${state}&limit=${pageSize}&offset=${offset}`))[
        'items'
      ] as AssetView[];
      for (const asset of items) if (!fileErrorCodes.has(asset.latestJob.errorCode)) stopped.add(asset.externalId);
      if (items.length < pageSize) break;
    }
  }
  return unchanged.filter((item) => stopped.has(item.asset.externalId));
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
  let done = 0;
  let waiting = tally.imports;
  while (waiting.length > 0 && !stopping.aborted) {
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
        done++;
        const outcome = state === 'ready' ? state : (errorCode ?? state);
        ended.set(outcome, [...(ended.get(outcome) ?? []), name]);
      }
      if (names.size > 0) still.push({ importId, names });
      bar.show(done, tally.accepted, working);
    }
    waiting = still;
    // An interrupted pause is the request to stop, which the loop checks.
    if (waiting.length > 0) await pause(pollMs, undefined, { signal: stopping }).catch(() => undefined);
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
