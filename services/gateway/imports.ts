import { setImmediate } from 'node:timers/promises';
import type { ImportItem } from '../../models/api.ts';
import { Refusal } from '../../models/errors.ts';
import { checkImportItem, externalIdOf } from '../../models/schemas/assets.ts';
import { includes, registrationFeatures } from './features.ts';
import { sentence } from './route.ts';

/** Milliseconds of checking after which other requests have their turn: an import may hold a million values. */
const turn = 10;

/** What an import hands to the registrar: each item valid, or with the refusal that its place gets. */
export async function importItems(items: readonly unknown[], features: readonly string[] | null): Promise<ImportItem[]> {
  const checked: ImportItem[] = [];
  let began = performance.now();
  for (const [position, item] of items.entries()) {
    checked.push(importItem(item, position, features));
    if (performance.now() - began < turn) continue;
    await setImmediate();
    began = performance.now();
  }
  return checked;
}

function importItem(item: unknown, position: number, features: readonly string[] | null): ImportItem {
  try {
    const asset = checkImportItem(item, position);
    const feature = registrationFeatures(asset).find((needed) => !includes(features, needed));
    if (feature === undefined) return { asset };
    return { externalId: asset.externalId, code: 'not_included_in_plan', detail: `The account's plan does not include ${feature}.` };
  } catch (error) {
    if (!(error instanceof Refusal) || error.data.fields === undefined) throw error;
    const { fields, detail = '' } = sentence(error.data.fields, error.message).data;
    return { externalId: externalIdOf(item), code: error.type, fields: fields ?? [], detail };
  }
}
