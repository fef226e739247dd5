import type { Candidate } from '../../adapters/passages/port.ts';
import type { Asset } from '../../models/asset.ts';
import type { OrganizationScope } from '../../models/scope.ts';

/** The fields that decide whether searches find a file's passages, and the order of equal ones. */
export const stateFields = [
  '_id',
  'aclMode',
  'principals',
  'attributesVersion',
  'activeRevision',
  'sourceMissingSince',
  'createdAt',
  'deletedAt',
] as const satisfies (keyof Asset)[];

/** The state of a file: a small part of its document. */
export type FileState = Pick<Asset, (typeof stateFields)[number]>;

/** The fields of an asset's document that answers need. */
export type AssetRecord = Pick<
  Asset,
  keyof FileState | 'filename' | 'kind' | 'metadata' | 'externalId' | 'sourceUrl' | 'sourceVersion' | 'activeSource'
>;

/** A passage that the index returned, with the version of the attributes that permitted it. */
export type Indexed = Pick<Candidate, 'assetId' | 'revision' | 'ordinal' | 'attributesVersion'>;

/**
 * The result of checking a candidate against the records. `stale`: the index is behind (the file is deleted, another
 * revision is active, the source is missing, or permissions changed since). `leaked`: the index knew the permissions
 * and returned the passage all the same, which must never happen.
 */
export type Verdict = 'shown' | 'stale' | 'leaked';

/** Whether principals may see a file. None, or an empty list: open files only. */
export function maySee(asset: Pick<Asset, 'aclMode' | 'principals'>, principals: ReadonlySet<string>): boolean {
  return asset.aclMode === 'open' || asset.principals.some((principal) => principals.has(principal));
}

/** Checks one candidate against the state of its file; undefined where there is none. */
export function judge(candidate: Indexed, asset: FileState | undefined, principals: ReadonlySet<string>): Verdict {
  if (asset === undefined || asset.deletedAt !== null || asset.sourceMissingSince !== null) return 'stale';
  if (asset.activeRevision !== candidate.revision) return 'stale';
  if (maySee(asset, principals)) return 'shown';
  return candidate.attributesVersion === asset.attributesVersion ? 'leaked' : 'stale';
}

/**
 * Whether a candidate's revision is superseded for good: its file is gone, or a later revision is active. A revision
 * above the active one may be about to become it, and a deleted file is being removed.
 */
export function isSuperseded(candidate: Indexed, asset: FileState | undefined): boolean {
  return (
    asset === undefined ||
    (asset.deletedAt === null && asset.activeRevision !== null && candidate.revision < asset.activeRevision)
  );
}

/**
 * Assets whose active revision may have been published only after the retrieval: the index returned rows of an older
 * revision and none of the active one, and the active one was not known before. The search must retrieve again, or it
 * would find neither revision.
 */
export function overtaken(
  candidates: readonly Indexed[],
  assets: ReadonlyMap<string, FileState>,
  knownBefore: ReadonlyMap<string, number>,
): string[] {
  const found = new Map<string, { active: number; hasActive: boolean }>();
  for (const { assetId, revision } of candidates) {
    const active = assets.get(assetId)?.activeRevision ?? null;
    if (active === null) continue;
    const state = found.get(assetId) ?? { active, hasActive: false };
    found.set(assetId, state);
    if (revision === active) state.hasActive = true;
  }
  return [...found]
    .filter(([assetId, { active, hasActive }]) => !hasActive && knownBefore.get(assetId) !== active)
    .map(([assetId]) => assetId);
}

/** What checking works with. */
export interface CheckTools {
  /** Reads the states of the files that exist. Of their principals, only those in `granted` are needed. */
  readStates: (scope: OrganizationScope, ids: string[], granted: ReadonlySet<string>) => Promise<FileState[]>;
  /** Reads whole documents, in other respects as `readStates`. */
  readAssets: (scope: OrganizationScope, ids: string[], granted: ReadonlySet<string>) => Promise<AssetRecord[]>;
  /** Counts a passage that the index returned although its file's permissions forbid it. */
  onLeak: (hit: { assetId: string; revision: number }) => void;
  /** Reports rows of a superseded revision, which should be discarded. */
  onSuperseded: (hit: { organizationId: string; assetId: string; revision: number }) => void;
}

/** The result of checking one retrieval. */
export interface Checked {
  /** For each candidate its file's state, or undefined where it must not be shown. */
  shown: (FileState | undefined)[];
  /** Candidates that must not be shown. */
  dropped: number;
  /** Whether a revision may have become active after the retrieval, which must then be repeated. */
  missed: boolean;
}

/**
 * Checks the retrievals of one request against the records. Reads each file's state once for each retrieval, and reports
 * each leaked passage once.
 */
export class Checker {
  /** Retrievals checked so far. */
  rounds = 0;
  readonly #tools: Omit<CheckTools, 'readAssets'>;
  readonly #scope: OrganizationScope;
  readonly #granted: ReadonlySet<string>;
  /** The states that were read for the earlier retrievals. */
  readonly #earlier: (readonly FileState[])[] = [];
  readonly #reported = new Set<string>();

  constructor(tools: Omit<CheckTools, 'readAssets'>, scope: OrganizationScope, granted: ReadonlySet<string>) {
    this.#tools = tools;
    this.#scope = scope;
    this.#granted = granted;
  }

  async check(candidates: readonly Indexed[]): Promise<Checked> {
    this.rounds += 1;
    const ids = [...new Set(candidates.map((candidate) => candidate.assetId))];
    const records = ids.length === 0 ? [] : await this.#tools.readStates(this.#scope, ids, this.#granted);
    const assets = new Map(records.map((asset) => [asset._id, asset]));
    let dropped = 0;
    const shown = candidates.map((candidate) => {
      const asset = assets.get(candidate.assetId);
      const verdict = judge(candidate, asset, this.#granted);
      if (verdict === 'shown') return asset;
      dropped += 1;
      const { organizationId } = this.#scope;
      const { assetId, revision } = candidate;
      if (isSuperseded(candidate, asset)) this.#tools.onSuperseded({ organizationId, assetId, revision });
      if (verdict === 'leaked') this.#reportLeak(candidate);
      return undefined;
    });
    const missed = dropped > 0 && overtaken(candidates, assets, this.#knownRevisions()).length > 0;
    this.#earlier.push(records);
    return { shown, dropped, missed };
  }

  /** Active revisions as of the earlier retrievals; few searches have any. */
  #knownRevisions(): Map<string, number> {
    const known = new Map<string, number>();
    for (const { _id, activeRevision } of this.#earlier.flat())
      if (activeRevision !== null) known.set(_id, activeRevision);
    return known;
  }

  #reportLeak(candidate: Indexed): void {
    const key = `${candidate.assetId}/${candidate.revision}/${candidate.ordinal}`;
    if (this.#reported.has(key)) return;
    this.#reported.add(key);
    this.#tools.onLeak(candidate);
  }
}
