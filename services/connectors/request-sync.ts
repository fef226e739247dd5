import type { Collection } from '../../adapters/records/port.ts';
import type { Caller } from '../../models/api.ts';
import { isoTime } from '../../models/runtime.ts';
import type { Connector } from '../../models/connector.ts';
import { Refusal } from '../../models/errors.ts';
import { connectorsOf, findConnector, tooBusy, writeAttempts, type ConnectorTools } from './tools.ts';

/** Milliseconds before a sync that a client requests starts, so that requests in quick succession share one sync. */
const startDelayMs = 300;

/**
 * Requests a sync. Requests before it has started share it, and are answered with the time of the first. While a sync
 * is running, another one follows it, because a file may have changed that the running one has already compared.
 * @throws Refusal `connector_not_found`, also for a disabled one
 */
export async function requestSync(
  tools: ConnectorTools,
  { organizationId }: Caller,
  connectorId: string,
): Promise<{ connectorId: string; syncPending: boolean; requestedAt: string }> {
  const { app } = tools;
  const collection = connectorsOf(app, organizationId);
  for (let attempt = 0; attempt < writeAttempts; attempt += 1) {
    const connector = await findConnector(app, organizationId, connectorId);
    if (!connector.enabled) throw new Refusal('connector_not_found', { detail: 'The connector is disabled.' });
    const requested = await recordRequest(tools, collection, connector, { delay: startDelayMs, isEvent: false });
    if (requested !== null) return { connectorId, syncPending: true, requestedAt: isoTime(requested) };
  }
  throw tooBusy();
}

/** When a requested sync may start. */
export interface RequestTiming {
  /** Milliseconds from now. */
  delay: number;
  /**
   * Whether a storage event requests it: a pending sync is then delayed to that time instead of brought forward, unless
   * it is about to start.
   */
  isEvent: boolean;
  /** Further fields to write with the request. */
  also?: { nightlyDue: number };
}

/** A pending sync is not rescheduled by less than this, in milliseconds: it saves a write. */
const minShiftMs = 500;

/**
 * Records the request for a sync in one conditional write, unless the stored request covers it.
 * @returns the time of the first request; null where the connector was changed meanwhile
 */
export async function recordRequest(
  tools: ConnectorTools,
  collection: Collection<Connector>,
  connector: Connector,
  { delay, isEvent, also }: RequestTiming,
): Promise<number | null> {
  const { app, wakeUp } = tools;
  const { requestedAt, sync, syncDue, version } = connector;
  const now = app.records.time();
  const due = now + delay;
  const filter = {
    version,
    enabled: true,
    requestedAt,
    'sync.syncId': sync?.syncId ?? null,
    ...(also === undefined ? {} : { nightlyDue: connector.nightlyDue ?? null }),
  };
  // While a sync is running, `syncDue` is the end of its lease; the process that ends the sync reads the request.
  const isRescheduled =
    sync === null &&
    (requestedAt === null ||
      syncDue === undefined ||
      (isEvent ? syncDue - now > startDelayMs && due - syncDue > minShiftMs : syncDue - due > minShiftMs));
  // A sync that waits to be retried has no owner: a client's request retries it at once, an event does not.
  const retryNow =
    sync !== null && sync.owner === null && sync.putOff > 0 && !isEvent && sync.until - due > minShiftMs
      ? { 'sync.owner': null, 'sync.until': sync.until }
      : null;
  const firstRequestedAt = requestedAt ?? app.runtime.now();
  // A client's request is not delayed as requests by events are.
  const isPromoted = connector.isFromEvents === true && !isEvent;
  if (requestedAt !== null && !isRescheduled && retryNow === null && !isPromoted && also === undefined)
    return requestedAt;
  const rescheduled = isRescheduled ? { syncDue: due } : retryNow === null ? {} : { 'sync.until': due, syncDue: due };
  const written = await collection.update(
    connector._id,
    { ...filter, ...retryNow },
    {
      set: {
        requestedAt: firstRequestedAt,
        ...rescheduled,
        ...also,
        ...(requestedAt === null && isEvent ? { isFromEvents: true } : {}),
      },
      ...(isPromoted ? { unset: ['isFromEvents'] } : {}),
    },
  );
  if (written === null) return null;
  if (isRescheduled || retryNow !== null) wakeUp(delay);
  return firstRequestedAt;
}
