import type { Change, Filter, Records } from '../../adapters/records/port.ts';
import { assets, type Asset } from '../../models/asset.ts';
import type { CollectionDefinition, StoredRecord } from '../../models/collection.ts';
import { archivedRuns, type ArchivedRun } from '../../models/job.ts';
import { systemScope } from '../../models/scope.ts';

/** What a page of a migration came to. */
export interface MigratedPage {
  /** The last document that was looked at; null when there are no more. */
  last: string | null;
  /** Documents that were changed. */
  changed: number;
}

/** A step that brings documents of earlier versions forward while the program, and earlier ones beside it, serve. */
export interface Migration {
  /** Stands in the stores when it is done: never change it. */
  id: string;
  /** What it does, for the log. */
  what: string;
  /**
   * What a program has to know to read what the step writes, where earlier ones do not: from its beginning on these no
   * longer start. Left out where earlier versions read the new form too.
   */
  needs?: number;
  /** Brings the page of documents behind `after` forward. Doing a page again changes nothing. */
  apply(records: Records, after: string | null, limit: number): Promise<MigratedPage>;
}

/** One conditional write, or null where the document is as it should be. */
type Forward<T> = (document: T) => { filter: Filter; change: Change } | null;

/** A step that looks at every document of a collection once, in the order of their ids. */
export function overEach<T extends StoredRecord>(definition: CollectionDefinition<T>, forward: Forward<T>): Migration['apply'] {
  return async (records, after, limit) => {
    const collection = records.collection(definition, systemScope);
    const page = await collection.find({ filter: {}, sort: [['_id', 1]], limit, ...(after === null ? {} : { after: [after] }) });
    const written = await Promise.all(page.map((document) => bring(document)));
    return { last: page.length < limit ? null : (page.at(-1)?._id ?? null), changed: written.filter(Boolean).length };

    /** Somebody else's write in between is looked at again, however often. */
    async function bring(document: T): Promise<boolean> {
      for (let current: T | null = document; current !== null; current = await collection.get(document._id)) {
        const write = forward(current);
        if (write === null) return false;
        if ((await collection.update(document._id, write.filter, write.change)) !== null) return true;
      }
      return false;
    }
  };
}

/** The write of an asset's document as it was read. */
function ofAsset(asset: Asset, set: { [path: string]: string | number | object }): ReturnType<Forward<Asset>> {
  return Object.keys(set).length === 0 ? null : { filter: { version: asset.version }, change: { set, increment: { version: 1 } } };
}

/** What an asset's document of the first version lacks: what re-embedding looks for, what results name, and who is to blame for lost workers. */
function assetForward(asset: Asset): ReturnType<Forward<Asset>> {
  const { activeRevision, facts, run, filename, sourceUrl, sourceVersion } = asset;
  const isActive = activeRevision !== null;
  return ofAsset(asset, {
    ...(Number.isFinite(run.blame) ? {} : { 'run.blame': 0 }),
    ...(isActive && asset.embeddedWith === undefined ? { embeddedWith: facts?.embeddingModel ?? '' } : {}),
    // Of a file that is read anew the document names the new version; what the active one was read from is not known any more.
    ...(isActive && asset.activeSource === undefined && run.revision === activeRevision ? { activeSource: { filename, sourceUrl, sourceVersion } } : {}),
  });
}

/** An earlier run of the first version lacks which reading of the asset it is of: any later one may replace it. */
function runForward(run: ArchivedRun): ReturnType<Forward<ArchivedRun>> {
  return run.assetVersion === undefined ? { filter: { assetVersion: null }, change: { set: { assetVersion: 0 } } } : null;
}

/** All migrations, oldest first. Add at the end; a step may be removed when no version before it is upgraded from any more. */
export const migrations: readonly Migration[] = [
  { id: '1-assets-of-the-first-version', what: 'assets tell their embedding model, what their active revision was read from, and blame', apply: overEach(assets, assetForward) },
  { id: '2-runs-of-the-first-version', what: 'earlier runs tell which reading of their asset they are of', apply: overEach(archivedRuns, runForward) },
];
