import type { Records } from '../../adapters/records/port.ts';
import type { Sealer, SealingKey } from '../../mixins/sealing.ts';
import { connectors } from '../../models/connector.ts';
import { systemScope } from '../../models/scope.ts';
import { pickAll, sealedFields, walkSecrets } from './sealed-fields.ts';

/** How many texts a key has sealed, by what they are. */
export interface KeyCount {
  key: SealingKey;
  counts: { [what: string]: number };
  total: number;
}

/** What is sealed, with which key. */
export interface SecretsReport {
  /** The current key first; every key is there, also with nothing. */
  keys: KeyCount[];
  /** Texts that no key opens: their total, and the first of them by collection and id. */
  unopened: { total: number; first: { what: string; id: string }[] };
  /** Connectors whose source sent storage events to an address that a former key made, latest first. */
  formerAddresses: { connectorId: string; organizationId: string; at: number }[];
}

/** So many are named; the others are counted. */
const mostNamed = 20;

/** Walks over everything that is sealed and counts it by its key. @throws StoreUnavailable */
export async function countSecrets({ records, sealer }: { records: Records; sealer: Sealer }): Promise<SecretsReport> {
  const counted = new Map<string, KeyCount>(sealer.keys.map((key) => [key.id, { key, counts: Object.fromEntries(sealedFields.map(({ what }) => [what, 0])), total: 0 }]));
  const unopened: SecretsReport['unopened'] = { total: 0, first: [] };
  for await (const { field, id, key } of walkSecrets(records, sealer)) {
    const count = key === null ? undefined : counted.get(key.id);
    if (count === undefined) {
      unopened.total += 1;
      if (unopened.first.length < mostNamed) unopened.first.push({ what: field.what, id });
      continue;
    }
    count.counts[field.what] = (count.counts[field.what] ?? 0) + 1;
    count.total += 1;
  }
  return { keys: [...counted.values()], unopened, formerAddresses: await formerAddresses(records, sealer.keys) };
}

async function formerAddresses(records: Records, keys: readonly SealingKey[]): Promise<SecretsReport['formerAddresses']> {
  const former = new Set<string | number | null | undefined>(keys.filter(({ use }) => use === 'former').map(({ id }) => id));
  const found: SecretsReport['formerAddresses'] = [];
  for await (const { id, picked: [organizationId, keyId, at] } of pickAll(records.collection(connectors, systemScope), ['organizationId', 'formerNotified.keyId', 'formerNotified.at'])) {
    // One that is not known any more opens no address either.
    if (typeof organizationId === 'string' && typeof at === 'number' && former.has(keyId)) found.push({ connectorId: id, organizationId, at });
  }
  return found.sort((one, other) => other.at - one.at);
}
