import type { Change } from '../../adapters/records/port.ts';
import type { Caller } from '../../models/api.ts';
import { assets } from '../../models/asset.ts';
import type { Connector, ConnectorInput, ConnectorView } from '../../models/connector.ts';
import { scopeOf } from '../../models/scope.ts';
import { checkSource } from './check-source.ts';
import { firstNight, nameTaken } from './create.ts';
import { credentialAfter } from './credential.ts';
import { waitsForSource } from './sync/waiting.ts';
import { connectorsOf, findConnector, tooBusy, writeAttempts, type ConnectorTools } from './tools.ts';
import { connectorView } from './view.ts';

/**
 * Replaces what a connector is, in one write. What is left out has its default again, but the credential, which stays.
 * A change of what is read ends a sync under way, which then begins anew; disabling ends it for good. With a new credential
 * a sync begins where files wait for one.
 * @throws Refusal `connector_not_found`, `connector_name_taken`, `validation_error`, `source_host_not_allowed`,
 * `source_host_outside_ceiling`
 */
export async function replaceConnector(tools: ConnectorTools, { organizationId }: Caller, connectorId: string, input: ConnectorInput): Promise<ConnectorView> {
  const { house } = tools;
  const source = await checkSource(house, organizationId, input.source);
  const collection = connectorsOf(house, organizationId);
  for (let attempt = 0; attempt < writeAttempts; attempt += 1) {
    const before = await findConnector(house, organizationId, connectorId);
    const sealedCredential = credentialAfter(house, before, source, input.credential);
    const { change, begins } = await changeOf(house, before, { ...input, source }, sealedCredential);
    try {
      // Everything that the change was made from: the settings, and how far syncs are.
      const filter = { version: before.version, updatedAt: before.updatedAt, requestedAt: before.requestedAt, sealedCredential: before.sealedCredential, 'sync.syncId': before.sync?.syncId ?? null };
      const replaced = await collection.update(connectorId, filter, change);
      if (replaced === null) continue;
      if (begins) tools.ring(0);
      return connectorView(house, replaced);
    } catch (error) {
      throw nameTaken(error);
    }
  }
  throw tooBusy();
}

/** The write that a replacement is, and whether a sync may begin with it. */
async function changeOf(house: ConnectorTools['house'], before: Connector, input: ConnectorInput, sealedCredential: string | null): Promise<{ change: Change; begins: boolean }> {
  const { name, source, schedule, enabled, defaultAclMode, extractContentFromVideoFrames } = input;
  const isOther = sealedCredential !== before.sealedCredential || !isSame([source, defaultAclMode, extractContentFromVideoFrames], [before.source, before.defaultAclMode, before.extractContentFromVideoFrames]);
  const ends = before.sync !== null && (isOther || !enabled);
  const isRestarted = ends && enabled;
  const isAsked = enabled && before.sync === null && sealedCredential !== before.sealedCredential && (await waitsForSource(house.records.collection(assets, scopeOf(before.organizationId)), before._id));
  const begins = isRestarted || isAsked;
  const nightlyDue = await nightAfter(house, before, { schedule, enabled });
  // Never the same time twice: it is what tells one state of the settings from the next.
  const updatedAt = Math.max(house.ambient.now(), before.updatedAt + 1);
  const requestedAt = !enabled ? null : begins ? (before.requestedAt ?? updatedAt) : before.requestedAt;
  const unset = [...(nightlyDue === null ? ['nightlyDue'] : []), ...(enabled ? [] : ['syncDue'])];
  return {
    begins,
    change: {
      set: {
        name, source, sealedCredential, schedule, enabled, defaultAclMode, extractContentFromVideoFrames, requestedAt, updatedAt, version: before.version + (isOther || ends ? 1 : 0),
        ...(ends ? { sync: null } : {}), ...(begins ? { syncDue: house.records.time() } : {}), ...(nightlyDue === null ? {} : { nightlyDue }),
      },
      ...(unset.length > 0 ? { unset } : {}),
    },
  };
}

/** When it is synced next by itself: a night that is due already stays so. */
async function nightAfter(house: ConnectorTools['house'], before: Connector, { schedule, enabled }: Pick<ConnectorInput, 'schedule' | 'enabled'>): Promise<number | null> {
  if (schedule === 'nightly' && enabled && before.nightlyDue !== undefined) return before.nightlyDue;
  return firstNight(house, { ...before, schedule, enabled });
}

/** Whether two values are the same, whatever the order of their keys. */
function isSame(one: unknown, other: unknown): boolean {
  return canonical(one) === canonical(other);
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => (typeof inner === 'object' && inner !== null && !Array.isArray(inner) ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1))) : inner));
}
