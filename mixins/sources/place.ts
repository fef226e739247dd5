/** The place for which an asset's address with credentials is sealed. */
export function accessPlace(assetId: string): string {
  return `asset:${assetId}:access`;
}
