import { isDuplicate } from '../../adapters/records/port.ts';
import { isEntityNotFound, type RecordsService } from '../../mixins/records/records.ts';
import type { Caller } from '../../models/api.ts';
import type { Connector, ConnectorInput, ConnectorView } from '../../models/connector.ts';
import { invalid, Refusal } from '../../models/errors.ts';
import { accounts } from '../../models/organization.ts';
import { scopeOf, systemScope } from '../../models/scope.ts';
import { syncCandidates } from '../../models/sync.ts';
import { checkSource } from './check-source.ts';
import { sealCredential } from './credential.ts';
import { nextNight } from './night.ts';
import type { ConnectorsContext } from './tools.ts';
import { connectorView } from './view.ts';

/** The connectors of organizations as plain records. */
type Connectors = Pick<RecordsService<Connector>, 'entities'>;

/** Maximum number of connectors of an organization: lists of connectors have no pages. */
export const maxConnectors = 200;

/**
 * Creates a connector. Its source is first read by its first sync.
 * @throws Refusal `validation_error`, `source_host_not_allowed`, `source_host_outside_ceiling`, `connector_name_taken`
 */
export async function createConnector(
  app: ConnectorsContext,
  connectors: Connectors,
  caller: Caller,
  input: ConnectorInput,
): Promise<ConnectorView> {
  const { organizationId, accountId } = caller;
  const { credential, source: given, ...fields } = input;
  const source = await checkSource(app, organizationId, given);
  const own = connectors.entities(scopeOf(organizationId));
  const id = app.runtime.uuid();
  const sealedCredential = credential === null ? null : sealCredential(app, id, source.kind, credential);
  if ((await own.count({})) >= maxConnectors)
    throw invalid(['body'], `An organization has at most ${maxConnectors} connectors.`);
  const now = app.runtime.now();
  const connector: Connector = {
    _id: id,
    organizationId,
    accountId,
    ...fields,
    source,
    sealedCredential,
    requestedAt: null,
    sync: null,
    lastRunAt: null,
    lastError: null,
    lastSummary: null,
    failures: [],
    createdAt: now,
    updatedAt: now,
    version: 1,
  };
  const nightlyDue = await firstNight(app, connector);
  try {
    await own.create({ ...connector, ...(nightlyDue === null ? {} : { nightlyDue }) });
  } catch (error) {
    throw nameTaken(error);
  }
  return connectorView(app, connector);
}

/** The organization's connectors, by name. */
export async function listConnectors(
  app: ConnectorsContext,
  connectors: Connectors,
  { organizationId }: Caller,
): Promise<{ items: ConnectorView[] }> {
  const found = await connectors
    .entities(scopeOf(organizationId))
    .find({ sort: ['name', '_id'], limit: maxConnectors });
  return { items: found.map((connector) => connectorView(app, connector)) };
}

/** One connector. @throws Refusal `connector_not_found` */
export async function readConnector(
  app: ConnectorsContext,
  connectors: Connectors,
  { organizationId }: Caller,
  connectorId: string,
): Promise<ConnectorView> {
  return connectorView(app, await orNotFound(connectors.entities(scopeOf(organizationId)).get(connectorId)));
}

const inOneRound = 1000;
const maxRounds = 100;

/**
 * Deletes a connector. A running sync ends, the notification address is no longer valid, and the files stay. @throws
 * Refusal `connector_not_found`
 */
export async function removeConnector(
  app: ConnectorsContext,
  connectors: Connectors,
  { organizationId }: Caller,
  connectorId: string,
): Promise<null> {
  await orNotFound(connectors.entities(scopeOf(organizationId)).remove(connectorId));
  // The candidates of a running sync, which no other sync would remove.
  const candidates = app.records.collection(syncCandidates, scopeOf(organizationId));
  for (let rounds = 0; rounds < maxRounds; rounds += 1)
    if ((await candidates.removeMany({ connectorId }, inOneRound)) < inOneRound) break;
  return null;
}

/** @throws Refusal `connector_not_found` where the organization has no such connector */
async function orNotFound(connector: Promise<Connector>): Promise<Connector> {
  try {
    return await connector;
  } catch (error) {
    throw isEntityNotFound(error) ? new Refusal('connector_not_found') : error;
  }
}

/** The time of a connector's first nightly sync; null where it has none. */
export async function firstNight(
  app: ConnectorsContext,
  { _id, accountId, schedule, enabled }: Pick<Connector, '_id' | 'accountId' | 'schedule' | 'enabled'>,
): Promise<number | null> {
  return schedule === 'nightly' && enabled
    ? nextNight(app.records.time(), await timeZoneOf(app, accountId), _id)
    : null;
}

/** The time zone of an account's nightly syncs. */
export async function timeZoneOf({ records }: Pick<ConnectorsContext, 'records'>, accountId: string): Promise<string> {
  return (await records.collection(accounts, systemScope).get(accountId))?.timeZone ?? 'UTC';
}

/** Maps the error of a taken name to its refusal; other errors are returned unchanged. */
export function nameTaken(error: unknown): unknown {
  return isDuplicate(error, 'name') ? new Refusal('connector_name_taken') : error;
}
