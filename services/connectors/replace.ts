import type { Change } from '../../adapters/records/port.ts';
import type { Caller } from '../../models/api.ts';
import { assets } from '../../models/asset.ts';
import type { Connector, ConnectorInput, ConnectorView } from '../../models/connector.ts';
import { canonicalJson } from '../../models/json.ts';
import { scopeOf } from '../../models/scope.ts';
import { checkSource } from './check-source.ts';
import { firstNight, nameTaken } from './create.ts';
import { replacedCredential } from './credential.ts';
import { waitsForSource } from './sync/waiting.ts';
import { connectorsOf, findConnector, tooBusy, writeAttempts, type ConnectorTools } from './tools.ts';
import { connectorView } from './view.ts';

/**
 * Replaces a connector in one write. Fields that are left out get their defaults, except the credential, which is kept.
 * A change of what is read ends the running sync and requests a new one; disabling ends it. A new credential requests a
 * sync where files wait for access.
 * @throws Refusal `connector_not_found`, `connector_name_taken`, `validation_error`, `source_host_not_allowed`,
 * `source_host_outside_ceiling`
 */
export async function replaceConnector(
  tools: ConnectorTools,
  { organizationId }: Caller,
  connectorId: string,
  input: ConnectorInput,
): Promise<ConnectorView> {
  const { app } = tools;
  const source = await checkSource(app, organizationId, input.source);
  const collection = connectorsOf(app, organizationId);
  for (let attempt = 0; attempt < writeAttempts; attempt += 1) {
    const before = await findConnector(app, organizationId, connectorId);
    const sealedCredential = replacedCredential(app, before, source, input.credential);
    const { change, startsSync } = await changeOf(app, before, { ...input, source }, sealedCredential);
    try {
      // Everything that the change depends on: the settings and the state of syncs.
      const filter = {
        version: before.version,
        updatedAt: before.updatedAt,
        requestedAt: before.requestedAt,
        sealedCredential: before.sealedCredential,
        'sync.syncId': before.sync?.syncId ?? null,
      };
      const replaced = await collection.update(connectorId, filter, change);
      if (replaced === null) continue;
      if (startsSync) tools.wakeUp(0);
      return connectorView(app, replaced);
    } catch (error) {
      throw nameTaken(error);
    }
  }
  throw tooBusy();
}

/** The write of a replacement, and whether it requests a sync. */
async function changeOf(
  app: ConnectorTools['app'],
  before: Connector,
  input: ConnectorInput,
  sealedCredential: string | null,
): Promise<{ change: Change; startsSync: boolean }> {
  const { name, source, schedule, enabled, defaultAclMode, extractContentFromVideoFrames } = input;
  const isChanged =
    sealedCredential !== before.sealedCredential ||
    !isSame(
      [source, defaultAclMode, extractContentFromVideoFrames],
      [before.source, before.defaultAclMode, before.extractContentFromVideoFrames],
    );
  const ends = before.sync !== null && (isChanged || !enabled);
  const isRestarted = ends && enabled;
  const isRetried =
    enabled &&
    before.sync === null &&
    sealedCredential !== before.sealedCredential &&
    (await waitsForSource(app.records.collection(assets, scopeOf(before.organizationId)), before._id));
  const startsSync = isRestarted || isRetried;
  const nightlyDue = await nightAfter(app, before, { schedule, enabled });
  // Strictly increasing, because it identifies a state of the settings.
  const updatedAt = Math.max(app.runtime.now(), before.updatedAt + 1);
  const requestedAt = !enabled ? null : startsSync ? (before.requestedAt ?? updatedAt) : before.requestedAt;
  const unset = [...(nightlyDue === null ? ['nightlyDue'] : []), ...(enabled ? [] : ['syncDue'])];
  return {
    startsSync,
    change: {
      set: {
        name,
        source,
        sealedCredential,
        schedule,
        enabled,
        defaultAclMode,
        extractContentFromVideoFrames,
        requestedAt,
        updatedAt,
        version: before.version + (isChanged || ends ? 1 : 0),
        ...(ends ? { sync: null } : {}),
        ...(startsSync ? { syncDue: app.records.time() } : {}),
        ...(nightlyDue === null ? {} : { nightlyDue }),
      },
      ...(unset.length > 0 ? { unset } : {}),
    },
  };
}

/** The time of the next nightly sync: one that is already scheduled is kept. */
async function nightAfter(
  app: ConnectorTools['app'],
  before: Connector,
  { schedule, enabled }: Pick<ConnectorInput, 'schedule' | 'enabled'>,
): Promise<number | null> {
  if (schedule === 'nightly' && enabled && before.nightlyDue !== undefined) return before.nightlyDue;
  return firstNight(app, { ...before, schedule, enabled });
}

/** Whether two values are equal, regardless of the order of their keys. */
function isSame(one: unknown, other: unknown): boolean {
  return canonicalJson(one) === canonicalJson(other);
}
