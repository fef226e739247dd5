import { DoorFault, type FaultDetails, type FaultTable } from '../../../mixins/storage/door-fault.ts';

/**
 * Errors of the Blob protocol that the door answers, with their HTTP status and message
 * (https://learn.microsoft.com/rest/api/storageservices/blob-service-error-codes).
 */
const faults = {
  AuthenticationFailed: [403, 'The server failed to authenticate the request. Check the signature and its time.'],
  AuthorizationFailure: [403, 'The request is not authorized to perform this operation.'],
  AuthorizationPermissionMismatch: [403, 'The key or the signature does not permit this operation.'],
  AuthorizationProtocolMismatch: [403, 'The signature does not permit this protocol.'],
  AuthorizationResourceTypeMismatch: [403, 'The signature does not permit this type of resource.'],
  AuthorizationServiceMismatch: [403, 'The signature does not permit this service.'],
  AuthorizationSourceIPMismatch: [403, 'The signature does not permit this address.'],
  BlobAlreadyExists: [409, 'The blob exists already.'],
  BlobNotFound: [404, 'The blob does not exist.'],
  BothCrc64AndMd5HeaderPresent: [400, 'Both x-ms-content-crc64 and Content-MD5 are present.'],
  CannotVerifyCopySource: [404, 'The source of the copy could not be read.'],
  ConditionNotMet: [412, 'A condition of the request headers is not met.'],
  ContainerAlreadyExists: [409, 'The container exists already.'],
  ContainerBeingDeleted: [409, 'The container is being deleted.'],
  ContainerNotFound: [404, 'The container does not exist.'],
  CorsPreflightFailure: [403, 'No CORS rule allows this request.'],
  Crc64Mismatch: [400, 'The CRC64 of the request is not that of the bytes that arrived.'],
  EmptyMetadataKey: [400, 'The key of a metadata pair is empty.'],
  InsufficientAccountPermissions: [403, "The account's plan does not include storage."],
  HierarchicalNamespaceNotEnabled: [400, 'This operation is only supported on a hierarchical namespace account.'],
  InternalError: [500, 'The server encountered an internal error.'],
  InvalidBlobOrBlock: [400, 'The blob or block content is invalid.'],
  InvalidBlockId: [
    400,
    'The block id is invalid: base64 of 1 to 64 bytes, of the same length in all blocks of a blob.',
  ],
  InvalidBlockList: [400, 'The block list is invalid: a block is not there.'],
  InvalidHeaderValue: [400, 'The value of a header is not valid.'],
  InvalidInput: [400, 'One of the inputs is not valid.'],
  InvalidMd5: [400, 'The MD5 is invalid: base64 of 16 bytes.'],
  InvalidMetadata: [400, 'A name of metadata is not valid.'],
  InvalidQueryParameterValue: [400, 'The value of a query parameter is not valid.'],
  InvalidRange: [416, 'The range is not within the blob.'],
  InvalidResourceName: [400, 'The specified resource name contains invalid characters.'],
  InvalidUri: [400, 'The request address is not valid.'],
  InvalidXmlDocument: [400, 'The XML of the body is not valid.'],
  Md5Mismatch: [400, 'The MD5 of the request is not that of the bytes that arrived.'],
  MetadataTooLarge: [400, 'The metadata is too large.'],
  MissingContentLengthHeader: [411, 'The Content-Length header is missing.'],
  MissingRequiredHeader: [400, 'A required header is missing.'],
  MissingRequiredQueryParameter: [400, 'A required query parameter is missing.'],
  NoAuthenticationInformation: [401, 'The request has no signature.'],
  NoPendingCopyOperation: [409, 'No copy is pending: each is complete with its answer.'],
  NotImplemented: [501, 'The operation is not offered.'],
  OperationTimedOut: [500, 'The operation took too long; try again.'],
  OutOfRangeInput: [400, 'One of the inputs is out of range.'],
  RequestBodyTooLarge: [413, 'The body is larger than is allowed.'],
  RequestUrlFailedToParse: [400, 'The request address could not be parsed.'],
  ResourceNotFound: [404, 'The resource does not exist.'],
  ResourceTypeMismatch: [409, 'The resource does not allow this operation in its present state.'],
  ServerBusy: [503, 'Too many requests; try again later.'],
  SourceConditionNotMet: [412, 'A condition on the source of the copy is not met.'],
  UnsatisfiableCondition: [400, 'The request includes an unsatisfiable condition for this operation.'],
  UnsupportedHttpVerb: [405, 'The resource does not support this method.'],
} as const satisfies FaultTable;

/** An error code of the protocol. */
export type FaultCode = keyof typeof faults;

/** An error that is answered in the form of the protocol. */
export class Fault extends DoorFault<FaultCode> {
  constructor(code: FaultCode, details: FaultDetails = {}) {
    super('BlobFault', code, faults[code], details);
  }
}

/** The fault of what the protocol has and is not offered. @param what its name, in the plural */
export function notOffered(what: string): Fault {
  return new Fault('NotImplemented', { message: `${what} are not offered.` });
}

/** The fault of a header's value. */
export function badHeader(name: string, value: string): Fault {
  return new Fault('InvalidHeaderValue', { elements: { HeaderName: name, HeaderValue: value.slice(0, 256) } });
}

/** The fault of a query parameter's value. */
export function badParameter(name: string, value: string): Fault {
  return new Fault('InvalidQueryParameterValue', {
    elements: { QueryParameterName: name, QueryParameterValue: value.slice(0, 256) },
  });
}
