import { SourceError, type Source, type SourceClient } from '../../adapters/sources/port.ts';
import type { ActionInput, ActionOutput } from '../../mixins/actions.ts';
import type { GuardedClient } from '../../mixins/guarded-client/client.ts';
import { requestFailureOf } from '../../mixins/guarded-client/failure.ts';
import { allowedClient, checkAllowed } from '../../mixins/sources/allowed.ts';
import { sourceFailureOf } from '../../mixins/sources/failure.ts';
import type { Ambient } from '../../models/ambient.ts';
import { credentialPlace, type Connector, type ConnectorSource } from '../../models/connector.ts';
import { connectorsOf, type ConnectorsHouse } from './tools.ts';

/** Makes a source of a connector. Handed in, because adapters are chosen where the program is put together. */
export type OpenSource = (options: { source: ConnectorSource; credential: string; client: SourceClient; ambient: Pick<Ambient, 'now'>; withPrincipals?: boolean }) => Promise<Source>;

/** What sources are opened with. */
export interface SourceTools {
  house: ConnectorsHouse;
  client: GuardedClient;
  openSource: OpenSource;
}

/**
 * Opens a connector's source with its credential, to read files from. It reaches only hosts that the deployment and the organization allow.
 * @throws SourceError `refused`, `credential`
 */
async function sourceOf({ house, client, openSource }: SourceTools, connector: Connector): Promise<Source> {
  const { source, organizationId } = connector;
  const credential = credentialOf(house, connector);
  return openSource({ source, credential, client: tellingClient(allowedClient(client, house, organizationId)), ambient: house.ambient, withPrincipals: false });
}

/** A client whose requests to hosts that are not allowed fail as the source's own failures do, so that the reason is told. */
function tellingClient(client: GuardedClient): SourceClient {
  return {
    request: async (address, options) => {
      try {
        return await client.request(address, options);
      } catch (error) {
        const failure = sourceFailureOf(error);
        throw failure === null ? error : new SourceError('refused', failure.message, { cause: failure });
      }
    },
  };
}

/** Whether an organization may read from the host of an address now: null, or why it may not. @throws StoreUnavailable */
export async function refusalOfHost(house: ConnectorsHouse, organizationId: string, address: string): Promise<string | null> {
  try {
    await checkAllowed(house, organizationId, address);
    return null;
  } catch (error) {
    const failure = sourceFailureOf(error);
    if (failure === null) throw error;
    return failure.message;
  }
}

/** The opened credential of a connector; empty where it has none. @throws SourceError `credential` */
export function credentialOf({ sealer }: ConnectorsHouse, { _id, sealedCredential }: Connector): string {
  if (sealedCredential === null) return '';
  try {
    return sealer.open(sealedCredential, credentialPlace(_id));
  } catch (error) {
    throw new SourceError('credential', 'The stored credential does not open with the secret key of this deployment: send it again.', { cause: error });
  }
}

/** How long a source may take to say where a file is, in milliseconds: less than a caller of an action waits. */
const patience = 25_000;

const codes = { temporary: 'source_unreachable', credential: 'source_access_denied', absent: 'source_access_denied', refused: 'source_access_denied', changed: 'source_version_changed' } as const;

/** Where a connector's file can be read now, or why it cannot be. Of a disabled or deleted connector nothing is read. */
export async function readAddress(tools: SourceTools, { organizationId, connectorId, ...file }: ActionInput<'connectors.readAddress'>): Promise<ActionOutput<'connectors.readAddress'>> {
  const connector = await connectorsOf(tools.house, organizationId).get(connectorId);
  if (connector === null || !connector.enabled) return { failure: 'source_access_denied', detail: connector === null ? 'the connector was deleted' : 'the connector is disabled' };
  const signal = AbortSignal.timeout(patience);
  try {
    const source = await sourceOf(tools, connector);
    try {
      return await source.addressOf(file, signal);
    } finally {
      await source.close();
    }
  } catch (error) {
    if (signal.aborted) return { failure: 'source_unreachable', detail: 'the source did not say in time where the file is' };
    const failure = failureOf(error);
    if (failure === null) throw error;
    return failure;
  }
}

function failureOf(error: unknown): Extract<ActionOutput<'connectors.readAddress'>, { failure: string }> | null {
  const source = sourceErrorOf(error);
  const cause = error instanceof Error ? error.cause : undefined;
  // An adapter may have put its own error around what the rules for hosts said.
  const kept = sourceFailureOf(error) ?? sourceFailureOf(cause);
  if (kept?.code === 'source_host_not_allowed') return { failure: 'source_host_not_allowed', detail: kept.message };
  const request = requestFailureOf(error) ?? requestFailureOf(cause);
  if (request?.reason === 'refused') return { failure: 'source_host_not_allowed', detail: request.message };
  if (source !== null) return { failure: codes[source.reason], detail: source.message };
  return request === null ? null : { failure: 'source_unreachable', detail: request.message };
}

/** Errors are told by name: they may come from another realm. */
function sourceErrorOf(error: unknown): Pick<SourceError, 'reason' | 'message'> | null {
  return isSourceError(error) ? error : null;
}

function isSourceError(error: unknown): error is SourceError {
  return error instanceof Error && error.name === 'SourceError' && 'reason' in error && typeof error.reason === 'string' && Object.hasOwn(codes, error.reason);
}
