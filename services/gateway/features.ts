import type { AssetCreate } from '../../models/api.ts';

/** Whether a plan includes a feature; where no plan is applied (null) everything is available. */
export function includes(features: readonly string[] | null, feature: string): boolean {
  return features === null || features.includes(feature);
}

/** The plan features that a registration needs: metadata and restricting are two, and each is looked at. */
export function registrationFeatures(asset: AssetCreate): ('permissions' | 'metadata')[] {
  return [
    ...(asset.metadata !== null && Object.keys(asset.metadata).length > 0 ? ['metadata' as const] : []),
    ...(asset.principals !== null && asset.principals.length > 0 ? ['permissions' as const] : []),
  ];
}
