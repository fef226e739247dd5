/** Folder (with its final slash) of what was derived from one revision of an asset. */
export function derivedFolder(organizationId: string, assetId: string, revision: number): string {
  return `derived/${organizationId}/${assetId}/${revision}/`;
}

/** Folder of everything that was derived from an asset. */
export function assetFolder(organizationId: string, assetId: string): string {
  return `derived/${organizationId}/${assetId}/`;
}
