import { DoorFault, type FaultDetails, type FaultTable } from '../../../mixins/storage/door-fault.ts';

/** Error codes of the protocol that this door answers, with their statuses and messages. */
export const faultCodes = {
  AccessControlListNotSupported: [400, 'The bucket does not allow ACLs.'],
  AccessDenied: [403, 'Access Denied.'],
  AccessForbidden: [403, 'CORSResponse: This CORS request is not allowed.'],
  AuthorizationHeaderMalformed: [400, 'The Authorization header is malformed.'],
  AuthorizationQueryParametersError: [400, 'The authorization parameters of the query are malformed.'],
  BadDigest: [400, 'The Content-MD5 you specified did not match what we received.'],
  BadRequest: [400, 'Bad Request'],
  BucketAlreadyExists: [409, 'The requested bucket name is not available. The name is in use, or retired.'],
  BucketAlreadyOwnedByYou: [409, 'Your previous request to create the named bucket succeeded and you already own it.'],
  BucketNotEmpty: [409, 'The bucket you tried to delete is not empty.'],
  ConditionalRequestConflict: [409, 'Another write of the key was in progress; try again.'],
  EntityTooLarge: [400, 'Your proposed upload exceeds the maximum allowed object size.'],
  EntityTooSmall: [400, 'Your proposed upload is smaller than the minimum allowed size'],
  ExpiredToken: [400, 'The token is over.'],
  IncompleteBody: [400, 'You did not provide the number of bytes specified by the Content-Length HTTP header'],
  InternalError: [500, 'The service failed; the request id finds the reason in its log.'],
  InvalidAccessKeyId: [403, 'The AWS Access Key Id you provided does not exist in our records.'],
  InvalidArgument: [400, 'An argument is not valid.'],
  InvalidBucketName: [400, 'The specified bucket is not valid.'],
  InvalidChunkSizeError: [400, 'Only the last chunk is allowed to have a size less than 8192 bytes'],
  InvalidDigest: [400, 'The Content-Md5 you specified is not valid.'],
  InvalidLocationConstraint: [400, 'The specified location-constraint is not valid'],
  InvalidPart: [
    400,
    "One or more of the specified parts could not be found.  The part may not have been uploaded, or the specified entity tag may not match the part's entity tag.",
  ],
  InvalidPartOrder: [400, 'The list of parts was not in ascending order. Parts must be ordered by part number.'],
  InvalidPolicyDocument: [400, 'The policy of the form is not valid.'],
  InvalidRange: [416, 'The requested range is not satisfiable'],
  InvalidRedirectLocation: [400, "The website redirect location must have a prefix of 'http://' or 'https://' or '/'."],
  InvalidRequest: [400, 'The request is not valid.'],
  InvalidStorageClass: [400, 'The storage class you specified is not valid'],
  InvalidTag: [400, 'The tag provided was not a valid tag.'],
  InvalidToken: [400, 'The provided token is malformed or otherwise invalid.'],
  InvalidURI: [400, "The specified URI couldn't be parsed."],
  KeyTooLongError: [400, 'Your key is too long.'],
  MalformedACLError: [
    400,
    'The XML you provided was not well-formed or did not validate against our published schema.',
  ],
  MalformedPOSTRequest: [400, 'The body of your POST request is not well-formed multipart/form-data.'],
  MalformedTrailerError: [
    400,
    'The request contained trailing data that was not well-formed or did not conform to our published schema.',
  ],
  MalformedXML: [400, 'The XML you provided was not well-formed or did not validate against our published schema.'],
  MaxMessageLengthExceeded: [400, 'Your request was too big.'],
  MetadataTooLarge: [400, 'Your metadata headers exceed the maximum allowed metadata size'],
  MethodNotAllowed: [405, 'The specified method is not allowed against this resource.'],
  MissingContentLength: [411, 'You must provide the Content-Length HTTP header.'],
  MissingSecurityHeader: [404, 'Your request was missing a required header.'],
  NoSuchBucket: [404, 'The specified bucket does not exist.'],
  NoSuchBucketPolicy: [404, 'The bucket policy does not exist.'],
  NoSuchCORSConfiguration: [404, 'The CORS configuration does not exist'],
  NoSuchKey: [404, 'The specified key does not exist.'],
  NoSuchLifecycleConfiguration: [404, 'The lifecycle configuration does not exist'],
  NoSuchPublicAccessBlockConfiguration: [404, 'The public access block configuration was not found'],
  NoSuchTagSet: [404, 'The TagSet does not exist.'],
  NoSuchUpload: [
    404,
    'The specified multipart upload does not exist. The upload ID may be invalid, or the upload may have been aborted or completed.',
  ],
  NoSuchVersion: [404, 'The specified version does not exist.'],
  NoSuchWebsiteConfiguration: [404, 'The specified bucket does not have a website configuration'],
  NotImplemented: [501, 'A header you provided implies functionality that is not implemented.'],
  NotModified: [304, ''],
  ObjectAlreadyExists: [409, 'The bucket has an object with this key and does not allow overwriting.'],
  ObjectLockConfigurationNotFoundError: [404, 'Object Lock configuration does not exist for this bucket.'],
  OperationAborted: [
    409,
    'A conflicting conditional operation is currently in progress against this resource. Try again.',
  ],
  OwnershipControlsNotFoundError: [404, 'The bucket ownership controls were not found.'],
  PreconditionFailed: [412, 'At least one of the pre-conditions you specified did not hold.'],
  ReplicationConfigurationNotFoundError: [404, 'The replication configuration was not found'],
  RequestTimeout: [
    400,
    'Your socket connection to the server was not read from or written to within the timeout period.',
  ],
  RequestTimeTooSkewed: [403, 'The difference between the request time and the current time is too large.'],
  ServerSideEncryptionConfigurationNotFoundError: [404, 'The server side encryption configuration was not found'],
  ServiceUnavailable: [503, 'A part of the service is away; try again.'],
  SignatureDoesNotMatch: [
    403,
    'The request signature we calculated does not match the signature you provided. Check your key and signing method.',
  ],
  SlowDown: [503, 'Please reduce your request rate.'],
  TooManyBuckets: [400, 'A ceiling of the plan is reached.'],
  UnexpectedContent: [400, 'This request does not support content.'],
  XAmzContentSHA256Mismatch: [400, "The provided 'x-amz-content-sha256' header does not match what was computed."],
} as const satisfies FaultTable;

/** An error code of the protocol. */
export type FaultCode = keyof typeof faultCodes;

/** A request that is refused in the protocol's own form. */
export class Fault extends DoorFault<FaultCode> {
  constructor(code: FaultCode, details: FaultDetails = {}) {
    super('Fault', code, faultCodes[code], details);
  }
}

/** The fault of an argument. @param value what was sent, where the answer may repeat it */
export function badArgument(name: string, message: string, value: string | null = null): Fault {
  return new Fault('InvalidArgument', {
    message,
    elements: { ArgumentName: name, ...(value === null ? {} : { ArgumentValue: value }) },
  });
}
