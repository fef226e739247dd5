import { SourceError, type Source, type SourceClient } from '../../adapters/sources/port.ts';
import type { ActionInput, ActionOutput } from '../../mixins/actions/table.ts';
import type { GuardedClient } from '../../mixins/guarded-client/client.ts';
import { requestFailureOf } from '../../mixins/guarded-client/failure.ts';
import { checkAllowed } from '../../mixins/sources/allowed.ts';
import { sourceFailureOf } from '../../mixins/sources/failure.ts';
import type { Runtime } from '../../models/runtime.ts';
import { credentialContext, type Connector, type ConnectorSource } from '../../models/connector.ts';
import { connectorsOf, type ConnectorsContext } from './tools.ts';

/** Opens the source of a connector. Injected, because the program's entry point chooses the adapters. */
export type OpenSource = (options: {
  source: ConnectorSource;
  credential: string;
  client: SourceClient;
  runtime: Pick<Runtime, 'now'>;
  withPrincipals?: boolean;
}) => Promise<Source>;

/** What opening a source needs. */
export interface SourceTools {
  app: ConnectorsContext;
  client: GuardedClient;
  openSource: OpenSource;
}

/**
 * Opens a connector's source with its credential, to read files. Only hosts that the deployment and the organization
 * allow are requested.
 * @throws SourceError `refused`, `credential`
 */
async function sourceOf({ app, client, openSource }: SourceTools, connector: Connector): Promise<Source> {
  const { source, organizationId } = connector;
  const credential = credentialOf(app, connector);
  return openSource({
    source,
    credential,
    client: allowedClient(client, app, organizationId),
    runtime: app.runtime,
    withPrincipals: false,
  });
}

/** A client that checks each host first. A host that is not allowed fails with a SourceError `refused`. */
function allowedClient(client: GuardedClient, app: ConnectorsContext, organizationId: string): SourceClient {
  return {
    request: async (address, options) => {
      try {
        await checkAllowed(app, organizationId, address);
      } catch (error) {
        const failure = sourceFailureOf(error);
        throw failure === null ? error : new SourceError('refused', failure.message, { cause: failure });
      }
      return client.request(address, options);
    },
  };
}

/**
 * Whether an organization may read from the host of an address now: null, or why it may not. @throws StoreUnavailable
 */
export async function refusalOfHost(
  app: ConnectorsContext,
  organizationId: string,
  address: string,
): Promise<string | null> {
  try {
    await checkAllowed(app, organizationId, address);
    return null;
  } catch (error) {
    const failure = sourceFailureOf(error);
    if (failure === null) throw error;
    return failure.message;
  }
}

/** The decrypted credential of a connector; empty where it has none. @throws SourceError `credential` */
export function credentialOf({ sealer }: ConnectorsContext, { _id, sealedCredential }: Connector): string {
  if (sealedCredential === null) return '';
  try {
    return sealer.open(sealedCredential, credentialContext(_id));
  } catch (error) {
    throw new SourceError(
      'credential',
      'The stored credential does not open with the secret key of this deployment: send it again.',
      { cause: error },
    );
  }
}

/** Milliseconds that a source may take to answer a file's address: less than the timeout of actions. */
const timeoutMs = 25_000;

const codes = {
  temporary: 'source_unreachable',
  credential: 'source_access_denied',
  absent: 'source_access_denied',
  refused: 'source_access_denied',
  changed: 'source_version_changed',
} as const;

/**
 * The address at which a connector's file can be read now, or why there is none. Files of a disabled or deleted
 * connector are not read.
 */
export async function readAddress(
  tools: SourceTools,
  { organizationId, connectorId, ...file }: ActionInput<'connectors.readAddress'>,
): Promise<ActionOutput<'connectors.readAddress'>> {
  const connector = await connectorsOf(tools.app, organizationId).get(connectorId);
  if (connector === null || !connector.enabled)
    return {
      failure: 'source_access_denied',
      detail: connector === null ? 'the connector was deleted' : 'the connector is disabled',
    };
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const source = await sourceOf(tools, connector);
    try {
      return await source.addressOf(file, signal);
    } finally {
      await source.close();
    }
  } catch (error) {
    if (signal.aborted)
      return { failure: 'source_unreachable', detail: 'the source did not answer the address of the file in time' };
    const failure = failureOf(error);
    if (failure === null) throw error;
    return failure;
  }
}

function failureOf(error: unknown): Extract<ActionOutput<'connectors.readAddress'>, { failure: string }> | null {
  const source = sourceErrorOf(error);
  const cause = error instanceof Error ? error.cause : undefined;
  // An adapter may have wrapped the failure of the host check.
  const kept = sourceFailureOf(error) ?? sourceFailureOf(cause);
  if (kept?.code === 'source_host_not_allowed') return { failure: 'source_host_not_allowed', detail: kept.message };
  const request = requestFailureOf(error) ?? requestFailureOf(cause);
  if (request?.reason === 'refused') return { failure: 'source_host_not_allowed', detail: request.message };
  if (source !== null) return { failure: codes[source.reason], detail: source.message };
  return request === null ? null : { failure: 'source_unreachable', detail: request.message };
}

/** Errors are recognized by name, because they may come from another realm. */
function sourceErrorOf(error: unknown): Pick<SourceError, 'reason' | 'message'> | null {
  return isSourceError(error) ? error : null;
}

function isSourceError(error: unknown): error is SourceError {
  return (
    error instanceof Error &&
    error.name === 'SourceError' &&
    'reason' in error &&
    typeof error.reason === 'string' &&
    Object.hasOwn(codes, error.reason)
  );
}
