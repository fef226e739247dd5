import type { CollectionDefinition, StoredRecord } from '../../../models/collection.ts';
import { DuplicateRecord, StoreUnavailable } from '../port.ts';

/** Code of a violated unique index. */
export const duplicateKey = 11_000;

/**
 * Codes with which a server says that it cannot serve now: unreachable host, timeouts, no primary, shutting down,
 * write concern not met. From MongoDB's list: https://www.mongodb.com/docs/manual/reference/error-codes/
 */
const unavailable = new Set([
  6, 7, 50, 64, 89, 91, 100, 133, 134, 189, 262, 9001, 10_107, 11_600, 11_602, 13_435, 13_436,
]);
/** Codes of the system for a connection that broke: now and then one reaches the caller past the driver, as it is. */
const broken = new Set([
  'EPIPE',
  'ECONNRESET',
  'ECONNREFUSED',
  'ECONNABORTED',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);
/** Errors of the driver itself that mean a wrong call, not an absent server. */
const programming = /^Mongo(?:InvalidArgument|MissingDependency|API|Parse|Runtime|Compatibility|Unexpected)/;

/** What a failure of the driver means to the port: DuplicateRecord, StoreUnavailable, or the error as it is. */
export function translated(definition: CollectionDefinition<StoredRecord>, error: unknown): unknown {
  // By its form, not by instanceof: errors of the system come from another realm where code runs in a context of its
  // own.
  if (!hasNameAndMessage(error)) return error;
  const { code } = error;
  if (code === duplicateKey) return new DuplicateRecord(definition.name, indexOf(error.message));
  if (typeof code === 'string' && broken.has(code)) return new StoreUnavailable('MongoDB', { cause: error });
  if (!error.name.startsWith('Mongo') || programming.test(error.name)) return error;
  const fromServer = error.name === 'MongoServerError' || error.name === 'MongoBulkWriteError';
  if (!fromServer || (typeof code === 'number' && unavailable.has(code)))
    return new StoreUnavailable('MongoDB', { cause: error });
  return error;
}

function hasNameAndMessage(error: unknown): error is { name: string; message: string; code?: unknown } {
  return (
    typeof error === 'object' &&
    error !== null &&
    'name' in error &&
    typeof error.name === 'string' &&
    'message' in error &&
    typeof error.message === 'string'
  );
}

/** The index that a duplicate key message names: `... collection: <db>.<collection> index: <name> dup key: ...`. */
function indexOf(message: string): string {
  const name = /collection: \S+ index: (\S+)/.exec(message)?.[1] ?? 'unknown';
  return name === '_id_' ? '_id' : name;
}
