import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Records } from '../../adapters/records/port.ts';
import { assets, type Asset } from '../../models/asset.ts';
import { stateFields, type AssetRecord, type CheckTools } from './check.ts';

/**
 * Documents of one read: at first, and after light and heavy ones. A document may have 5,000 principals, which take
 * milliseconds to parse, and other requests must get a turn in between; a remote store should not be read in small
 * pieces.
 */
const chunkSizes = { first: 16, light: 128, heavy: 8 };
/** Principals of one read above which the next one is small. */
const maxPrincipals = 10_000;
/** Principals up to which a document is kept as it is. */
const maxPrincipalsKept = 100;

/** A document with thousands of principals, reduced to the fields and principals that a search needs. */
function reduced(asset: Asset, granted: ReadonlySet<string>): AssetRecord {
  return {
    _id: asset._id,
    aclMode: asset.aclMode,
    principals: asset.principals.filter((principal) => granted.has(principal)),
    attributesVersion: asset.attributesVersion,
    activeRevision: asset.activeRevision,
    sourceMissingSince: asset.sourceMissingSince,
    createdAt: asset.createdAt,
    deletedAt: asset.deletedAt,
    filename: asset.filename,
    kind: asset.kind,
    metadata: asset.metadata,
    externalId: asset.externalId,
    sourceUrl: asset.sourceUrl,
    sourceVersion: asset.sourceVersion,
    ...(asset.activeSource === undefined ? {} : { activeSource: asset.activeSource }),
  };
}

/**
 * Reads the documents of found assets in chunks, so that many principals neither fill memory nor block the event loop.
 */
export function assetReader(records: Pick<Records, 'collection'>): CheckTools['readAssets'] {
  return async (scope, ids, granted) => {
    const collection = records.collection(assets, scope);
    const found: AssetRecord[] = [];
    let chunkSize = chunkSizes.first;
    for (let start = 0, next = 0; start < ids.length; start = next) {
      if (start > 0) await yieldToEventLoop();
      next = start + chunkSize;
      let principals = 0;
      for (const asset of await collection.getMany(ids.slice(start, next))) {
        principals += asset.principals.length;
        found.push(asset.principals.length > maxPrincipalsKept ? reduced(asset, granted) : asset);
      }
      chunkSize = principals > maxPrincipals ? chunkSizes.heavy : chunkSizes.light;
    }
    return found;
  };
}

/** Reads the states of found files: of hundreds, where the whole documents of few are needed. */
export function stateReader(records: Pick<Records, 'collection'>): CheckTools['readStates'] {
  return (scope, ids, granted) =>
    records.collection(assets, scope).getParts(ids, stateFields, { field: 'principals', among: granted });
}
