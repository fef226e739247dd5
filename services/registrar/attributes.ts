import type { Caller } from '../../models/api.ts';
import { openPrincipals, type AclMode, type Asset, type Metadata } from '../../models/asset.ts';
import { withAttributesEntry } from '../../mixins/indexing/runs.ts';
import { invalid } from '../../models/errors.ts';
import type { Registrar } from './registrar.ts';

/** The next state of an asset whose attributes change, with the outbox entry for the index. */
function withAttributes(asset: Asset, now: number, fields: Partial<Asset>): Asset {
  const attributesVersion = asset.attributesVersion + 1;
  return {
    ...asset,
    ...fields,
    attributesVersion,
    updatedAt: now,
    outbox: withAttributesEntry(asset.outbox, attributesVersion),
  };
}

/** Replaces an asset's metadata document. It applies to every search that starts after the answer. */
export async function writeMetadata(
  registrar: Registrar,
  caller: Caller,
  assetId: string,
  metadata: Metadata,
): Promise<{ assetId: string; metadata: Metadata }> {
  const asset = await registrar.modify(caller.organizationId, assetId, (read) =>
    withAttributes(read, registrar.app.runtime.now(), { metadata }),
  );
  await registrar.drain(asset);
  return { assetId, metadata: asset.metadata };
}

/** An asset's metadata document. */
export async function readMetadata(
  registrar: Registrar,
  caller: Caller,
  assetId: string,
): Promise<{ assetId: string; metadata: Metadata }> {
  const asset = await registrar.present(caller.organizationId, assetId);
  return { assetId, metadata: asset.metadata };
}

function permissionsView(asset: Asset): { assetId: string; mode: AclMode; principals: string[] } {
  return {
    assetId: asset._id,
    mode: asset.aclMode,
    principals: asset.aclMode === 'restricted' ? asset.principals : [],
  };
}

/**
 * Replaces who may see an asset. The record is written first, then the index, then the caller is answered: a grant or
 * revocation applies to every search that starts afterwards, and the outbox repairs a crash in between. The next sync
 * compares the file again: where its source defines who may see it, the source wins from then on.
 */
export async function writePermissions(
  registrar: Registrar,
  caller: Caller,
  assetId: string,
  mode: AclMode,
  principals: readonly string[],
): Promise<{ assetId: string; mode: AclMode; principals: string[] }> {
  if (mode === 'open' && principals.length > 0)
    throw invalid(['body', 'principals'], 'An open file has no principals; send mode "restricted", or leave them out.');
  const stored = mode === 'open' ? [...openPrincipals] : [...new Set(principals)];
  const asset = await registrar.modify(caller.organizationId, assetId, (read) =>
    withAttributes(read, registrar.app.runtime.now(), {
      aclMode: mode,
      principals: stored,
      ...(read.synced === undefined ? {} : { synced: { ...read.synced, mark: '' } }),
    }),
  );
  await registrar.drain(asset);
  return permissionsView(asset);
}

/** Who may see an asset. */
export async function readPermissions(
  registrar: Registrar,
  caller: Caller,
  assetId: string,
): Promise<{ assetId: string; mode: AclMode; principals: string[] }> {
  return permissionsView(await registrar.present(caller.organizationId, assetId));
}
