import type { OrganizationScope } from '../../models/scope.ts';
import { isLeftOver, judge, overtaken, type AssetRecord, type Indexed } from './check.ts';
import type { CheckTools } from './retrieve.ts';

/** What the records say of what one retrieval gave. */
export interface Checked {
  /** For each of the given, in their order, its file's document, where it may be shown. */
  shown: (AssetRecord | undefined)[];
  /** The documents that were read, each once. */
  assets: Map<string, AssetRecord>;
  /** How many of the given may not be shown. */
  dropped: number;
  /** Whether a revision may have become active behind the retrieval: then it must be asked once more. */
  missed: boolean;
}

/**
 * Checks what the index gives for one request against the records, retrieval after retrieval: each asset's document is
 * read once a retrieval, what the index should not have given is counted once, and rows of dead revisions are told of.
 */
export class Checker {
  /** Retrievals that were checked. */
  rounds = 0;
  readonly #tools: Pick<CheckTools, 'readAssets' | 'permissionDropped' | 'leftOver'>;
  readonly #scope: OrganizationScope;
  readonly #granted: ReadonlySet<string>;
  /** What the retrievals before this one read. */
  readonly #before: ReadonlyMap<string, AssetRecord>[] = [];
  readonly #reported = new Set<string>();

  constructor(tools: Pick<CheckTools, 'readAssets' | 'permissionDropped' | 'leftOver'>, scope: OrganizationScope, granted: ReadonlySet<string>) {
    this.#tools = tools;
    this.#scope = scope;
    this.#granted = granted;
  }

  async check(candidates: readonly Indexed[]): Promise<Checked> {
    this.rounds += 1;
    const ids = [...new Set(candidates.map((candidate) => candidate.assetId))];
    const assets = new Map((ids.length === 0 ? [] : await this.#tools.readAssets(this.#scope, ids, this.#granted)).map((asset) => [asset._id, asset]));
    let dropped = 0;
    const shown = candidates.map((candidate) => {
      const asset = assets.get(candidate.assetId);
      const verdict = judge(candidate, asset, this.#granted);
      if (verdict === 'shown') return asset;
      dropped += 1;
      if (isLeftOver(candidate, asset)) this.#tools.leftOver({ organizationId: this.#scope.organizationId, assetId: candidate.assetId, revision: candidate.revision });
      if (verdict === 'leaked') this.#report(candidate);
      return undefined;
    });
    // What is shown is of the active revision: only what is not shown may have been overtaken.
    const missed = dropped > 0 && overtaken(candidates, assets, this.#knownBefore()).length > 0;
    this.#before.push(assets);
    return { shown, assets, dropped, missed };
  }

  /** The active revisions as the last retrieval that met them knew them. */
  #knownBefore(): Map<string, number> {
    const known = new Map<string, number>();
    for (const assets of this.#before) for (const { _id, activeRevision } of assets.values()) if (activeRevision !== null) known.set(_id, activeRevision);
    return known;
  }

  #report(candidate: Indexed): void {
    const key = `${candidate.assetId}/${candidate.revision}/${candidate.ordinal}`;
    if (this.#reported.has(key)) return;
    this.#reported.add(key);
    this.#tools.permissionDropped(candidate);
  }
}
