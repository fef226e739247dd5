import { LRUCache } from 'lru-cache';
import type { Collection, Query } from '../../adapters/records/port.ts';
import { isoTime } from '../../models/runtime.ts';
import type { AttentionItem, LibraryHealth } from '../../models/analytics.ts';
import type { Caller } from '../../models/api.ts';
import type { Asset } from '../../models/asset.ts';
import type { JobState } from '../../models/job.ts';

const attention = ['failed', 'awaiting_source_access'] as const satisfies readonly JobState[];
/** States of the jobs of existing assets; those of assets being removed are below. */
const livingStates = [
  'queued',
  'extracting',
  'transcribing',
  'embedding',
  'retry_scheduled',
  'awaiting_source_access',
  'ready',
  'failed',
  'cancelled',
] as const satisfies readonly JobState[];
const removalStates = ['deleting', 'cleanup'] as const satisfies readonly JobState[];
/** Counts are cached this many times as long as counting took, so that a large library is not counted at each call. */
const cachedTimes = 20;
/** Libraries whose counts are cached. */
const maxCached = 1000;

type States = LibraryHealth['states'];

/** Counts jobs by state, each within an index, and caches counts that took long. */
export class StateCounts {
  readonly #cache: LRUCache<string, States>;
  readonly #now: () => number;

  /** @param now milliseconds of a monotonic clock */
  constructor(now: () => number) {
    this.#now = now;
    this.#cache = new LRUCache({ max: maxCached, ttl: 1, ttlResolution: 0, perf: { now } });
  }

  /** Latest jobs of an organization's assets by state. */
  async of(organizationId: string, assets: Pick<Collection<Asset>, 'count'>): Promise<States> {
    const cached = this.#cache.get(organizationId);
    if (cached !== undefined) return cached;
    const startedAt = this.#now();
    const counted = await Promise.all([
      ...livingStates.map(
        async (state) => [state, await assets.count({ deletedAt: null, 'run.state': state })] as const,
      ),
      ...removalStates.map(
        async (state) => [state, await assets.count({ deletedAt: { $exists: true }, 'run.state': state })] as const,
      ),
    ]);
    const states: States = {
      queued: 0,
      extracting: 0,
      transcribing: 0,
      embedding: 0,
      retry_scheduled: 0,
      awaiting_source_access: 0,
      ready: 0,
      failed: 0,
      cancelled: 0,
      deleting: 0,
      cleanup: 0,
    };
    for (const [state, count] of counted) states[state] = count;
    const ttl = (this.#now() - startedAt) * cachedTimes;
    if (ttl > 0) this.#cache.set(organizationId, states, { ttl });
    return states;
  }
}

function attentionItem({ _id, externalId, filename, kind, run }: Asset): AttentionItem {
  return {
    assetId: _id,
    externalId,
    filename,
    kind,
    jobId: run.jobId,
    state: run.state,
    stage: run.stage,
    errorCode: run.errorCode,
    attempt: run.attempt,
    updatedAt: isoTime(run.updatedAt),
  };
}

/**
 * The files of a library that are being processed, failed, empty or missing at their source. Each list is read from an
 * index and contains at most `limit` files, newest first.
 */
export async function libraryHealth(
  registrar: { of: (organizationId: string) => { assets: Pick<Collection<Asset>, 'count' | 'find'> } },
  counts: StateCounts,
  caller: Caller,
  limit: number,
): Promise<LibraryHealth> {
  const { assets } = registrar.of(caller.organizationId);
  const newest: Query['sort'] = [
    ['createdAt', -1],
    ['_id', -1],
  ];
  const [states, troubled, empty, missing] = await Promise.all([
    counts.of(caller.organizationId, assets),
    Promise.all(
      attention.map((state) => assets.find({ filter: { deletedAt: null, 'run.state': state }, sort: newest, limit })),
    ),
    assets.find({ filter: { deletedAt: null, 'facts.passages': 0 }, sort: newest, limit }),
    assets.find({
      filter: { deletedAt: null, sourceMissingSince: { $gt: 0 } },
      sort: [['sourceMissingSince', -1]],
      limit,
    }),
  ]);
  const items = troubled
    .flat()
    .sort((one, other) => other.createdAt - one.createdAt || (one._id < other._id ? 1 : -1))
    .slice(0, limit);
  return {
    states,
    needsAttention: attention.reduce((sum, state) => sum + states[state], 0),
    items: items.map(attentionItem),
    indexedButEmpty: empty.map(({ _id, externalId, filename, kind, facts }) => ({
      assetId: _id,
      externalId,
      filename,
      kind,
      warnings: facts?.warnings ?? [],
    })),
    sourceMissing: missing.map(({ _id, externalId, filename, kind, sourceUrl, sourceMissingSince }) => ({
      assetId: _id,
      externalId,
      filename,
      kind,
      sourceUrl,
      missingSince: isoTime(sourceMissingSince ?? 0),
    })),
  };
}
