import { DoorFault, type FaultDetails, type FaultTable } from '../../../mixins/storage/door-fault.ts';

/** Error codes of the protocol that this door answers, with their statuses and messages. */
export const faultCodes = {
  AccessControlListNotSupported: [400, 'The bucket does not allow ACLs.'],
  AccessDenied: [403, 'Access Denied.'],
  AuthorizationHeaderMalformed: [400, 'The Authorization header is malformed.'],
  AuthorizationQueryParametersError: [400, 'The authorization parameters of the query are malformed.'],
  BadDigest: [400, 'The bytes that arrived do not match the checksum that was sent.'],
  BucketAlreadyExists: [409, 'The name is in use, or retired.'],
  BucketAlreadyOwnedByYou: [409, 'The bucket is there already, and is yours.'],
  BucketNotEmpty: [409, 'The bucket you tried to delete is not empty.'],
  ConditionalRequestConflict: [409, 'Another write of the key was in progress; try again.'],
  CORSForbidden: [403, 'The bucket does not allow this cross-origin request.'],
  EntityTooLarge: [400, 'The object is larger than the bucket takes.'],
  EntityTooSmall: [400, 'A part that is not the last has fewer than 5 MiB.'],
  ExpiredToken: [400, 'The token is over.'],
  IncompleteBody: [400, 'The body has not the announced length.'],
  InternalError: [500, 'The service failed; the request id finds the reason in its log.'],
  InvalidAccessKeyId: [403, 'The AWS Access Key Id you provided does not exist in our records.'],
  InvalidArgument: [400, 'An argument is not valid.'],
  InvalidBucketName: [400, 'The specified bucket is not valid.'],
  InvalidChunkSizeError: [403, 'Chunks other than the last have at least 8192 bytes.'],
  InvalidDigest: [400, 'The Content-MD5 you specified is not valid.'],
  InvalidLocationConstraint: [400, 'The location is no region that is open for new buckets.'],
  InvalidPart: [400, 'A part was not uploaded, or has another entity tag.'],
  InvalidPartOrder: [400, 'The parts are not in ascending order.'],
  InvalidPolicyDocument: [400, 'The policy of the form is not valid.'],
  InvalidRange: [416, 'The range lies outside the object.'],
  InvalidRequest: [400, 'The request is not valid.'],
  InvalidStorageClass: [400, 'The storage class is not offered.'],
  InvalidToken: [400, 'The provided token is malformed or otherwise invalid.'],
  InvalidURI: [400, 'The address cannot be decoded.'],
  KeyTooLongError: [400, 'The key has more than 1024 bytes of UTF-8.'],
  MalformedPOSTRequest: [400, 'The body is no valid form.'],
  MalformedXML: [400, 'The XML of the body is not what the operation takes.'],
  MaxMessageLengthExceeded: [400, 'The body is too large.'],
  MetadataTooLarge: [400, 'The metadata is larger than an object may have.'],
  MethodNotAllowed: [405, 'The method is not allowed here.'],
  MissingContentLength: [411, 'The length of the body must be sent.'],
  NoSuchBucket: [404, 'The specified bucket does not exist.'],
  NoSuchBucketPolicy: [404, 'The bucket has no policy.'],
  NoSuchCORSConfiguration: [404, 'The bucket has no CORS configuration.'],
  NoSuchKey: [404, 'The key does not exist.'],
  NoSuchLifecycleConfiguration: [404, 'The bucket has no lifecycle configuration.'],
  NoSuchPublicAccessBlockConfiguration: [404, 'The bucket has no public access block.'],
  NoSuchTagSet: [404, 'The TagSet does not exist.'],
  NoSuchUpload: [404, 'The upload does not exist, or was completed or aborted.'],
  NoSuchVersion: [404, 'The version does not exist.'],
  NoSuchWebsiteConfiguration: [404, 'The bucket has no website configuration.'],
  NotImplemented: [501, 'The operation is not offered.'],
  NotModified: [304, ''],
  ObjectAlreadyExists: [409, 'The bucket has an object with this key and does not allow overwriting.'],
  ObjectLockConfigurationNotFoundError: [404, 'The bucket has no object lock.'],
  OperationAborted: [409, 'Another operation on the same resource is in progress; try again.'],
  OwnershipControlsNotFoundError: [404, 'The bucket has no ownership controls.'],
  PreconditionFailed: [412, 'At least one of the pre-conditions you specified did not hold.'],
  ReplicationConfigurationNotFoundError: [404, 'The bucket has no replication.'],
  RequestTimeTooSkewed: [403, 'The time of the request is more than 15 minutes away from that of the server.'],
  RequestTimeout: [400, 'The body came too slowly.'],
  ServerSideEncryptionConfigurationNotFoundError: [404, 'The bucket has no encryption configuration.'],
  ServiceUnavailable: [503, 'A part of the service is away; try again.'],
  SignatureDoesNotMatch: [
    403,
    'The request signature we calculated does not match the signature you provided. Check your key and signing method.',
  ],
  SlowDown: [503, 'Too many requests; try again later.'],
  TooManyBuckets: [400, 'A ceiling of the plan is reached.'],
  XAmzContentSHA256Mismatch: [400, 'The body has not the SHA-256 that x-amz-content-sha256 names.'],
} as const satisfies FaultTable;

/** An error code of the protocol. */
export type FaultCode = keyof typeof faultCodes;

/** A request that is refused in the protocol's own form. */
export class Fault extends DoorFault<FaultCode> {
  constructor(code: FaultCode, details: FaultDetails = {}) {
    super('Fault', code, faultCodes[code], details);
  }
}

/** The fault of an argument. */
export function badArgument(name: string, message: string): Fault {
  return new Fault('InvalidArgument', { message, elements: { ArgumentName: name } });
}
