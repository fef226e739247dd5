import type { Collection } from '../../adapters/records/port.ts';
import type { Caller } from '../../models/api.ts';
import { isoTime } from '../../models/ambient.ts';
import type { Connector } from '../../models/connector.ts';
import { Refusal } from '../../models/errors.ts';
import { connectorsOf, findConnector, tooBusy, writeAttempts, type ConnectorTools } from './tools.ts';

/** How long a sync that a client asked for waits, in milliseconds: requests that follow at once are the same one. */
const breath = 300;

/**
 * Asks for a sync. Requests before it has started are one, and answered with the time of the first. While a sync is under
 * way, one more follows it: what was changed meanwhile may stand where it has been already.
 * @throws Refusal `connector_not_found`, also for a disabled one
 */
export async function requestSync(tools: ConnectorTools, { organizationId }: Caller, connectorId: string): Promise<{ connectorId: string; syncPending: boolean; requestedAt: string }> {
  const { house } = tools;
  const collection = connectorsOf(house, organizationId);
  for (let attempt = 0; attempt < writeAttempts; attempt += 1) {
    const connector = await findConnector(house, organizationId, connectorId);
    if (!connector.enabled) throw new Refusal('connector_not_found', { detail: 'The connector is disabled.' });
    const requested = await askFor(tools, collection, connector, { delay: breath, isEvent: false });
    if (requested !== null) return { connectorId, syncPending: true, requestedAt: isoTime(requested) };
  }
  throw tooBusy();
}

/** When a sync that is asked for may begin. */
export interface Asking {
  /** Milliseconds from now. */
  delay: number;
  /**
   * Whether a storage event asks: a sync that waits already is put off to that time then, rather than brought forward. One that
   * is about to begin is not.
   */
  isEvent: boolean;
  /** Further fields that are written where a sync is asked for anew. */
  also?: { nightlyDue: number };
}

/** Writes less than this apart are not worth one, in milliseconds. */
const worthAWrite = 500;

/**
 * Notes in one conditional write that a sync is wanted, unless one is already.
 * @returns when it was first asked for; null where the connector was changed meanwhile
 */
export async function askFor(tools: ConnectorTools, collection: Collection<Connector>, connector: Connector, { delay, isEvent, also }: Asking): Promise<number | null> {
  const { house, ring } = tools;
  const { requestedAt, sync, syncDue, version } = connector;
  const now = house.records.time();
  const due = now + delay;
  const filter = { version, enabled: true, requestedAt, 'sync.syncId': sync?.syncId ?? null, ...(also === undefined ? {} : { nightlyDue: connector.nightlyDue ?? null }) };
  // While a sync is under way `syncDue` is the end of its lease; whoever ends it looks for what was asked for.
  const isMoved = sync === null && (requestedAt === null || syncDue === undefined || (isEvent ? syncDue - now > breath && due - syncDue > worthAWrite : syncDue - due > worthAWrite));
  // One that waits after a failure is nobody's meanwhile: it tries again at once. Events, which come by themselves, let it wait.
  const putOff = sync !== null && sync.owner === null && sync.putOff > 0 && !isEvent && sync.until - due > worthAWrite ? { 'sync.owner': null, 'sync.until': sync.until } : null;
  const asked = requestedAt ?? house.ambient.now();
  // What a client asks for does not wait as what events ask for does.
  const isHurried = connector.isFromEvents === true && !isEvent;
  if (requestedAt !== null && !isMoved && putOff === null && !isHurried && also === undefined) return requestedAt;
  const moved = isMoved ? { syncDue: due } : putOff === null ? {} : { 'sync.until': due, syncDue: due };
  const written = await collection.update(connector._id, { ...filter, ...putOff }, {
    set: { requestedAt: asked, ...moved, ...also, ...(requestedAt === null && isEvent ? { isFromEvents: true } : {}) }, ...(isHurried ? { unset: ['isFromEvents'] } : {}),
  });
  if (written === null) return null;
  if (isMoved || putOff !== null) ring(delay);
  return asked;
}
