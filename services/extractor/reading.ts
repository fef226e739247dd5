import type { StageWork } from '../../mixins/indexing/stage.ts';
import { obtainAddress, addressMethods } from '../../mixins/sources/address-of.ts';
import { checkAllowed } from '../../mixins/sources/allowed.ts';
import { SourceFailure } from '../../mixins/sources/failure.ts';
import { grantedClient, type GrantedClient } from '../../mixins/sources/granted.ts';
import { ownFilesClient } from '../../mixins/sources/own-client.ts';
import type { SourceRead } from '../../mixins/sources/read.ts';
import type { Asset, OutboxEntry, Warning } from '../../models/asset.ts';
import { PausableTimeout } from './pausable-timeout.ts';
import { sourceThrottle, throttledClient, type SourceThrottle } from './source-throttle.ts';
import type { ExtractionTools } from './tools.ts';

/**
 * Reads an asset's source within a time limit, so that a slow source does not block a worker for days. Time that it is
 * throttled does not count. The address is resolved for each request (mixins/sources/granted.ts). A file of the
 * organization's own buckets is read from the object store.
 * @throws SourceFailure `source_unreachable` after the time limit, and what `use` throws
 */
export async function readingOf<T>(
  tools: ExtractionTools,
  { asset, signal }: StageWork,
  maxBytes: number,
  use: (read: SourceRead & { signal: AbortSignal }) => Promise<T>,
  throttle: SourceThrottle = sourceThrottle,
): Promise<T> {
  const { app } = tools;
  const seconds = app.configuration.PLY_SOURCE_SECONDS;
  const timeout = new PausableTimeout(seconds * 1000, signal);
  const client =
    asset.bucketId === null
      ? networkClient(tools, asset, throttle, timeout)
      : { ...ownFilesClient(app, asset.organizationId), isVerified: () => false };
  try {
    return await use({
      address: asset.sourceUrl,
      sourceVersion: asset.sourceVersion,
      maxBytes,
      client,
      isVerified: () => client.isVerified(),
      signal: timeout.signal,
    });
  } catch (error) {
    if (timeout.signal.aborted && !signal.aborted)
      throw new SourceFailure('source_unreachable', `the source was not read within ${seconds} s`, { cause: error });
    throw error;
  } finally {
    timeout.clear();
  }
}

/** A client that reads the asset's file from where it was registered, over the network. */
function networkClient(
  tools: ExtractionTools,
  asset: Asset,
  throttle: SourceThrottle,
  timeout: PausableTimeout,
): GrantedClient {
  const { app } = tools;
  // The operator trusts the registered address only; a connector may name another.
  const isTrusted = asset.connectorId === null && app.trustedSources.has(asset.sourceUrl);
  const throttled = throttledClient(
    isTrusted ? tools.trustingClient : tools.client,
    throttle,
    asset.organizationId,
    (milliseconds) => timeout.extend(milliseconds),
  );
  return grantedClient(throttled, {
    methods: addressMethods(asset),
    obtain: (way, requested) => obtainAddress(way, tools, asset, requested),
    permit: (address) => checkAllowed(app, asset.organizationId, address),
    now: app.runtime.now,
  });
}

/** The warning about a digest that the caller gave and the content does not have, if it is so. */
export function digestWarnings(asset: Asset, sha256: string): Warning[] {
  if (asset.contentSha256 === null || asset.contentSha256 === sha256) return [];
  return [
    {
      code: 'content_digest_differs',
      detail: `The content's SHA-256 is ${sha256}; contentSha256 said ${asset.contentSha256}.`,
    },
  ];
}

/** The usage of the bytes that were read. */
export function usageOf(asset: Asset, bytes: number, now: number): OutboxEntry[] {
  return [
    {
      id: `${asset.run.jobId}:${asset.run.stageSeq}:source_bytes`,
      kind: 'usage',
      metric: 'source_bytes',
      quantity: bytes,
      at: now,
      notBefore: now,
    },
  ];
}
