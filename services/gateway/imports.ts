import { setImmediate } from 'node:timers/promises';
import type { AssetCreate, ImportItem } from '../../models/api.ts';
import { Refusal } from '../../models/errors.ts';
import { checkImportItem, externalIdOf } from '../../models/schemas/assets.ts';
import { hasFeature } from '../../mixins/http/api/admission.ts';
import { sentence } from '../../mixins/http/api/route.ts';

/** Milliseconds of checking after which other requests are handled: an import may hold a million values. */
const maxBlockingMs = 10;

/** The plan features that a registration needs: metadata, restricting who may read, or both. */
export function registrationFeatures(asset: AssetCreate): ('permissions' | 'metadata')[] {
  return [
    ...(asset.metadata !== null && Object.keys(asset.metadata).length > 0 ? ['metadata' as const] : []),
    ...(asset.principals !== null && asset.principals.length > 0 ? ['permissions' as const] : []),
  ];
}

/** The items of an import as the registrar takes them: each is valid, or has the refusal of its index. */
export async function importItems(
  items: readonly unknown[],
  features: readonly string[] | null,
): Promise<ImportItem[]> {
  const checked: ImportItem[] = [];
  let began = performance.now();
  for (const [position, item] of items.entries()) {
    checked.push(importItem(item, position, features));
    if (performance.now() - began < maxBlockingMs) continue;
    await setImmediate();
    began = performance.now();
  }
  return checked;
}

function importItem(item: unknown, position: number, features: readonly string[] | null): ImportItem {
  try {
    const asset = checkImportItem(item, position);
    const feature = registrationFeatures(asset).find((needed) => !hasFeature(features, needed));
    if (feature === undefined) return { asset };
    return {
      externalId: asset.externalId,
      code: 'not_included_in_plan',
      detail: `The account's plan does not include ${feature}.`,
    };
  } catch (error) {
    if (!(error instanceof Refusal) || error.data.fields === undefined) throw error;
    const { fields, detail = '' } = sentence(error.data.fields, error.message).data;
    return { externalId: externalIdOf(item), code: error.type, fields: fields ?? [], detail };
  }
}
