/** Parameters that make another operation of a request, whatever their value. One that is not in the table of operations is not offered. */
export const subresources: ReadonlySet<string> = new Set([
  'accelerate',
  'acl',
  'analytics',
  'attributes',
  'cors',
  'delete',
  'encryption',
  'intelligent-tiering',
  'inventory',
  'legal-hold',
  'lifecycle',
  'location',
  'logging',
  'metadataConfiguration',
  'metadataTable',
  'metrics',
  'notification',
  'object-lock',
  'ownershipControls',
  'policy',
  'policyStatus',
  'publicAccessBlock',
  'rename',
  'renameObject',
  'replication',
  'requestPayment',
  'restore',
  'retention',
  'select',
  'session',
  'tagging',
  'torrent',
  'uploadId',
  'uploads',
  'versioning',
  'versions',
  'website',
]);

/** Parameters that operations have besides, of which some may be empty. */
const plainParameters: ReadonlySet<string> = new Set([
  'bucket-region',
  'continuation-token',
  'delimiter',
  'encoding-type',
  'fetch-owner',
  'key-marker',
  'list-type',
  'marker',
  'max-buckets',
  'max-keys',
  'max-parts',
  'max-uploads',
  'part-number-marker',
  'partNumber',
  'prefix',
  'start-after',
  'upload-id-marker',
  'version-id-marker',
  'versionId',
  'x-id',
]);
const isPlainParameter = (name: string): boolean =>
  plainParameters.has(name) || /^(?:response|x-amz)-|^(?:AWSAccessKeyId|Expires|Signature)$/i.test(name);

/**
 * Whether a parameter makes another operation of a request: one of the list, or a bare name that is none of the plain ones.
 * Operations that the protocol gets are named so, and must not be taken for reading, writing or deleting an object.
 */
export function isSubresource([name, value]: readonly [string, string]): boolean {
  return subresources.has(name) || (value === '' && !isPlainParameter(name));
}
