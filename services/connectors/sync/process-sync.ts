import type { Logger } from 'pino';
import { backoff } from '../../../mixins/work/transitions.ts';
import { assets } from '../../../models/asset.ts';
import { connectors } from '../../../models/connector.ts';
import { scopeOf } from '../../../models/scope.ts';
import { syncCandidates } from '../../../models/sync.ts';
import type { ApplySync } from './applier.ts';
import type { SyncFigures } from './figures.ts';
import type { LeasedSync } from './leased-sync.ts';
import { freshState, type SyncState } from './progress.ts';
import type { SyncTools } from './sync-intake.ts';

/** What processing one sync needs. */
export interface ProcessingTools extends Omit<SyncTools, 'actions'> {
  apply: ApplySync;
  figures: SyncFigures;
}

/**
 * A sync fails after it was postponed this many times in a row without progress: about an hour, including the pauses.
 */
const maxPutOff = 12;
const maxErrorCharacters = 500;
const removedAtOnce = 1000;

type SyncOutcome =
  | { kind: 'lost' }
  | { kind: 'stopped' }
  | { kind: 'again'; delayMs: number; failure: string | null }
  | { kind: 'ended'; error: string };

/**
 * Runs a claimed sync and records its outcome. A sync that cannot continue now is postponed, and continues from its
 * last checkpoint. Never rejects: where the records fail too, another process takes over the sync when its lease
 * expires.
 */
export async function processSync(tools: ProcessingTools, handle: LeasedSync): Promise<void> {
  const { app, figures } = tools;
  const { connector, syncId } = handle;
  const { sync } = connector;
  const log = app.log.child({ syncId });
  let reached: SyncState = sync ?? freshState();
  const startsAt = JSON.stringify(reached.checkpoint);
  try {
    try {
      const state = await runOnce(tools, handle, reached, (state) => (reached = state));
      await handle.finish(state, { at: app.runtime.now(), error: null });
      figures.ended('done', state.summary);
      log.info({ summary: state.summary }, 'sync finished');
    } catch (error) {
      const hasProgressed = JSON.stringify(reached.checkpoint) !== startsAt;
      const outcome = outcomeOf(tools, handle, error, hasProgressed ? 0 : (sync?.putOff ?? 0));
      await applyOutcome(tools, handle, log, outcome, reached, error);
    }
  } catch (error) {
    log.warn({ err: error }, 'writing the outcome of a sync failed, its lease will expire');
  } finally {
    await handle.end();
  }
}

async function runOnce(
  tools: ProcessingTools,
  handle: LeasedSync,
  from: SyncState,
  onProgress: (state: SyncState) => void,
): Promise<SyncState> {
  const { app } = tools;
  const scope = scopeOf(handle.connector.organizationId);
  return tools.compare(handle, from, {
    apply: tools.apply,
    assets: app.records.collection(assets, scope),
    candidates: app.records.collection(syncCandidates, scope),
    onProgress,
  });
}

function outcomeOf(
  { app, emptyPauseMs = 30_000, pauseMs = 5000 }: ProcessingTools,
  handle: LeasedSync,
  error: unknown,
  putOff: number,
): SyncOutcome {
  const cause: unknown = handle.signal.aborted ? handle.signal.reason : error;
  if (cause instanceof Error && cause.name === 'LeaseLost') return { kind: 'lost' };
  if (handle.signal.aborted) return { kind: 'stopped' };
  if (cause instanceof Error && cause.name === 'ListedNothing')
    return { kind: 'again', delayMs: emptyPauseMs, failure: null };
  const refusal = cause instanceof Error && cause.name === 'SourceError' && 'reason' in cause ? cause : null;
  if (refusal !== null && refusal.reason !== 'temporary') return { kind: 'ended', error: sentenceOf(refusal.message) };
  if (putOff < maxPutOff) {
    const failure =
      refusal === null
        ? 'The sync failed. The log has the reason.'
        : `The source could not be read. ${sentenceOf(refusal.message)}`;
    return {
      kind: 'again',
      delayMs: backoff(putOff + 1, pauseMs, app.runtime.random()),
      failure: `${failure} The sync will be retried.`.slice(0, maxErrorCharacters),
    };
  }
  return {
    kind: 'ended',
    error:
      refusal === null
        ? 'The sync failed repeatedly. The log has the reason.'
        : `The source could not be read for a long time. ${sentenceOf(refusal.message)}`,
  };
}

/** A message as a sentence: with a capital letter and a full stop. */
function sentenceOf(message: string): string {
  return `${message.charAt(0).toUpperCase()}${message.slice(1).replace(/\.?$/, '.')}`;
}

/** Removes the candidates of a deleted connector, which has no later sync to do so. */
async function forgetDeleted(
  { records }: ProcessingTools['app'],
  { connector: { _id: connectorId, organizationId } }: LeasedSync,
): Promise<void> {
  const scope = scopeOf(organizationId);
  if ((await records.collection(connectors, scope).get(connectorId)) !== null) return;
  const candidates = records.collection(syncCandidates, scope);
  while ((await candidates.removeMany({ connectorId }, removedAtOnce)) > 0);
}

async function applyOutcome(
  { app, figures }: ProcessingTools,
  handle: LeasedSync,
  log: Logger,
  outcome: SyncOutcome,
  reached: SyncState,
  error: unknown,
): Promise<void> {
  switch (outcome.kind) {
    case 'lost':
      figures.ended('lost', null);
      log.info('sync lease lost');
      return forgetDeleted(app, handle);
    case 'stopped':
      return handle.postpone(reached, 0, null);
    case 'again':
      figures.ended('put_off', null);
      log.warn({ err: error, delayMs: outcome.delayMs }, 'sync failed, will retry');
      return handle.postpone(reached, outcome.delayMs, outcome.failure);
    case 'ended':
      figures.ended('failed', null);
      log.warn({ err: error }, 'sync failed');
      return handle.finish(reached, { at: app.runtime.now(), error: outcome.error.slice(0, maxErrorCharacters) });
  }
}
