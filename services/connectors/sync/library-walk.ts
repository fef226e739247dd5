import type { Collection } from '../../../adapters/records/port.ts';
import type { Asset } from '../../../models/asset.ts';

/** The fields of a connector's file in the library that a comparison needs. */
export interface LibraryFile {
  place: string;
  assetId: string;
  isMissing: boolean;
  /** The sync that wrote the file last, and its outcome (`byOf`). */
  by: string;
  mark: string;
}

const fields = ['synced.place', 'externalKey', 'sourceMissingSince', 'synced.by', '_id', 'synced.mark'] as const;

/** Iterates over a connector's files in the library in the order of their sort keys, with one page in memory. */
export class LibraryWalk {
  readonly #assets: Pick<Collection<Asset>, 'pick'>;
  readonly #connectorId: string;
  readonly #pageSize: number;
  #after: string;
  #page: LibraryFile[] = [];
  #next = 0;
  #isLast = false;

  /**
   * @param after the sort key to start after; null to start with the first file
   * @param pageSize number of files per query
   */
  constructor(assets: Pick<Collection<Asset>, 'pick'>, connectorId: string, after: string | null, pageSize: number) {
    this.#pageSize = pageSize;
    this.#assets = assets;
    this.#connectorId = connectorId;
    this.#after = after ?? '';
  }

  /** The next file; null after the last; undefined where `fill` has to be called first. */
  peek(): LibraryFile | null | undefined {
    const next = this.#page[this.#next];
    if (next !== undefined) return next;
    return this.#isLast ? null : undefined;
  }

  /** Advances to the next file. */
  advance(): void {
    this.#next += 1;
  }

  /** Reads the next page. @throws StoreUnavailable */
  async fill(): Promise<void> {
    while (this.peek() === undefined) {
      const rows = await this.#assets.pick(
        {
          filter: {
            connectorId: this.#connectorId,
            'synced.place': { $gt: this.#after },
            'synced.mark': { $exists: true },
          },
          sort: [['synced.place', 1]],
          limit: this.#pageSize,
        },
        fields,
      );
      this.#page = rows.flatMap(([sortKey, externalKey, missingSince, by, assetId, mark]) =>
        // A file without a key has just been deleted.
        externalKey === null
          ? []
          : [
              {
                place: String(sortKey),
                assetId: String(assetId),
                isMissing: missingSince !== null,
                by: String(by),
                mark: String(mark),
              },
            ],
      );
      this.#next = 0;
      this.#isLast = rows.length < this.#pageSize;
      this.#after = String(rows.at(-1)?.[0] ?? this.#after);
    }
  }
}
