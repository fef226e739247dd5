import type { StageWork } from '../../mixins/indexing/stage.ts';
import { obtainAddress, addressMethods } from '../../mixins/sources/address-of.ts';
import { checkAllowed } from '../../mixins/sources/allowed.ts';
import { SourceFailure } from '../../mixins/sources/failure.ts';
import { grantedClient } from '../../mixins/sources/granted.ts';
import type { SourceRead } from '../../mixins/sources/read.ts';
import type { Asset, OutboxEntry, Warning } from '../../models/asset.ts';
import { pacedClient, sourcePace, type SourcePace } from './pace.ts';
import { Patience } from './patience.ts';
import type { ExtractionTools } from './tools.ts';

/**
 * Does something with an asset's source, within a bounded time: a source that trickles must not hold a place for days.
 * What it waits while requests go first does not count. Where the file is read is found out for each request
 * (mixins/sources/granted.ts).
 * @throws SourceFailure `source_unreachable` when the time is over, and whatever `use` throws
 */
export async function readingOf<T>(
  tools: ExtractionTools,
  { asset, signal }: StageWork,
  maxBytes: number,
  use: (read: SourceRead & { signal: AbortSignal }) => Promise<T>,
  pace: SourcePace = sourcePace,
): Promise<T> {
  const { app } = tools;
  const seconds = app.configuration.PLY_SOURCE_SECONDS;
  const patience = new Patience(seconds * 1000, signal);
  // What the operator vouches for is the registered address; a connector may send elsewhere.
  const isTrusted = asset.connectorId === null && app.trustedSources.has(asset.sourceUrl);
  const paced = pacedClient(
    isTrusted ? tools.trustingClient : tools.client,
    pace,
    asset.organizationId,
    (milliseconds) => patience.putOff(milliseconds),
  );
  const client = grantedClient(paced, {
    methods: addressMethods(asset),
    obtain: (way, requested) => obtainAddress(way, tools, asset, requested),
    permit: (address) => checkAllowed(app, asset.organizationId, address),
    now: app.runtime.now,
  });
  try {
    return await use({
      address: asset.sourceUrl,
      sourceVersion: asset.sourceVersion,
      maxBytes,
      client,
      isVerified: () => client.isVerified(),
      signal: patience.signal,
    });
  } catch (error) {
    if (patience.signal.aborted && !signal.aborted)
      throw new SourceFailure('source_unreachable', `the source was not read within ${seconds} s`, { cause: error });
    throw error;
  } finally {
    patience.end();
  }
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
