import { invalid } from '../errors.ts';
import { mediaTypeForm } from '../media-type.ts';
import { keyFault, keyForm, maxKeyBytes } from '../storage-key.ts';
import type { ObjectMetadata } from '../storage-object.ts';
import { maxObjectBytes } from './bucket-settings.ts';
import { displayName, textFault } from './faults.ts';
import { customSchema, isObject, nullable, object, optional, required, withDefault, type Schema } from './schema.ts';
import { integer, mapped, text } from './values.ts';

/** Longest media type of an object, in characters. */
const maxTypeLength = 255;

/** A key of an object. */
export const objectKey: Schema<string> = mapped(text(1, maxKeyBytes, keyForm), (key: string) => {
  const fault = keyFault(key);
  if (fault !== null) throw invalid([], fault);
  return key;
});

/** A SHA-256 in hexadecimal digits; it becomes lower case. */
export const sha256 = mapped(
  text(64, 64, { source: '^[0-9a-fA-F]{64}$', expected: 'a SHA-256 as 64 hexadecimal digits' }),
  (digest: string) => digest.toLowerCase(),
);

/** Body of POST /buckets/{bucketId}/uploads. */
export const newUpload = object({
  key: required(objectKey),
  contentType: required(text(1, maxTypeLength, mediaTypeForm)),
  size: required(integer(0, maxObjectBytes)),
  sha256: withDefault(nullable(sha256), null),
});

const maxMetadataKeys = 64;
const maxMetadataBytes = 8192;

function checkMetadata(value: unknown): ObjectMetadata {
  if (!isObject(value)) throw invalid([], 'must be an object');
  const entries = Object.entries(value);
  if (entries.length > maxMetadataKeys) throw invalid([], `must have at most ${maxMetadataKeys} keys`);
  const metadata: ObjectMetadata = {};
  for (const [key, entry] of entries) {
    // `__proto__` would set a prototype wherever the document is copied key by key.
    const fault = key === '__proto__' ? 'is not allowed' : textFault(key, 0, maxMetadataBytes);
    if (fault !== null) throw invalid([displayName(key)], `(as a key) ${fault}`);
    metadata[key] = checkEntry(key, entry);
  }
  if (Buffer.byteLength(JSON.stringify(metadata)) > maxMetadataBytes)
    throw invalid([], `must be at most ${maxMetadataBytes} bytes as JSON`);
  return metadata;
}

function checkEntry(key: string, entry: unknown): string | number | boolean | null {
  if (entry === null || typeof entry === 'boolean') return entry;
  if (typeof entry === 'number' && Number.isFinite(entry)) return entry + 0;
  if (typeof entry !== 'string')
    throw invalid([displayName(key)], 'must be a text, a number of ordinary size, true, false or null');
  const fault = textFault(entry, 0, maxMetadataBytes);
  if (fault !== null) throw invalid([displayName(key)], fault);
  return entry;
}

/** Metadata of an object. */
export const objectMetadata: Schema<ObjectMetadata> = customSchema(
  {
    type: 'object',
    maxProperties: maxMetadataKeys,
    propertyNames: { pattern: '^[^\\u0000]*$', not: { const: '__proto__' } },
    additionalProperties: {
      anyOf: [{ type: 'string', pattern: '^[^\\u0000]*$' }, { type: 'number' }, { type: 'boolean' }, { type: 'null' }],
    },
    description: `At most ${maxMetadataBytes} bytes as JSON.`,
  },
  checkMetadata,
  { required: 'must be an object' },
);

/** Body of PATCH /objects/{objectId}. */
export const objectChange = object({ metadata: optional(objectMetadata) });

/** Query of GET /buckets/{bucketId}/objects. */
export const objectsQuery = {
  prefix: withDefault(text(0, maxKeyBytes), ''),
  cursor: optional(text(1, 4096)),
  limit: withDefault(integer(1, 1000), 100),
};
