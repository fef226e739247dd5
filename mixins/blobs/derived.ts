/** Folder (with its final slash) of the blobs derived from a revision of an asset. */
export function derivedFolder(organizationId: string, assetId: string, revision: number): string {
  return `derived/${organizationId}/${assetId}/${revision}/`;
}

/** Folder of all blobs derived from an asset. */
export function assetFolder(organizationId: string, assetId: string): string {
  return `derived/${organizationId}/${assetId}/`;
}
