import { hash } from 'node:crypto';
import type { Collection } from '../../../adapters/records/port.ts';
import type { Asset } from '../../../models/asset.ts';
import { sortKeyOf, type SyncCandidate, type SyncedFile, type SyncMarks } from '../../../models/sync.ts';
import type { SyncHandle } from './leased-sync.ts';

/** Maximum rows of one query for the contents of a page. Contents that do not fit are queried one by one. */
const maxRows = 2000;
const removedAtOnce = 1000;

/** A listed file that the library does not have. */
export interface NewFile {
  file: SyncedFile;
  marks: SyncMarks;
}

/** A file of the library that the source no longer lists. */
export interface GoneFile {
  assetId: string;
  externalId: string;
  contentId: string;
}

/** The operations on stored candidates that a sync needs. */
export type CandidateRows = Pick<Collection<SyncCandidate>, 'insertNew' | 'find' | 'removeMany'>;

/** What the candidates with one content are: a moved file, or (null) separate files. */
export type Move = { assetId: string; fromExternalId: string } | null;

function digest(text: string): string {
  return hash('sha256', text, 'hex').slice(0, 32);
}

/**
 * Files that may have been moved, grouped by content. They are stored until the whole source is listed, so that a crash
 * loses none.
 */
export class Candidates {
  readonly #rows: CandidateRows;
  readonly #assets: Pick<Collection<Asset>, 'pick'>;
  readonly #handle: SyncHandle;

  constructor(rows: CandidateRows, assets: Pick<Collection<Asset>, 'pick'>, handle: SyncHandle) {
    this.#rows = rows;
    this.#assets = assets;
    this.#handle = handle;
  }

  /** The subset of these contents that files of the connector have or had. */
  async knownContents(contentIds: readonly string[]): Promise<Set<string>> {
    if (contentIds.length === 0) return new Set();
    const connectorId = this.#handle.connector._id;
    const pick = async (contents: readonly string[], limit: number): Promise<string[]> => {
      const rows = await this.#assets.pick(
        { filter: { connectorId, 'synced.contentId': { $in: contents }, 'synced.mark': { $exists: true } }, limit },
        ['synced.contentId'],
      );
      return rows.map(([contentId]) => String(contentId));
    };
    const found = await pick(contentIds, maxRows);
    const known = new Set(found);
    if (found.length < maxRows) return known;
    for (const contentId of contentIds)
      if (!known.has(contentId) && (await pick([contentId], 1)).length > 0) known.add(contentId);
    return known;
  }

  /** Defers files until the whole source is listed. */
  async defer(fresh: readonly NewFile[], gone: readonly GoneFile[]): Promise<void> {
    const rows = [
      ...fresh.flatMap(({ file, marks }) =>
        file.contentId === null ? [] : [this.#row(file.contentId, file.externalId, { kind: 'n', file, marks })],
      ),
      ...gone.map(({ contentId, externalId, assetId }) =>
        this.#row(contentId, externalId, { kind: 'm', assetId, externalId }),
      ),
    ];
    if (rows.length > 0) await this.#rows.insertNew(rows);
  }

  /** The next candidates after this id, in order: candidates of one content are adjacent. */
  async page(after: string | null, limit: number): Promise<SyncCandidate[]> {
    const { syncId } = this.#handle;
    return this.#rows.find({
      filter: { _id: { $gt: after ?? `${syncId}/`, $lt: `${syncId}0` } },
      sort: [['_id', 1]],
      limit,
    });
  }

  /**
   * The moved file of a candidate's content: exactly one file is new, and exactly one is missing, since this sync or an
   * earlier one. The result is the same after the sync has applied a part of it.
   */
  async moveOf({ contentId }: SyncCandidate): Promise<Move> {
    const { syncId, connector } = this.#handle;
    const prefix = this.#prefix(contentId);
    const two = (kind: 'm' | 'n'): Promise<SyncCandidate[]> =>
      this.#rows.find({
        filter: { _id: { $gt: `${prefix}${kind}/`, $lt: `${prefix}${kind}0` } },
        sort: [['_id', 1]],
        limit: 2,
      });
    const [fresh, gone] = await Promise.all([two('n'), two('m')]);
    if (fresh.length !== 1 || gone.length > 1) return null;
    const earlier = await this.#assets.pick(
      {
        filter: {
          connectorId: connector._id,
          'synced.contentId': contentId,
          sourceMissingSince: { $gt: 0 },
          'synced.mark': { $exists: true },
        },
        limit: 3,
      },
      ['_id', 'externalKey', 'synced.by'],
    );
    const candidates = [
      ...gone.flatMap(({ fate }) =>
        fate.kind === 'm' ? [{ assetId: fate.assetId, fromExternalId: fate.externalId }] : [],
      ),
      ...earlier.flatMap(([assetId, key, by]) =>
        key === null || String(by).startsWith(`${syncId}/`)
          ? []
          : [{ assetId: String(assetId), fromExternalId: String(key) }],
      ),
    ];
    const [only] = candidates;
    return only !== undefined && candidates.length === 1 ? only : null;
  }

  /**
   * Removes the candidates of the connector, of earlier syncs too. With `behind` it removes only those of this sync
   * that sort after it.
   */
  async clear(behind?: string | null): Promise<void> {
    const connectorId = this.#handle.connector._id;
    const filter =
      behind === undefined || behind === null
        ? { connectorId }
        : { connectorId, syncId: this.#handle.syncId, place: { $gt: behind } };
    while ((await this.#rows.removeMany(filter, removedAtOnce)) > 0);
  }

  #prefix(contentId: string): string {
    return `${this.#handle.syncId}/${digest(contentId)}/`;
  }

  #row(contentId: string, externalId: string, fate: SyncCandidate['fate']): SyncCandidate {
    const { connector, syncId } = this.#handle;
    return {
      _id: `${this.#prefix(contentId)}${fate.kind}/${digest(externalId)}`,
      organizationId: connector.organizationId,
      connectorId: connector._id,
      syncId,
      contentId,
      place: sortKeyOf(externalId),
      fate,
    };
  }
}
