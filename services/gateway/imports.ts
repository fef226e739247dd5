import type { ImportItem } from '../../models/api.ts';
import { Refusal } from '../../models/errors.ts';
import { checkImportItem, externalIdOf } from '../../models/schemas/assets.ts';
import { registrationFeature, includes } from './features.ts';
import { sentence } from './route.ts';

/** What an import hands to the registrar: each item valid, or with the refusal that its place gets. */
export function importItems(items: readonly unknown[], features: readonly string[] | null): ImportItem[] {
  return items.map((item, position) => {
    try {
      const asset = checkImportItem(item, position);
      const feature = registrationFeature(asset);
      if (feature === null || includes(features, feature)) return { asset };
      return { externalId: asset.externalId, code: 'not_included_in_plan', fields: [], detail: `The account's plan does not include ${feature}.` };
    } catch (error) {
      if (!(error instanceof Refusal) || error.data.fields === undefined) throw error;
      const { fields, detail = '' } = sentence(error.data.fields, error.message).data;
      return { externalId: externalIdOf(item), code: error.type, fields: fields ?? [], detail };
    }
  });
}
