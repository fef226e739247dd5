import type { Records } from '../../adapters/records/port.ts';
import type { Sealer, SealingKey } from '../../mixins/sealing.ts';
import { connectors } from '../../models/connector.ts';
import { systemScope } from '../../models/scope.ts';
import { pickAll, sealedFields, walkSecrets } from './sealed-fields.ts';

/** The number of texts that a key has sealed, by kind. */
export interface KeyCount {
  key: SealingKey;
  counts: { [what: string]: number };
  total: number;
}

/** The sealed texts by key. */
export interface SecretsReport {
  /** The current key first. Keys without any text are included. */
  keys: KeyCount[];
  /** Texts that no key can open: the total, and the first of them by collection and id. */
  unopened: { total: number; first: { what: string; id: string }[] };
  /** Connectors whose source sent storage events to an address made with a former key, latest first. */
  formerAddresses: { connectorId: string; organizationId: string; at: number }[];
}

/** Number of texts that are listed; the others are only counted. */
const maxNamed = 20;

/** Counts all sealed texts by key. @throws StoreUnavailable */
export async function countSecrets({ records, sealer }: { records: Records; sealer: Sealer }): Promise<SecretsReport> {
  const counted = new Map<string, KeyCount>(
    sealer.keys.map((key) => [
      key.id,
      { key, counts: Object.fromEntries(sealedFields.map(({ what }) => [what, 0])), total: 0 },
    ]),
  );
  const unopened: SecretsReport['unopened'] = { total: 0, first: [] };
  for await (const { field, id, key } of walkSecrets(records, sealer)) {
    const count = key === null ? undefined : counted.get(key.id);
    if (count === undefined) {
      unopened.total += 1;
      if (unopened.first.length < maxNamed) unopened.first.push({ what: field.what, id });
      continue;
    }
    count.counts[field.what] = (count.counts[field.what] ?? 0) + 1;
    count.total += 1;
  }
  return { keys: [...counted.values()], unopened, formerAddresses: await formerAddresses(records, sealer.keys) };
}

async function formerAddresses(
  records: Records,
  keys: readonly SealingKey[],
): Promise<SecretsReport['formerAddresses']> {
  const former = new Set<string | number | null | undefined>(
    keys.filter(({ use }) => use === 'former').map(({ id }) => id),
  );
  const found: SecretsReport['formerAddresses'] = [];
  for await (const {
    id,
    picked: [organizationId, keyId, at],
  } of pickAll(records.collection(connectors, systemScope), [
    'organizationId',
    'formerNotified.keyId',
    'formerNotified.at',
  ])) {
    // A key that is no longer configured does not open an address either.
    if (typeof organizationId === 'string' && typeof at === 'number' && former.has(keyId))
      found.push({ connectorId: id, organizationId, at });
  }
  return found.sort((one, other) => other.at - one.at);
}
