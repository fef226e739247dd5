import { planIncludes } from '../../mixins/settings/plan-features.ts';
import type { Connector } from '../../models/connector.ts';
import { Refusal } from '../../models/errors.ts';
import { organizations } from '../../models/organization.ts';
import { systemScope } from '../../models/scope.ts';
import { connectorOfToken } from './notify-url.ts';
import { askFor } from './request-sync.ts';
import { allConnectors, tooBusy, writeAttempts, type ConnectorTools, type ConnectorsHouse } from './tools.ts';

/** A sync begins when no event has come for so long, in milliseconds. */
const quiet = 2000;
/** However many come, it begins so long after the first of them, in milliseconds. */
const mostPatience = 60_000;
const hour = 3_600_000;

/** Takes storage events in. */
export interface Notifications {
  /** @throws Refusal `invalid_callback` */
  take(event: { token: string; isHandshake: boolean }): Promise<{ accepted: true }>;
}

/**
 * Turns storage events into syncs: a burst of events gives one sync, when it is over. What comes while an event of the
 * same connector is being noted waits for the next note, so that thousands of them cost a few writes.
 */
export function notifications(tools: ConnectorTools): Notifications {
  const notes = new Map<string, { running: Promise<void>; next: Promise<void> | null }>();

  /** Connectors whose use of a former key's address was noted, and when: bursts of events cost one reading. */
  const formerNoted = new Map<string, number>();

  async function run(id: string): Promise<void> {
    try {
      await note(tools, id);
    } finally {
      const entry = notes.get(id);
      if (entry !== undefined && entry.next === null) notes.delete(id);
    }
  }
  /** Notes an event, after the one that is being noted; those that wait are noted together. */
  function noteSoon(id: string): Promise<void> {
    const entry = notes.get(id);
    if (entry === undefined) {
      const running = run(id);
      notes.set(id, { running, next: null });
      return running;
    }
    entry.next ??= entry.running.catch(() => undefined).then(() => {
      const running = entry.next ?? Promise.resolve();
      notes.set(id, { running, next: null });
      return run(id);
    });
    return entry.next;
  }

  return {
    take: async ({ token, isHandshake }) => {
      const known = connectorOfToken(tools.house, token);
      if (known === null) throw new Refusal('invalid_callback');
      if (known.key.use === 'former') await noteFormer(tools.house, formerNoted, known.id, known.key.id);
      if (isHandshake) await findNotified(tools.house, known.id);
      else await noteSoon(known.id);
      return { accepted: true };
    },
  };
}

/** Notes that the source still uses an address of a former key, once an hour: as long as it does, the key is needed. @throws Refusal `invalid_callback` */
async function noteFormer(house: ConnectorsHouse, notedHere: Map<string, number>, id: string, keyId: string): Promise<void> {
  const now = house.ambient.now();
  if ((notedHere.get(id) ?? 0) > now - hour) return;
  const { formerNotified: noted } = await findNotified(house, id);
  notedHere.set(id, now);
  if (noted !== undefined && noted.keyId === keyId && noted.at > now - hour) return;
  await allConnectors(house).update(id, {}, { set: { formerNotified: { keyId, at: now } } });
  house.log.warn({ connectorId: id, keyId }, 'a storage event came to an address that a former secret key made: give the source the new notifyUrl');
}

/** Notes that a connector's source has changed. @throws Refusal `invalid_callback` where the connector was deleted */
async function note(tools: ConnectorTools, id: string): Promise<void> {
  const { house } = tools;
  for (let attempt = 0; attempt < writeAttempts; attempt += 1) {
    const connector = await findNotified(house, id);
    // Its address stays good, so that the storage does not give up on it; nothing follows from the event.
    if (!connector.enabled || !(await mayBeSynced(house, connector))) return;
    const waited = connector.requestedAt === null ? 0 : house.ambient.now() - connector.requestedAt;
    const delay = Math.max(0, Math.min(quiet, mostPatience - waited));
    if ((await askFor(tools, allConnectors(house), connector, { delay, isEvent: true })) !== null) return;
  }
  throw tooBusy();
}

async function findNotified(house: ConnectorsHouse, id: string): Promise<Connector> {
  const connector = await allConnectors(house).get(id);
  if (connector === null) throw new Refusal('invalid_callback');
  return connector;
}

/** Whether a connector is synced without a client's asking: its organization is active, and the account's plan has connectors. */
export async function mayBeSynced({ records }: Pick<ConnectorsHouse, 'records'>, { organizationId, accountId }: Pick<Connector, 'organizationId' | 'accountId'>): Promise<boolean> {
  const organization = await records.collection(organizations, systemScope).get(organizationId);
  return organization !== null && organization.isActive && (await planIncludes({ records }, accountId, 'connectors'));
}
