import type { DoorReply } from '../../../mixins/storage/door-http.ts';
import { requireBucket, type Door, type S3Exchange } from '../door.ts';
import { parameter } from '../protocol/address.ts';
import { badArgument, Fault } from '../protocol/faults.ts';
import { isSubresource } from '../protocol/subresources.ts';
import * as acl from './acl.ts';
import * as buckets from './buckets.ts';
import { completeMultipart } from './complete-multipart.ts';
import { copyObject } from './copy-object.ts';
import * as cors from './cors.ts';
import { deleteObject, deleteObjects } from './delete-objects.ts';
import { getObject, headObject } from './get-object.ts';
import { listObjects, listObjectsV2, listVersions } from './list-objects.ts';
import { listParts, listUploads } from './list-uploads.ts';
import * as multipart from './multipart.ts';
import * as ownership from './ownership.ts';
import { putObject } from './put-object.ts';
import * as small from './small-reads.ts';
import * as tagging from './tagging.ts';

/** An operation of the protocol. */
export type Operation = (door: Door, exchange: S3Exchange) => Promise<DoorReply>;

/** Operations by method, level (service, bucket, object) and sub-resource. */
const operations: { readonly [name: string]: Operation } = {
  'GET service': buckets.listBuckets,
  'GET bucket': (door, exchange) =>
    parameter(exchange.address, 'list-type') === '2' ? listObjectsV2(door, exchange) : listObjects(door, exchange),
  'HEAD bucket': buckets.headBucket,
  'PUT bucket': buckets.createBucket,
  'DELETE bucket': buckets.deleteBucket,
  'POST bucket delete': deleteObjects,
  'GET bucket location': buckets.getLocation,
  'GET bucket versioning': small.fixed('VersioningConfiguration'),
  'GET bucket versions': listVersions,
  'GET bucket uploads': listUploads,
  'GET bucket acl': acl.getBucketAcl,
  'PUT bucket acl': acl.putAcl,
  'GET bucket cors': cors.getBucketCors,
  'PUT bucket cors': cors.putBucketCors,
  'DELETE bucket cors': cors.deleteBucketCors,
  'GET bucket policy': small.absent('NoSuchBucketPolicy'),
  'GET bucket policyStatus': small.getPolicyStatus,
  'GET bucket lifecycle': small.absent('NoSuchLifecycleConfiguration'),
  'GET bucket tagging': tagging.getBucketTagging,
  'PUT bucket tagging': tagging.putBucketTagging,
  'DELETE bucket tagging': tagging.deleteBucketTagging,
  'GET bucket website': small.absent('NoSuchWebsiteConfiguration'),
  'GET bucket encryption': small.absent('ServerSideEncryptionConfigurationNotFoundError'),
  'GET bucket replication': small.absent('ReplicationConfigurationNotFoundError'),
  'GET bucket object-lock': small.absent('ObjectLockConfigurationNotFoundError'),
  'GET bucket ownershipControls': ownership.getOwnershipControls,
  'PUT bucket ownershipControls': ownership.putOwnershipControls,
  'GET bucket publicAccessBlock': small.absent('NoSuchPublicAccessBlockConfiguration'),
  'GET bucket logging': small.fixed('BucketLoggingStatus'),
  'GET bucket notification': small.fixed('NotificationConfiguration'),
  'GET bucket accelerate': small.fixed('AccelerateConfiguration'),
  'GET bucket requestPayment': small.fixed('RequestPaymentConfiguration', '<Payer>BucketOwner</Payer>'),
  'GET object': getObject,
  'HEAD object': headObject,
  'PUT object': (door, exchange) =>
    exchange.request.headers['x-amz-copy-source'] === undefined
      ? putObject(door, exchange)
      : copyObject(door, exchange),
  'DELETE object': deleteObject,
  'GET object acl': acl.getObjectAcl,
  'PUT object acl': acl.putAcl,
  'GET object tagging': tagging.getObjectTagging,
  'PUT object tagging': tagging.putObjectTagging,
  'DELETE object tagging': tagging.deleteObjectTagging,
  'GET object attributes': small.getObjectAttributes,
  'GET object uploadId': listParts,
  'POST object uploads': multipart.createMultipart,
  'PUT object uploadId': (door, exchange) =>
    exchange.request.headers['x-amz-copy-source'] === undefined
      ? multipart.uploadPart(door, exchange)
      : multipart.uploadPartCopy(door, exchange),
  'POST object uploadId': completeMultipart,
  'DELETE object uploadId': multipart.abortMultipart,
};

/** What is not offered of a bucket, or of an object, that must be there. @throws Fault */
async function notOffered(door: Door, exchange: S3Exchange, subresource: string): Promise<never> {
  if (exchange.address.bucket !== null) await requireBucket(door, exchange, exchange.address.bucket, 'reach');
  throw new Fault('NotImplemented', {
    message: `The operation ${exchange.request.method ?? ''} ?${subresource} is not offered.`,
    elements: { Subresource: subresource },
  });
}

/**
 * The operation that a request asks for.
 * @throws Fault `MethodNotAllowed`, `NotImplemented`, `InvalidRequest`, `InvalidArgument`
 */
export function findOperation({
  request,
  address,
  access,
}: Pick<S3Exchange, 'request' | 'address' | 'access'>): Operation {
  const method = request.method ?? 'GET';
  const level = address.bucket === null ? 'service' : address.key === null ? 'bucket' : 'object';
  if (method === 'PUT' && level === 'bucket' && access.payload === 'STREAMING-UNSIGNED-PAYLOAD-TRAILER')
    throw new Fault('InvalidRequest', { message: 'The value of x-amz-content-sha256 header is invalid.' });
  const sub = address.query.filter(isSubresource).map(([name]) => name);
  if (sub.length > 1) throw new Fault('NotImplemented', { message: 'The request names several sub-resources.' });
  const version = parameter(address, 'versionId');
  if (version !== null && (level === 'bucket' || (method === 'PUT' && sub.length === 0)))
    throw badArgument('versionId', 'This operation does not accept a version-id.', version);
  const found = operations[[method, level, ...sub].join(' ')];
  if (found !== undefined) return found;
  if (sub.length === 0) throw new Fault('MethodNotAllowed');
  return (door, exchange) => notOffered(door, exchange, sub[0] ?? '');
}
