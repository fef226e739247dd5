import { setImmediate as turn } from 'node:timers/promises';
import type { Records } from '../../adapters/records/port.ts';
import { assets, type Asset } from '../../models/asset.ts';
import type { AssetRecord } from './check.ts';
import type { CheckTools } from './retrieve.ts';

/** Documents read at a time: one may have 5,000 principals, and other requests must have their turn in between. */
const atOnce = 64;

/** What the searcher keeps of a document: not its job and history, and of thousands of principals only those that matter. */
function kept(asset: Asset, granted: ReadonlySet<string>): AssetRecord {
  const { run: _run, outbox: _outbox, registeredVersions: _versions, ...rest } = asset;
  return { ...rest, principals: asset.principals.filter((principal) => granted.has(principal)) };
}

/** Reads the documents of found assets, so that neither memory nor the event loop depends on how many principals they have. */
export function assetReader(records: Pick<Records, 'collection'>): CheckTools['readAssets'] {
  return async (scope, ids, granted) => {
    const collection = records.collection(assets, scope);
    const found: AssetRecord[] = [];
    for (let start = 0; start < ids.length; start += atOnce) {
      if (start > 0) await turn();
      for (const asset of await collection.getMany(ids.slice(start, start + atOnce))) found.push(kept(asset, granted));
    }
    return found;
  };
}
