export { Ply, type PlyOptions } from './client.ts';
export { PlyConnectionError, PlyError, type ErrorCode, type ErrorDetails } from './errors.ts';
export { signLink, type LinkOptions } from './links.ts';
export type { RetryRules } from './retry.ts';
export type { components, operations } from './schema.d.ts';
export { Sha256, sha256Of } from './sha256.ts';
export type { CallOptions, Input, ItemOf, ListName, OperationName, Output } from './types.ts';
export { sendParts, type PartOptions, type UploadOptions, type UploadPart } from './upload.ts';
