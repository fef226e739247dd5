import type { AppContext } from '../../mixins/app-context.ts';
import { isoTime } from '../../models/runtime.ts';
import type { Connector, ConnectorView } from '../../models/connector.ts';
import { notifyUrl } from './notify-url.ts';

/** A connector as the API shows it: its credential only as set or not. */
export function connectorView(app: Pick<AppContext, 'sealer' | 'configuration'>, connector: Connector): ConnectorView {
  const { source } = connector;
  return {
    connectorId: connector._id,
    kind: source.kind,
    name: connector.name,
    config: { ...source.config },
    credentialSet: connector.sealedCredential !== null,
    schedule: connector.schedule,
    enabled: connector.enabled,
    syncPending: connector.requestedAt !== null,
    defaultAclMode: connector.defaultAclMode,
    extractContentFromVideoFrames: connector.extractContentFromVideoFrames,
    notifyUrl: notifyUrl(app, connector._id),
    lastRunAt: isoTime(connector.lastRunAt),
    lastError: connector.lastError,
    lastSummary: connector.lastSummary,
    failures: connector.failures.map(({ externalId, errorCode, seenAt }) => ({
      externalId,
      errorCode,
      seenAt: isoTime(seenAt),
    })),
    createdAt: isoTime(connector.createdAt),
    updatedAt: isoTime(connector.updatedAt),
  };
}
