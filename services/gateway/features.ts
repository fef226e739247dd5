import type { AssetCreate } from '../../models/api.ts';

/** Whether a plan includes a feature; where no plan is applied (null) everything is available. */
export function includes(features: readonly string[] | null, feature: string): boolean {
  return features === null || features.includes(feature);
}

/** The plan feature that a registration needs; null for none. */
export function registrationFeature(asset: AssetCreate): 'permissions' | 'metadata' | null {
  if (asset.metadata !== null && Object.keys(asset.metadata).length > 0) return 'metadata';
  return asset.principals !== null && asset.principals.length > 0 ? 'permissions' : null;
}
