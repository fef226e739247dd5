import { invalid } from '../errors.ts';
import { object, optional, required, type Infer } from './schema.ts';
import { mapped, text } from './values.ts';

/** Names that no account may have; codes of regions are none either. */
const reservedNames: ReadonlySet<string> = new Set(['admin', 'api', 'blob', 'ply', 'plycdn', 'www']);

const accountName = mapped(
  text(3, 24, { source: '^[a-z0-9]+$', expected: 'an account name: 3 to 24 lower-case letters and digits' }),
  (name) => {
    if (reservedNames.has(name)) throw invalid([], 'is a reserved name');
    return name;
  },
);

const region = text(1, 100);

/** Body of POST /storage-account. */
export const newStorageAccount = object({ name: required(accountName), homeRegion: required(region) });

/** Body of PATCH /storage-account: without a field nothing changes. */
export const storageAccountChange = object({ homeRegion: optional(region) });

/** The fields of a new account. */
export type NewStorageAccount = Infer<typeof newStorageAccount>;
/** A change of an account. */
export type StorageAccountChange = Infer<typeof storageAccountChange>;
