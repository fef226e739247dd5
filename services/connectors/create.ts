import type { Caller } from '../../models/api.ts';
import type { Connector, ConnectorInput, ConnectorView } from '../../models/connector.ts';
import { invalid, Refusal } from '../../models/errors.ts';
import { accounts } from '../../models/organization.ts';
import { scopeOf, systemScope } from '../../models/scope.ts';
import { syncCandidates } from '../../models/sync.ts';
import { checkSource } from './check-source.ts';
import { sealCredential } from './credential.ts';
import { nextNight } from './night.ts';
import { connectorsOf, findConnector, type ConnectorsHouse } from './tools.ts';
import { connectorView } from './view.ts';

/** Connectors that an organization may have: a list of them is one answer. */
export const mostConnectors = 200;

/**
 * Makes a connector. Nothing is read before its first sync.
 * @throws Refusal `validation_error`, `source_host_not_allowed`, `source_host_outside_ceiling`, `connector_name_taken`
 */
export async function createConnector(house: ConnectorsHouse, caller: Caller, input: ConnectorInput): Promise<ConnectorView> {
  const { organizationId, accountId } = caller;
  const { credential, source: given, ...fields } = input;
  const source = await checkSource(house, organizationId, given);
  const collection = connectorsOf(house, organizationId);
  const id = house.ambient.uuid();
  const sealedCredential = credential === null ? null : sealCredential(house, id, source.kind, credential);
  if ((await collection.count({ organizationId })) >= mostConnectors) throw invalid(['body'], `An organization has at most ${mostConnectors} connectors.`);
  const now = house.ambient.now();
  const connector: Connector = {
    _id: id, organizationId, accountId, ...fields, source, sealedCredential, requestedAt: null, sync: null,
    lastRunAt: null, lastError: null, lastSummary: null, failures: [], createdAt: now, updatedAt: now, version: 1,
  };
  const nightlyDue = await firstNight(house, connector);
  try {
    await collection.insert({ ...connector, ...(nightlyDue === null ? {} : { nightlyDue }) });
  } catch (error) {
    throw nameTaken(error);
  }
  return connectorView(house, connector);
}

/** The organization's connectors, by name. */
export async function listConnectors(house: ConnectorsHouse, { organizationId }: Caller): Promise<{ items: ConnectorView[] }> {
  const found = await connectorsOf(house, organizationId).find({ filter: { organizationId }, sort: [['name', 1], ['_id', 1]], limit: mostConnectors });
  return { items: found.map((connector) => connectorView(house, connector)) };
}

/** One connector. @throws Refusal `connector_not_found` */
export async function readConnector(house: ConnectorsHouse, { organizationId }: Caller, connectorId: string): Promise<ConnectorView> {
  return connectorView(house, await findConnector(house, organizationId, connectorId));
}

const inOneRound = 1000;
const mostRounds = 100;

/** Deletes a connector: a sync under way ends, its notification address is retired, its files stay. @throws Refusal `connector_not_found` */
export async function removeConnector(house: ConnectorsHouse, { organizationId }: Caller, connectorId: string): Promise<null> {
  if (!(await connectorsOf(house, organizationId).remove(connectorId))) throw new Refusal('connector_not_found');
  // What a sync under way had put off for its end; nobody else would ever look for it.
  const candidates = house.records.collection(syncCandidates, scopeOf(organizationId));
  for (let rounds = 0; rounds < mostRounds; rounds += 1) if ((await candidates.removeMany({ connectorId }, inOneRound)) < inOneRound) break;
  return null;
}

/** When a connector is synced first by itself; null where it is not. */
export async function firstNight(house: ConnectorsHouse, { _id, accountId, schedule, enabled }: Pick<Connector, '_id' | 'accountId' | 'schedule' | 'enabled'>): Promise<number | null> {
  return schedule === 'nightly' && enabled ? nextNight(house.records.time(), await timeZoneOf(house, accountId), _id) : null;
}

/** The time zone of an account's nights. */
export async function timeZoneOf({ records }: Pick<ConnectorsHouse, 'records'>, accountId: string): Promise<string> {
  return (await records.collection(accounts, systemScope).get(accountId))?.timeZone ?? 'UTC';
}

/** The refusal of a name that another connector has; any other error as it is. */
export function nameTaken(error: unknown): unknown {
  const isTaken = error instanceof Error && error.name === 'DuplicateRecord' && 'index' in error && error.index === 'name';
  return isTaken ? new Refusal('connector_name_taken') : error;
}
