import type { Metadata, MetadataValue } from '../asset.ts';
import { invalid } from '../errors.ts';
import { isObject, toldName, within, type Schema } from './schema.ts';
import { textFault } from './values.ts';

type Scalar = string | number | boolean;

/** Bounds of a metadata document. */
export interface MetadataBounds {
  /** Longest text in code points; null for none. */
  mostText: number | null;
  mostKey: number | null;
  /** Longest list; 0 where lists are not allowed. */
  mostEntries: number;
  /** Largest size of the whole as JSON; null for none. */
  mostBytes: number | null;
}

const mostKeys = 50;

function checkScalar(value: unknown, bounds: MetadataBounds): Scalar {
  if (typeof value === 'boolean') return value;
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw invalid([], 'must be a number of ordinary size');
    return value + 0;
  }
  if (typeof value !== 'string') throw invalid([], `must be a text, a number, true or false${bounds.mostEntries > 0 ? ', or a list of these' : ''}`);
  const fault = textFault(value, 0, bounds.mostText ?? Number.MAX_SAFE_INTEGER);
  if (fault !== null) throw invalid([], fault);
  return value;
}

function checkValue(value: unknown, bounds: MetadataBounds): MetadataValue {
  if (!Array.isArray(value) || bounds.mostEntries === 0) return checkScalar(value, bounds);
  if (value.length > bounds.mostEntries) throw invalid([], `must have at most ${bounds.mostEntries} entries`);
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
  const fault = key === '__proto__' ? 'is not allowed' : textFault(key, bounds.mostKey === null ? 0 : 1, bounds.mostKey ?? Number.MAX_SAFE_INTEGER);
  if (fault !== null) throw invalid([toldName(key)], `(as a key) ${fault}`);
}

function described(bounds: MetadataBounds): Schema<Metadata>['json'] {
  const scalars = [{ type: 'string', ...(bounds.mostText === null ? {} : { maxLength: bounds.mostText }), pattern: '^[^\\u0000]*$' }, { type: 'number' }, { type: 'boolean' }];
  const key = bounds.mostKey === null ? {} : { minLength: 1, maxLength: bounds.mostKey };
  return {
    type: 'object',
    maxProperties: mostKeys,
    propertyNames: { ...key, pattern: '^[^\\u0000]*$', not: { const: '__proto__' } },
    additionalProperties: { anyOf: [...scalars, ...(bounds.mostEntries > 0 ? [{ type: 'array', maxItems: bounds.mostEntries, items: { anyOf: scalars } }] : [])] },
    ...(bounds.mostBytes === null ? {} : { description: `At most ${bounds.mostBytes} bytes as JSON.` }),
  };
}

function metadataOf(bounds: MetadataBounds): Schema<Metadata> {
  return {
    json: described(bounds),
    check: (value) => {
      if (!isObject(value)) throw invalid([], 'must be an object');
      const entries = Object.entries(value);
      if (entries.length > mostKeys) throw invalid([], `must have at most ${mostKeys} keys`);
      const result: Metadata = {};
      for (const [key, entry] of entries) {
        checkKey(key, bounds);
        try {
          result[key] = checkValue(entry, bounds);
        } catch (error) {
          throw within(error, key);
        }
      }
      if (bounds.mostBytes !== null && Buffer.byteLength(JSON.stringify(value)) > bounds.mostBytes) throw invalid([], `must be at most ${bounds.mostBytes} bytes as JSON`);
      return result;
    },
  };
}

/** The metadata document of an asset. */
export const assetMetadata = metadataOf({ mostText: 512, mostKey: 128, mostEntries: 100, mostBytes: null });

const filterBounds: MetadataBounds = { mostText: null, mostKey: null, mostEntries: 100, mostBytes: 65_536 };
const exactFilter = metadataOf(filterBounds);

/** What the metadata of a found file must equal. Any fault in it is one of the whole filter. */
export const metadataFilter: Schema<Metadata> = {
  json: exactFilter.json,
  check: (value) => {
    try {
      return exactFilter.check(value);
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'is not valid';
      throw invalid([], `takes at most 50 keys with a text, a number, true or false, or a list of at most 100 of them, in 65536 bytes: something in it ${reason}`);
    }
  },
};

const organizationDocument = metadataOf({ mostText: 512, mostKey: 128, mostEntries: 0, mostBytes: 16_384 });

/** The metadata document of a sub-organization: scalars alone. */
export const organizationMetadata: Schema<{ [key: string]: Scalar }> = {
  json: organizationDocument.json,
  check: (value) => {
    const scalars: { [key: string]: Scalar } = {};
    for (const [key, entry] of Object.entries(organizationDocument.check(value))) if (!Array.isArray(entry)) scalars[key] = entry;
    return scalars;
  },
};
