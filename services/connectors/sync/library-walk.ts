import type { Collection } from '../../../adapters/records/port.ts';
import type { Asset } from '../../../models/asset.ts';

/** What a comparison needs of a file that the library has of a connector. */
export interface LibraryFile {
  place: string;
  assetId: string;
  isMissing: boolean;
  /** Which sync wrote it last, and what it was. */
  by: string;
  mark: string;
}

const fields = ['synced.place', 'externalKey', 'sourceMissingSince', 'synced.by', '_id', 'synced.mark'] as const;

/** Walks through the library's files of a connector in the order of their places, a page in memory at a time. */
export class LibraryWalk {
  readonly #assets: Pick<Collection<Asset>, 'pick'>;
  readonly #connectorId: string;
  readonly #pageSize: number;
  #after: string;
  #page: LibraryFile[] = [];
  #next = 0;
  #isLast = false;

  /**
   * @param after the place to begin behind; null to begin with the first
   * @param pageSize files read at a time
   */
  constructor(assets: Pick<Collection<Asset>, 'pick'>, connectorId: string, after: string | null, pageSize: number) {
    this.#pageSize = pageSize;
    this.#assets = assets;
    this.#connectorId = connectorId;
    this.#after = after ?? '';
  }

  /** The file that comes next; null behind the last; undefined where `fill` has to be called first. */
  peek(): LibraryFile | null | undefined {
    const next = this.#page[this.#next];
    if (next !== undefined) return next;
    return this.#isLast ? null : undefined;
  }

  /** Goes on to the next file. */
  advance(): void {
    this.#next += 1;
  }

  /** Reads the next page. @throws StoreUnavailable */
  async fill(): Promise<void> {
    while (this.peek() === undefined) {
      const rows = await this.#assets.pick(
        { filter: { connectorId: this.#connectorId, 'synced.place': { $gt: this.#after }, 'synced.mark': { $exists: true } }, sort: [['synced.place', 1]], limit: this.#pageSize },
        fields,
      );
      this.#page = rows.flatMap(([place, externalKey, missingSince, by, assetId, mark]) => (
        // Without a key it has just been deleted.
        externalKey === null ? [] : [{ place: String(place), assetId: String(assetId), isMissing: missingSince !== null, by: String(by), mark: String(mark) }]
      ));
      this.#next = 0;
      this.#isLast = rows.length < this.#pageSize;
      this.#after = String(rows.at(-1)?.[0] ?? this.#after);
    }
  }
}
