import { setImmediate as turn } from 'node:timers/promises';
import type { Records } from '../../adapters/records/port.ts';
import { assets, type Asset } from '../../models/asset.ts';
import type { AssetRecord } from './check.ts';
import type { CheckTools } from './retrieve.ts';

/**
 * Documents read at a time, at first and by what the last ones were like: one may have 5,000 principals (milliseconds to
 * parse), and other requests must have their turn in between; a store far away should not be asked for few at a time.
 */
const portions = { first: 16, light: 128, heavy: 8 };
/** Principals of one portion above which the next one is small. */
const mostPrincipals = 10_000;
/** Principals of a document that is kept as it is: a search reads hundreds of such ones. */
const fewPrincipals = 100;

/** What the searcher keeps of a document with thousands of principals: only those that matter, and not its job and history. */
function kept(asset: Asset, granted: ReadonlySet<string>): AssetRecord {
  return {
    _id: asset._id, aclMode: asset.aclMode, principals: asset.principals.filter((principal) => granted.has(principal)), attributesVersion: asset.attributesVersion,
    activeRevision: asset.activeRevision, sourceMissingSince: asset.sourceMissingSince, createdAt: asset.createdAt, deletedAt: asset.deletedAt,
    filename: asset.filename, kind: asset.kind, metadata: asset.metadata, externalId: asset.externalId,
    sourceUrl: asset.sourceUrl, sourceVersion: asset.sourceVersion, ...(asset.activeSource === undefined ? {} : { activeSource: asset.activeSource }),
  };
}

/** Reads the documents of found assets, so that neither memory nor the event loop depends on how many principals they have. */
export function assetReader(records: Pick<Records, 'collection'>): CheckTools['readAssets'] {
  return async (scope, ids, granted) => {
    const collection = records.collection(assets, scope);
    const found: AssetRecord[] = [];
    let portion = portions.first;
    for (let start = 0, next = 0; start < ids.length; start = next) {
      if (start > 0) await turn();
      next = start + portion;
      let principals = 0;
      for (const asset of await collection.getMany(ids.slice(start, next))) {
        principals += asset.principals.length;
        found.push(asset.principals.length > fewPrincipals ? kept(asset, granted) : asset);
      }
      portion = principals > mostPrincipals ? portions.heavy : portions.light;
    }
    return found;
  };
}
