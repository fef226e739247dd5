import type { Logger } from 'pino';
import { backoff } from '../../../mixins/runs/backoff.ts';
import { assets } from '../../../models/asset.ts';
import { connectors } from '../../../models/connector.ts';
import { scopeOf } from '../../../models/scope.ts';
import { syncCandidates } from '../../../models/sync.ts';
import type { ApplySync } from './applier.ts';
import type { SyncFigures } from './figures.ts';
import type { HeldSync } from './held-sync.ts';
import { freshState, type SyncState } from './progress.ts';
import type { SyncTools } from './sync-intake.ts';

/** What one sync is carried out with. */
export interface HoldingTools extends Omit<SyncTools, 'actions'> {
  apply: ApplySync;
  figures: SyncFigures;
}

/** Times that a sync is put off without getting further before it ends. With the pauses between it takes an hour or so. */
const mostPutOff = 12;
const mostErrorCharacters = 500;
const removedAtOnce = 1000;

type Fate = { kind: 'lost' } | { kind: 'stopped' } | { kind: 'again'; delayMs: number; failure: string | null } | { kind: 'ended'; error: string };

/**
 * Carries a claimed sync out to its end, or to where it cannot go on now: then it is put off, and goes on from its last
 * checkpoint. Never rejects: what goes wrong with the records too is left to whoever takes the sync over.
 */
export async function holdSync(tools: HoldingTools, held: HeldSync): Promise<void> {
  const { house, figures } = tools;
  const { connector, syncId } = held;
  const { sync } = connector;
  const log = house.log.child({ syncId });
  let reached: SyncState = sync ?? freshState();
  const startsAt = JSON.stringify(reached.checkpoint);
  try {
    try {
      const state = await runOnce(tools, held, reached, (state) => (reached = state));
      await held.finish(state, { at: house.ambient.now(), error: null });
      figures.ended('done', state.summary);
      log.info({ summary: state.summary }, 'a sync is done');
    } catch (error) {
      const hasMoved = JSON.stringify(reached.checkpoint) !== startsAt;
      const fate = fateOf(tools, held, error, hasMoved ? 0 : (sync?.putOff ?? 0));
      await meet(tools, held, log, fate, reached, error);
    }
  } catch (error) {
    log.warn({ err: error }, 'a sync is left to whoever takes it over');
  } finally {
    await held.end();
  }
}

async function runOnce(tools: HoldingTools, held: HeldSync, from: SyncState, reached: (state: SyncState) => void): Promise<SyncState> {
  const { house } = tools;
  const scope = scopeOf(held.connector.organizationId);
  return tools.compare(held, from, { apply: tools.apply, assets: house.records.collection(assets, scope), candidates: house.records.collection(syncCandidates, scope), reached });
}

function fateOf({ house, emptyPauseMs = 30_000, pauseMs = 5000 }: HoldingTools, held: HeldSync, error: unknown, putOff: number): Fate {
  const cause: unknown = held.signal.aborted ? held.signal.reason : error;
  if (cause instanceof Error && cause.name === 'SyncLost') return { kind: 'lost' };
  if (held.signal.aborted) return { kind: 'stopped' };
  if (cause instanceof Error && cause.name === 'ListedNothing') return { kind: 'again', delayMs: emptyPauseMs, failure: null };
  const refusal = cause instanceof Error && cause.name === 'SourceError' && 'reason' in cause ? cause : null;
  if (refusal !== null && refusal.reason !== 'temporary') return { kind: 'ended', error: sentenceOf(refusal.message) };
  if (putOff < mostPutOff) {
    const failure = refusal === null ? 'The sync failed for a reason that the log tells.' : `The source could not be read. ${sentenceOf(refusal.message)}`;
    return { kind: 'again', delayMs: backoff(putOff + 1, pauseMs, house.ambient.random()), failure: `${failure} It is tried again.`.slice(0, mostErrorCharacters) };
  }
  return { kind: 'ended', error: refusal === null ? 'The sync failed again and again for a reason that the log tells.' : `The source could not be read for a long time. ${sentenceOf(refusal.message)}` };
}

/** A message as people read it among sentences. */
function sentenceOf(message: string): string {
  return `${message.charAt(0).toUpperCase()}${message.slice(1).replace(/\.?$/, '.')}`;
}

/** What a sync had put off is its connector's next sync's to remove; where the connector was deleted meanwhile, nobody else's. */
async function forgetDeleted({ records }: HoldingTools['house'], { connector: { _id: connectorId, organizationId } }: HeldSync): Promise<void> {
  const scope = scopeOf(organizationId);
  if ((await records.collection(connectors, scope).get(connectorId)) !== null) return;
  const candidates = records.collection(syncCandidates, scope);
  while ((await candidates.removeMany({ connectorId }, removedAtOnce)) > 0);
}

async function meet({ house, figures }: HoldingTools, held: HeldSync, log: Logger, fate: Fate, reached: SyncState, error: unknown): Promise<void> {
  switch (fate.kind) {
    case 'lost':
      figures.ended('lost', null);
      log.info('a sync was ended from outside, or taken over');
      return forgetDeleted(house, held);
    case 'stopped':
      return held.putOff(reached, 0, null);
    case 'again':
      figures.ended('put_off', null);
      log.warn({ err: error, delayMs: fate.delayMs }, 'a sync goes on later');
      return held.putOff(reached, fate.delayMs, fate.failure);
    case 'ended':
      figures.ended('failed', null);
      log.warn({ err: error }, 'a sync ended');
      return held.finish(reached, { at: house.ambient.now(), error: fate.error.slice(0, mostErrorCharacters) });
  }
}
