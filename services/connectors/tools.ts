import type { Collection } from '../../adapters/records/port.ts';
import type { AppContext } from '../../mixins/app-context.ts';
import { connectors, type Connector } from '../../models/connector.ts';
import { Refusal } from '../../models/errors.ts';
import { scopeOf, systemScope } from '../../models/scope.ts';

/** The parts of the app that connectors need. */
export type ConnectorsContext = Pick<
  AppContext,
  'records' | 'runtime' | 'configuration' | 'sealer' | 'log' | 'lifecycle' | 'nodeId'
>;

/** Hints that a sync is due in so many milliseconds. Without it the next poll of the connectors finds the sync. */
export type WakeUp = (inMilliseconds: number) => void;

/** What the functions of this actor share. */
export interface ConnectorTools {
  app: ConnectorsContext;
  wakeUp: WakeUp;
}

/** The connectors of one organization. */
export function connectorsOf({ records }: Pick<AppContext, 'records'>, organizationId: string): Collection<Connector> {
  return records.collection(connectors, scopeOf(organizationId));
}

/** The connectors of all organizations, for background work. */
export function allConnectors({ records }: Pick<AppContext, 'records'>): Collection<Connector> {
  return records.collection(connectors, systemScope);
}

/** A connector of an organization. @throws Refusal `connector_not_found` */
export async function findConnector(
  app: Pick<AppContext, 'records'>,
  organizationId: string,
  connectorId: string,
): Promise<Connector> {
  const connector = await connectorsOf(app, organizationId).get(connectorId);
  if (connector === null) throw new Refusal('connector_not_found');
  return connector;
}

/** The refusal of a change after too many concurrent changes of the same connector. */
export function tooBusy(): Refusal {
  return new Refusal('content_service_unavailable', {
    detail: 'The connector is being changed by too many at once; try again.',
    retryable: true,
    retryAfter: 1,
  });
}

/** Attempts of a conditional write before `tooBusy`. */
export const writeAttempts = 20;
