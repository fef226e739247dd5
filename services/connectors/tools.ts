import type { Collection } from '../../adapters/records/port.ts';
import type { House } from '../../mixins/house.ts';
import { connectors, type Connector } from '../../models/connector.ts';
import { Refusal } from '../../models/errors.ts';
import { scopeOf, systemScope } from '../../models/scope.ts';

/** What of the house connectors need. */
export type ConnectorsHouse = Pick<House, 'records' | 'ambient' | 'configuration' | 'sealer' | 'log' | 'lifecycle' | 'nodeId'>;

/** Tells who carries out syncs that one may begin in so many milliseconds. It is a hint: what is due stands in the record. */
export type Ring = (inMilliseconds: number) => void;

/** What the functions of this actor work with. */
export interface ConnectorTools {
  house: ConnectorsHouse;
  ring: Ring;
}

/** The connectors of one organization. */
export function connectorsOf({ records }: Pick<House, 'records'>, organizationId: string): Collection<Connector> {
  return records.collection(connectors, scopeOf(organizationId));
}

/** The connectors of all organizations, for work that no client asked for. */
export function allConnectors({ records }: Pick<House, 'records'>): Collection<Connector> {
  return records.collection(connectors, systemScope);
}

/** A connector of an organization. @throws Refusal `connector_not_found` */
export async function findConnector(house: Pick<House, 'records'>, organizationId: string, connectorId: string): Promise<Connector> {
  const connector = await connectorsOf(house, organizationId).get(connectorId);
  if (connector === null) throw new Refusal('connector_not_found');
  return connector;
}

/** Too many change one connector at once; none of them waits for longer. */
export function tooBusy(): Refusal {
  return new Refusal('content_service_unavailable', { detail: 'The connector is being changed by too many at once; try again.', retryable: true, retryAfter: 1 });
}

/** How often a conditional write is tried before `tooBusy`. */
export const writeAttempts = 20;
