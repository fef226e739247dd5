import type { Asset } from '../../models/asset.ts';
import { callbackSecretPlace } from '../../models/settings.ts';
import type { ActionInput, ActionOutput } from '../actions.ts';
import type { GuardedClient } from '../guarded-client/client.ts';
import type { House } from '../house.ts';
import { settingsOf } from '../settings/settings.ts';
import { askCallback } from './ask-callback.ts';
import { expiryMarginMs } from './callback.ts';
import { SourceFailure } from './failure.ts';
import { accessPlace } from './place.ts';

/**
 * How an address for a file is come by: from the organization's callback, from what was given with the registration or
 * since, from the connector that brought the file, or it is the registered one, for everybody.
 */
export type AddressWay = 'callback' | 'stored' | 'connector' | 'public';

/** An address to read from: a secret but for the public one. */
export interface SourceGrant {
  address: string;
  /** Until when it may be used again, in milliseconds since the epoch; null for as long as the reading lasts. */
  until: number | null;
  /** Whether another address may be had by asking again. */
  renewable: boolean;
  /** Whether redirects are part of the way, each target checked like the first. */
  redirects: boolean;
  /** Whether whoever gave the address has checked the version, so that no ETag is compared. */
  verified: boolean;
}

/** The asset's fields that tell where it is read. */
export type AddressedAsset = Pick<Asset, '_id' | 'organizationId' | 'externalId' | 'sourceUrl' | 'sourceVersion' | 'callbackKey' | 'sealedAccess' | 'connectorId'>;

/** What addresses are come by with. */
export interface AddressTools {
  house: Pick<House, 'records' | 'ambient' | 'configuration' | 'sealer'>;
  /** Asks callbacks: bound by the deployment's rules for outgoing requests alone, since no list of hosts is about them. */
  client: GuardedClient;
  /** Asks the connectors; may wait as long as an action may. */
  readAddress(input: ActionInput<'connectors.readAddress'>): Promise<ActionOutput<'connectors.readAddress'>>;
}

/**
 * The ways to read a file, the first one first; the next is taken where the source, or who should give the address,
 * denies access. With a `callbackKey` the callback is asked at each read, and an address that was given as well stands in
 * where the callback's is denied, or there is no callback any more. A connector's file is read with the address that was
 * given for it, else the connector is asked; once that is gone, the source may still answer everybody.
 */
export function waysTo(asset: Pick<Asset, 'callbackKey' | 'sealedAccess' | 'connectorId'>): [AddressWay, ...AddressWay[]] {
  const isStored = asset.sealedAccess !== null;
  if (asset.callbackKey !== null) return isStored ? ['callback', 'stored'] : ['callback'];
  if (asset.connectorId !== null) return isStored ? ['stored', 'connector'] : ['connector', 'public'];
  return [isStored ? 'stored' : 'public'];
}

/**
 * Comes by an address in one of its ways. Nothing of it is kept or logged here.
 * @throws SourceFailure, StoreUnavailable, SealBroken; RequestFailure `aborted`
 */
export async function addressBy(way: AddressWay, tools: AddressTools, asset: AddressedAsset, signal: AbortSignal | undefined): Promise<SourceGrant> {
  const fixed = { until: null, renewable: false, redirects: false, verified: false };
  switch (way) {
    case 'public':
      return { ...fixed, address: asset.sourceUrl };
    case 'stored':
      if (asset.sealedAccess === null) throw new Error('no address was given for the file');
      return { ...fixed, address: tools.house.sealer.open(asset.sealedAccess, accessPlace(asset._id)) };
    case 'callback':
      return byCallback(tools, asset, signal);
    case 'connector':
      return byConnector(tools, asset);
  }
}

async function byCallback({ house, client }: AddressTools, asset: AddressedAsset, signal: AbortSignal | undefined): Promise<SourceGrant> {
  const { callbackUrl, callbackSecret } = await settingsOf(house, asset.organizationId);
  if (callbackUrl === null || callbackSecret === null) throw new SourceFailure('callback_not_configured', 'the organization has no callback address and secret');
  const secret = house.sealer.open(callbackSecret.sealed, callbackSecretPlace(callbackSecret.organizationId));
  const target = { url: callbackUrl, secret, client, privateNetworks: house.configuration.PLY_PRIVATE_NETWORKS, ambient: house.ambient };
  const { address, expiresAt } = await askCallback(target, asset, signal);
  return { address, until: expiresAt - expiryMarginMs, renewable: true, redirects: false, verified: false };
}

/** Errors of a call that reached nobody, or nobody in time, by their names. */
const unanswered: ReadonlySet<string> = new Set(['ServiceNotFoundError', 'ServiceNotAvailableError', 'RequestTimeoutError', 'RequestRejectedError']);

async function byConnector({ readAddress }: AddressTools, asset: AddressedAsset): Promise<SourceGrant> {
  const { organizationId, connectorId, externalId, sourceUrl, sourceVersion } = asset;
  if (connectorId === null) throw new Error('no connector brought the file');
  let answer: ActionOutput<'connectors.readAddress'>;
  try {
    answer = await readAddress({ organizationId, connectorId, externalId, sourceUrl, sourceVersion });
  } catch (error) {
    if (error instanceof Error && unanswered.has(error.name)) throw new SourceFailure('source_unreachable', 'the connectors do not answer', { cause: error });
    throw error;
  }
  if ('failure' in answer) throw new SourceFailure(answer.failure, answer.detail);
  const { address, redirects, verified } = answer;
  return { address, until: null, renewable: true, redirects, verified };
}
