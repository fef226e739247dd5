import { accessContext, type Asset } from '../../models/asset.ts';
import { callbackSecretContext } from '../../models/settings.ts';
import type { ActionInput, ActionOutput } from '../actions/table.ts';
import type { GuardedClient } from '../guarded-client/client.ts';
import type { AppContext } from '../app-context.ts';
import { settingsOf } from '../settings/settings.ts';
import { requestCallback } from './request-callback.ts';
import { expiryMarginMs } from './callback.ts';
import { SourceFailure } from './failure.ts';

/**
 * Where the address of a file comes from: the organization's callback, an address that a client gave with the
 * registration or later, the file's connector, or the registered public address.
 */
export type AddressMethod = 'callback' | 'stored' | 'connector' | 'public';

/** An address to read from. All but the public one are secret. */
export interface SourceGrant {
  address: string;
  /** End of its validity, in milliseconds since the epoch; null: it is used for the whole read. */
  until: number | null;
  /** Whether a new address can be requested. */
  renewable: boolean;
  /** Whether to follow redirects (each target is checked like the first). */
  redirects: boolean;
  /** Whether the issuer of the address has checked the version, so that no ETag is compared. */
  verified: boolean;
}

/** The fields of an asset that determine its address. */
export type AddressedAsset = Pick<
  Asset,
  | '_id'
  | 'organizationId'
  | 'externalId'
  | 'sourceUrl'
  | 'sourceVersion'
  | 'callbackKey'
  | 'sealedAccess'
  | 'connectorId'
>;

/** What obtaining an address needs. */
export interface AddressTools {
  app: Pick<AppContext, 'records' | 'runtime' | 'configuration' | 'sealer'>;
  /**
   * Sends requests to callbacks. Only the deployment's rules for outgoing requests apply to it: lists of hosts do not
   * restrict callbacks.
   */
  client: GuardedClient;
  /** Calls the connectors' action. */
  readAddress(input: ActionInput<'connectors.readAddress'>): Promise<ActionOutput<'connectors.readAddress'>>;
}

/**
 * The methods to obtain a file's address, in order. The next one is used where the source or the issuer of the address
 * denies access. With a `callbackKey` the callback is requested at each read; an address that a client gave is the
 * fallback where the callback's is denied or the callback was removed. A connector's file is read with the address that
 * a client gave for it, else with the connector's, and at last with its public address, in case the connector was
 * removed.
 */
export function addressMethods(
  asset: Pick<Asset, 'callbackKey' | 'sealedAccess' | 'connectorId'>,
): [AddressMethod, ...AddressMethod[]] {
  const isStored = asset.sealedAccess !== null;
  if (asset.callbackKey !== null) return isStored ? ['callback', 'stored'] : ['callback'];
  if (asset.connectorId !== null) return isStored ? ['stored', 'connector'] : ['connector', 'public'];
  return [isStored ? 'stored' : 'public'];
}

/**
 * Obtains an address by one method. It is neither stored nor logged here.
 * @throws SourceFailure, StoreUnavailable, SealBroken; RequestFailure `aborted`
 */
export async function obtainAddress(
  method: AddressMethod,
  tools: AddressTools,
  asset: AddressedAsset,
  signal: AbortSignal | undefined,
): Promise<SourceGrant> {
  const fixed = { until: null, renewable: false, redirects: false, verified: false };
  switch (method) {
    case 'public':
      return { ...fixed, address: asset.sourceUrl };
    case 'stored':
      if (asset.sealedAccess === null) throw new Error('no address was given for the file');
      return { ...fixed, address: tools.app.sealer.open(asset.sealedAccess, accessContext(asset._id)) };
    case 'callback':
      return byCallback(tools, asset, signal);
    case 'connector':
      return byConnector(tools, asset);
  }
}

async function byCallback(
  { app, client }: AddressTools,
  asset: AddressedAsset,
  signal: AbortSignal | undefined,
): Promise<SourceGrant> {
  const { callbackUrl, callbackSecret } = await settingsOf(app, asset.organizationId);
  if (callbackUrl === null || callbackSecret === null)
    throw new SourceFailure('callback_not_configured', 'the organization has no callback address and secret');
  const secret = app.sealer.open(callbackSecret.sealed, callbackSecretContext(callbackSecret.organizationId));
  const target = {
    url: callbackUrl,
    secret,
    client,
    privateNetworks: app.configuration.PLY_PRIVATE_NETWORKS,
    runtime: app.runtime,
  };
  const { address, expiresAt } = await requestCallback(target, asset, signal);
  return { address, until: expiresAt - expiryMarginMs, renewable: true, redirects: false, verified: false };
}

/** Names of the errors of a call without an answer. */
const unanswered: ReadonlySet<string> = new Set([
  'ServiceNotFoundError',
  'ServiceNotAvailableError',
  'RequestTimeoutError',
  'RequestRejectedError',
]);

async function byConnector({ readAddress }: AddressTools, asset: AddressedAsset): Promise<SourceGrant> {
  const { organizationId, connectorId, externalId, sourceUrl, sourceVersion } = asset;
  if (connectorId === null) throw new Error('no connector brought the file');
  let answer: ActionOutput<'connectors.readAddress'>;
  try {
    answer = await readAddress({ organizationId, connectorId, externalId, sourceUrl, sourceVersion });
  } catch (error) {
    if (error instanceof Error && unanswered.has(error.name))
      throw new SourceFailure('source_unreachable', 'the connectors do not answer', { cause: error });
    throw error;
  }
  if ('failure' in answer) throw new SourceFailure(answer.failure, answer.detail);
  const { address, redirects, verified } = answer;
  return { address, until: null, renewable: true, redirects, verified };
}
