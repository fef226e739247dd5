import { hash } from 'node:crypto';
import type { Collection } from '../../../adapters/records/port.ts';
import type { Asset } from '../../../models/asset.ts';
import { placeOf, type SyncCandidate, type SyncedFile, type SyncMarks } from '../../../models/sync.ts';
import type { SyncHold } from './held-sync.ts';

/** Rows that are looked at for the contents of a page; contents that have more files are asked for one by one. */
const mostRows = 2000;
const removedAtOnce = 1000;

/** A file that is new, with a content. */
export interface NewFile {
  file: SyncedFile;
  marks: SyncMarks;
}

/** A file of the library that is not listed any more. */
export interface GoneFile {
  assetId: string;
  externalId: string;
  contentId: string;
}

/** What is done with the records of candidates. */
export type CandidateRows = Pick<Collection<SyncCandidate>, 'insertNew' | 'find' | 'removeMany'>;

/** What the group of candidates with one content is: a file that was moved, or files to be told apart. */
export type Move = { assetId: string; fromExternalId: string } | null;

function digest(text: string): string {
  return hash('sha256', text, 'hex').slice(0, 32);
}

/** What may have been moved, by content, kept in the records until the whole source was listed: a crash loses none of it. */
export class Candidates {
  readonly #rows: CandidateRows;
  readonly #assets: Pick<Collection<Asset>, 'pick'>;
  readonly #held: SyncHold;

  constructor(rows: CandidateRows, assets: Pick<Collection<Asset>, 'pick'>, held: SyncHold) {
    this.#rows = rows;
    this.#assets = assets;
    this.#held = held;
  }

  /** Which of these contents files of the connector have, or had. */
  async knownContents(contentIds: readonly string[]): Promise<Set<string>> {
    if (contentIds.length === 0) return new Set();
    const connectorId = this.#held.connector._id;
    const pick = async (contents: readonly string[], limit: number): Promise<string[]> => {
      const rows = await this.#assets.pick({ filter: { connectorId, 'synced.contentId': { $in: contents }, 'synced.mark': { $exists: true } }, limit }, ['synced.contentId']);
      return rows.map(([contentId]) => String(contentId));
    };
    const found = await pick(contentIds, mostRows);
    const known = new Set(found);
    if (found.length < mostRows) return known;
    for (const contentId of contentIds) if (!known.has(contentId) && (await pick([contentId], 1)).length > 0) known.add(contentId);
    return known;
  }

  /** Puts files off until everything was listed. */
  async putOff(fresh: readonly NewFile[], gone: readonly GoneFile[]): Promise<void> {
    const rows = [
      ...fresh.flatMap(({ file, marks }) => (file.contentId === null ? [] : [this.#row(file.contentId, file.externalId, { kind: 'n', file, marks })])),
      ...gone.map(({ contentId, externalId, assetId }) => this.#row(contentId, externalId, { kind: 'm', assetId, externalId })),
    ];
    if (rows.length > 0) await this.#rows.insertNew(rows);
  }

  /** The next candidates after the one with this id, those of one content together. */
  async page(after: string | null, limit: number): Promise<SyncCandidate[]> {
    const { syncId } = this.#held;
    return this.#rows.find({ filter: { _id: { $gt: after ?? `${syncId}/`, $lt: `${syncId}0` } }, sort: [['_id', 1]], limit });
  }

  /**
   * Whether a candidate's content is one file that was moved: one is new, one is not there any more, now or since an
   * earlier sync. It is answered alike also when the sync has carried out a part of it.
   */
  async moveOf({ contentId }: SyncCandidate): Promise<Move> {
    const { syncId, connector } = this.#held;
    const prefix = this.#prefix(contentId);
    const two = (kind: 'm' | 'n'): Promise<SyncCandidate[]> => this.#rows.find({ filter: { _id: { $gt: `${prefix}${kind}/`, $lt: `${prefix}${kind}0` } }, sort: [['_id', 1]], limit: 2 });
    const [fresh, gone] = await Promise.all([two('n'), two('m')]);
    if (fresh.length !== 1 || gone.length > 1) return null;
    const earlier = await this.#assets.pick(
      { filter: { connectorId: connector._id, 'synced.contentId': contentId, sourceMissingSince: { $gt: 0 }, 'synced.mark': { $exists: true } }, limit: 3 },
      ['_id', 'externalKey', 'synced.by'],
    );
    const candidates = [
      ...gone.flatMap(({ fate }) => (fate.kind === 'm' ? [{ assetId: fate.assetId, fromExternalId: fate.externalId }] : [])),
      ...earlier.flatMap(([assetId, key, by]) => (key === null || String(by).startsWith(`${syncId}/`) ? [] : [{ assetId: String(assetId), fromExternalId: String(key) }])),
    ];
    const [only] = candidates;
    return only !== undefined && candidates.length === 1 ? only : null;
  }

  /** Forgets what this and earlier syncs of the connector had put off; behind a place, where one is given. */
  async clear(behind?: string | null): Promise<void> {
    const connectorId = this.#held.connector._id;
    const filter = behind === undefined || behind === null ? { connectorId } : { connectorId, syncId: this.#held.syncId, place: { $gt: behind } };
    while ((await this.#rows.removeMany(filter, removedAtOnce)) > 0);
  }

  #prefix(contentId: string): string {
    return `${this.#held.syncId}/${digest(contentId)}/`;
  }

  #row(contentId: string, externalId: string, fate: SyncCandidate['fate']): SyncCandidate {
    const { connector, syncId } = this.#held;
    return { _id: `${this.#prefix(contentId)}${fate.kind}/${digest(externalId)}`, organizationId: connector.organizationId, connectorId: connector._id, syncId, contentId, place: placeOf(externalId), fate };
  }
}
