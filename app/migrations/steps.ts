import type { Change, Filter, Records } from '../../adapters/records/port.ts';
import { assets, type Asset } from '../../models/asset.ts';
import type { CollectionDefinition, StoredRecord } from '../../models/collection.ts';
import { archivedRuns, type ArchivedRun } from '../../models/job.ts';
import { maxRecentVersions, registeredVersions, versionDigest } from '../../models/registered-version.ts';
import { scopeOf, systemScope } from '../../models/scope.ts';
import { insertVersions } from '../../services/registrar/registered-versions.ts';

/** The result of a page of a migration. */
export interface MigratedPage {
  /** The last visited document; null if there are no more. */
  last: string | null;
  /** Number of changed documents. */
  changed: number;
}

/** A step that migrates documents of earlier versions while this program, and perhaps earlier ones, serve. */
export interface Migration {
  /** Recorded in the stores when it is done: never change it. */
  id: string;
  /** What it does, for the log. */
  what: string;
  /**
   * The schema version that a program must support to read the migrated documents: once the step begins, programs with
   * a lower one refuse to start. Absent if earlier versions can read the new form.
   */
  needs?: number;
  /** Migrates the page of documents after `after`. Idempotent. */
  apply(records: Records, after: string | null, limit: number): Promise<MigratedPage>;
}

/** A conditional write. */
interface Write {
  filter: Filter;
  change: Change;
}

/**
 * Returns one conditional write, or null if the document is up to date. Rows of other collections are written to
 * `records` first.
 */
type Forward<T> = (document: T, records: Records) => Write | null | Promise<Write | null>;

/** A step that visits every document of a collection once, in order of ids. */
export function overEach<T extends StoredRecord>(
  definition: CollectionDefinition<T>,
  forward: Forward<T>,
): Migration['apply'] {
  return async (records, after, limit) => {
    const collection = records.collection(definition, systemScope);
    const page = await collection.find({
      filter: {},
      sort: [['_id', 1]],
      limit,
      ...(after === null ? {} : { after: [after] }),
    });
    const written = await Promise.all(page.map((document) => bring(document)));
    return { last: page.length < limit ? null : (page.at(-1)?._id ?? null), changed: written.filter(Boolean).length };

    /** Retries as often as the document is changed concurrently. */
    async function bring(document: T): Promise<boolean> {
      for (let current: T | null = document; current !== null; current = await collection.get(document._id)) {
        const write = await forward(current, records);
        if (write === null) return false;
        if ((await collection.update(document._id, write.filter, write.change)) !== null) return true;
      }
      return false;
    }
  };
}

/** A write that is conditional on the version of the asset's document. */
function ofAsset(asset: Asset, set: { [path: string]: string | number | object }): Write | null {
  return Object.keys(set).length === 0
    ? null
    : { filter: { version: asset.version }, change: { set, increment: { version: 1 } } };
}

/**
 * Adds the fields that an asset's document of the first version lacks: for re-embedding, for search results, and for
 * lost workers.
 */
function migrateAsset(asset: Asset): Write | null {
  const { activeRevision, facts, run, filename, sourceUrl, sourceVersion } = asset;
  const isActive = activeRevision !== null;
  return ofAsset(asset, {
    ...(Number.isFinite(run.blame) ? {} : { 'run.blame': 0 }),
    ...(isActive && asset.embeddedWith === undefined ? { embeddedWith: facts?.embeddingModel ?? '' } : {}),
    // While a file is being read again the document names the new version; the source of the active revision is
    // unknown.
    ...(isActive && asset.activeSource === undefined && run.revision === activeRevision
      ? { activeSource: { filename, sourceUrl, sourceVersion } }
      : {}),
  });
}

/** An earlier run of the first version lacks the version of its asset: any later run may replace it. */
function migrateRun(run: ArchivedRun): Write | null {
  return run.assetVersion === undefined
    ? { filter: { assetVersion: null }, change: { set: { assetVersion: 0 } } }
    : null;
}

/**
 * Moves the earlier source versions of an asset to their own collection and keeps the latest in its document. The rows
 * are written first, because a version that is in neither would be indexed again.
 */
async function migrateVersions(asset: Asset, records: Records): Promise<Write | null> {
  const { registeredVersions: known, organizationId, sourceVersion } = asset;
  const current = versionDigest(sourceVersion);
  await insertVersions(
    records.collection(registeredVersions, scopeOf(organizationId)),
    asset,
    known.filter((version) => version !== current),
  );
  return known.length <= maxRecentVersions
    ? null
    : ofAsset(asset, { registeredVersions: known.slice(-maxRecentVersions) });
}

/**
 * All migrations, oldest first. Append new ones. A step may be removed when upgrades from versions before it are no
 * longer supported.
 */
export const migrations: readonly Migration[] = [
  {
    id: '1-assets-of-the-first-version',
    what: 'assets have the embedding model and source of their active revision, and the blame for lost workers',
    apply: overEach(assets, migrateAsset),
  },
  {
    id: '2-runs-of-the-first-version',
    what: 'earlier runs have the version of their asset',
    apply: overEach(archivedRuns, migrateRun),
  },
  {
    id: '3-source-versions',
    what: 'earlier source versions of assets have their own collection',
    apply: overEach(assets, migrateVersions),
  },
];
