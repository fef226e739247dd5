import type { Metadata, MetadataValue } from '../asset.ts';
import { invalid } from '../errors.ts';
import { displayName, textFault, within } from './faults.ts';
import { customSchema, isObject, type Schema } from './schema.ts';

type Scalar = string | number | boolean;

/** Bounds of a metadata document. */
export interface MetadataBounds {
  /** Longest text in code points; null for none. */
  maxText: number | null;
  maxKey: number | null;
  /** Longest list; 0 if lists are not allowed. */
  maxEntries: number;
  /** Largest size of the whole as JSON; null for none. */
  maxBytes: number | null;
}

const maxKeys = 50;

function checkScalar(value: unknown, bounds: MetadataBounds): Scalar {
  if (typeof value === 'boolean') return value;
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw invalid([], 'must be a number of ordinary size');
    return value + 0;
  }
  if (typeof value !== 'string')
    throw invalid([], `must be a text, a number, true or false${bounds.maxEntries > 0 ? ', or a list of these' : ''}`);
  const fault = textFault(value, 0, bounds.maxText ?? Number.MAX_SAFE_INTEGER);
  if (fault !== null) throw invalid([], fault);
  return value;
}

function checkValue(value: unknown, bounds: MetadataBounds): MetadataValue {
  if (!Array.isArray(value) || bounds.maxEntries === 0) return checkScalar(value, bounds);
  if (value.length > bounds.maxEntries) throw invalid([], `must have at most ${bounds.maxEntries} entries`);
  return value.map((entry: unknown, position) => {
    try {
      return checkScalar(entry, bounds);
    } catch (error) {
      throw within(error, position);
    }
  });
}

function checkKey(key: string, bounds: MetadataBounds): void {
  // `__proto__` would set a prototype wherever the document is copied key by key.
  const fault =
    key === '__proto__'
      ? 'is not allowed'
      : textFault(key, bounds.maxKey === null ? 0 : 1, bounds.maxKey ?? Number.MAX_SAFE_INTEGER);
  if (fault !== null) throw invalid([displayName(key)], `(as a key) ${fault}`);
}

function described(bounds: MetadataBounds): Schema<Metadata>['json'] {
  const scalars = [
    { type: 'string', ...(bounds.maxText === null ? {} : { maxLength: bounds.maxText }), pattern: '^[^\\u0000]*$' },
    { type: 'number' },
    { type: 'boolean' },
  ];
  const key = bounds.maxKey === null ? {} : { minLength: 1, maxLength: bounds.maxKey };
  return {
    type: 'object',
    maxProperties: maxKeys,
    propertyNames: { ...key, pattern: '^[^\\u0000]*$', not: { const: '__proto__' } },
    additionalProperties: {
      anyOf: [
        ...scalars,
        ...(bounds.maxEntries > 0 ? [{ type: 'array', maxItems: bounds.maxEntries, items: { anyOf: scalars } }] : []),
      ],
    },
    ...(bounds.maxBytes === null ? {} : { description: `At most ${bounds.maxBytes} bytes as JSON.` }),
  };
}

const noObject = { required: 'must be an object' };

function metadataOf(bounds: MetadataBounds): Schema<Metadata> {
  const check = (value: unknown): Metadata => {
    if (!isObject(value)) throw invalid([], 'must be an object');
    const entries = Object.entries(value);
    if (entries.length > maxKeys) throw invalid([], `must have at most ${maxKeys} keys`);
    const result: Metadata = {};
    for (const [key, entry] of entries) {
      checkKey(key, bounds);
      try {
        result[key] = checkValue(entry, bounds);
      } catch (error) {
        throw within(error, key);
      }
    }
    if (bounds.maxBytes !== null && Buffer.byteLength(JSON.stringify(value)) > bounds.maxBytes)
      throw invalid([], `must be at most ${bounds.maxBytes} bytes as JSON`);
    return result;
  };
  return customSchema(described(bounds), check, noObject);
}

/** The metadata document of an asset. */
export const assetMetadata = metadataOf({ maxText: 512, maxKey: 128, maxEntries: 100, maxBytes: null });

const filterBounds: MetadataBounds = { maxText: null, maxKey: null, maxEntries: 100, maxBytes: 65_536 };
const exactFilter = metadataOf(filterBounds);
const wrongFilter = (reason: string): string =>
  `takes at most 50 keys with a text, a number, true or false, or a list of at most 100 of them, in 65536 bytes: something in it ${reason}`;

/** The metadata that found files must have. A fault inside is reported for the whole filter. */
export const metadataFilter: Schema<Metadata> = customSchema(
  exactFilter.json,
  (value) => {
    try {
      return exactFilter.check(value);
    } catch (error) {
      throw invalid([], wrongFilter(error instanceof Error ? error.message : 'is not valid'));
    }
  },
  { required: wrongFilter('must be an object') },
);

/** A document that has only scalars. */
function scalarsOnly(document: Schema<Metadata>): Schema<{ [key: string]: Scalar }> {
  return customSchema(
    document.json,
    (value) => {
      const scalars: { [key: string]: Scalar } = {};
      for (const [key, entry] of Object.entries(document.check(value))) if (!Array.isArray(entry)) scalars[key] = entry;
      return scalars;
    },
    noObject,
  );
}

/** The metadata document of a sub-organization: only scalars. */
export const organizationMetadata = scalarsOnly(
  metadataOf({ maxText: 512, maxKey: 128, maxEntries: 0, maxBytes: 16_384 }),
);

/** The metadata document of a video: only scalars. */
export const videoMetadata = scalarsOnly(metadataOf({ maxText: null, maxKey: null, maxEntries: 0, maxBytes: 8192 }));
