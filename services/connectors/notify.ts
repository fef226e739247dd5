import { LRUCache } from 'lru-cache';
import { planIncludes } from '../../mixins/settings/plan-features.ts';
import type { Connector } from '../../models/connector.ts';
import { Refusal } from '../../models/errors.ts';
import { organizations } from '../../models/organization.ts';
import { systemScope } from '../../models/scope.ts';
import { connectorOfToken } from './notify-url.ts';
import { recordRequest } from './request-sync.ts';
import { allConnectors, tooBusy, writeAttempts, type ConnectorTools, type ConnectorsContext } from './tools.ts';

/** A sync starts when no event has arrived for this many milliseconds. */
const quiet = 2000;
/** It starts at most this many milliseconds after the first event. */
const maxDelay = 60_000;
const hour = 3_600_000;
const maxFormerRecorded = 10_000;

/** Accepts storage events. */
export interface Notifications {
  /** @throws Refusal `invalid_callback` */
  take(event: { token: string; isHandshake: boolean }): Promise<{ accepted: true }>;
}

/**
 * Turns storage events into syncs: a burst of events causes one sync, when it is over. Events of a connector that
 * arrive during the write for an earlier one share the next write, so that thousands of them cost a few writes.
 */
export function notifications(tools: ConnectorTools): Notifications {
  const writes = new Map<string, { running: Promise<void>; next: Promise<void> | null }>();

  /** Connectors whose use of a former key's address was recorded within an hour: a burst of events costs one read. */
  const formerRecorded = new LRUCache<string, true>({
    max: maxFormerRecorded,
    ttl: hour,
    ttlResolution: 0,
    perf: { now: () => tools.app.runtime.now() },
  });

  async function run(id: string): Promise<void> {
    try {
      await recordEvent(tools, id);
    } finally {
      const entry = writes.get(id);
      if (entry !== undefined && entry.next === null) writes.delete(id);
    }
  }
  /** Records an event after the current write; waiting events share the next write. */
  function recordNext(id: string): Promise<void> {
    const entry = writes.get(id);
    if (entry === undefined) {
      const running = run(id);
      writes.set(id, { running, next: null });
      return running;
    }
    entry.next ??= entry.running
      .catch(() => undefined)
      .then(() => {
        const running = entry.next ?? Promise.resolve();
        writes.set(id, { running, next: null });
        return run(id);
      });
    return entry.next;
  }

  return {
    take: async ({ token, isHandshake }) => {
      const known = connectorOfToken(tools.app, token);
      if (known === null) throw new Refusal('invalid_callback');
      if (known.key.use === 'former') await recordFormerKey(tools.app, formerRecorded, known.id, known.key.id);
      if (isHandshake) await findNotified(tools.app, known.id);
      else await recordNext(known.id);
      return { accepted: true };
    },
  };
}

/**
 * Records, once an hour, that the source still uses an address of a former key: until it stops, the key is needed.
 * @throws Refusal `invalid_callback`
 */
async function recordFormerKey(
  app: ConnectorsContext,
  recorded: LRUCache<string, true>,
  id: string,
  keyId: string,
): Promise<void> {
  if (recorded.has(id)) return;
  const now = app.runtime.now();
  const { formerNotified: stored } = await findNotified(app, id);
  recorded.set(id, true);
  if (stored !== undefined && stored.keyId === keyId && stored.at > now - hour) return;
  await allConnectors(app).update(id, {}, { set: { formerNotified: { keyId, at: now } } });
  app.log.warn(
    { connectorId: id, keyId },
    'a storage event came to an address that a former secret key made: give the source the new notifyUrl',
  );
}

/** Records that a connector's source has changed. @throws Refusal `invalid_callback` where the connector was deleted */
async function recordEvent(tools: ConnectorTools, id: string): Promise<void> {
  const { app } = tools;
  for (let attempt = 0; attempt < writeAttempts; attempt += 1) {
    const connector = await findNotified(app, id);
    // The event is accepted, so that the storage does not disable the subscription, and has no effect.
    if (!connector.enabled || !(await mayBeSynced(app, connector))) return;
    const waited = connector.requestedAt === null ? 0 : app.runtime.now() - connector.requestedAt;
    const delay = Math.max(0, Math.min(quiet, maxDelay - waited));
    if ((await recordRequest(tools, allConnectors(app), connector, { delay, isEvent: true })) !== null) return;
  }
  throw tooBusy();
}

async function findNotified(app: ConnectorsContext, id: string): Promise<Connector> {
  const connector = await allConnectors(app).get(id);
  if (connector === null) throw new Refusal('invalid_callback');
  return connector;
}

/**
 * Whether a connector may be synced without a client's request: its organization is active, and the account's plan
 * includes connectors.
 */
export async function mayBeSynced(
  { records }: Pick<ConnectorsContext, 'records'>,
  { organizationId, accountId }: Pick<Connector, 'organizationId' | 'accountId'>,
): Promise<boolean> {
  const organization = await records.collection(organizations, systemScope).get(organizationId);
  return organization !== null && organization.isActive && (await planIncludes({ records }, accountId, 'connectors'));
}
