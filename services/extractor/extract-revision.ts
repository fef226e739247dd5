import { rm } from 'node:fs/promises';
import { derivedKey, writeBlocks } from '../../mixins/blocks/blocks.ts';
import type { GuardedClient } from '../../mixins/guarded-client/client.ts';
import type { House } from '../../mixins/house.ts';
import type { StageResult, StageWork } from '../../mixins/runs/stage-worker.ts';
import { SourceFailure } from '../../mixins/sources/failure.ts';
import { downloadSource, type DownloadedSource } from '../../mixins/sources/download.ts';
import { accessPlace } from '../../mixins/sources/place.ts';
import type { Asset, OutboxEntry, Warning } from '../../models/asset.ts';
import type { Block } from '../../models/block.ts';
import { formatOf } from '../../models/formats.ts';
import type { ExtractionPool } from './processes/pool.ts';
import type { WorkFolder } from './work-folder.ts';

/** What extraction works with. */
export interface ExtractionTools {
  house: House;
  client: GuardedClient;
  /** For loopback sources that the operator vouches for. */
  trustingClient: GuardedClient;
  pool: ExtractionPool;
  folder: WorkFolder;
}

/** Share of the stage's progress that reading the source is. */
const downloadShare = 20;

/** Reads an asset's source and writes its blocks under asset and revision. Doing it again writes the same. */
export async function extractRevision(tools: ExtractionTools, work: StageWork): Promise<StageResult> {
  const { house, pool, folder } = tools;
  const { asset, signal } = work;
  const format = formatOf(asset.filename, asset.kind);
  if (format === null) throw new Error(`nothing reads ${asset.kind} files named like ${asset.filename}`);
  const path = folder.next();
  try {
    const source = await download(tools, asset, path, signal);
    work.progress(downloadShare);
    let blocks = 0;
    async function* extracted(): AsyncGenerator<Block> {
      for await (const batch of pool.extract({ path, bytes: source.bytes, format: format ?? 'text', signal })) {
        work.progress(downloadShare + (batch.progress * (100 - downloadShare)) / 100);
        blocks += batch.blocks.length;
        yield* batch.blocks;
      }
    }
    await writeBlocks(house.blobs, derivedKey(asset.organizationId, asset._id, asset.run.revision, 'blocks.ndjson'), extracted());
    const facts = { ...asset.run.facts, bytes: source.bytes, sha256: source.sha256, warnings: warningsOf(asset, source, blocks) };
    return { next: 'embedding', facts, outbox: usageOf(asset, source.bytes, house.records.time()) };
  } finally {
    await rm(path, { force: true });
  }
}

/** Reads the source into a file, within a bounded time: a source that trickles must not hold a place for days. */
async function download({ house, client, trustingClient }: ExtractionTools, asset: Asset, path: string, signal: AbortSignal): Promise<DownloadedSource> {
  const seconds = house.configuration.PLY_SOURCE_SECONDS;
  const late = AbortSignal.timeout(seconds * 1000);
  const address = asset.sealedAccess === null ? asset.sourceUrl : house.sealer.open(asset.sealedAccess, accessPlace(asset._id));
  const read = { address, sourceVersion: asset.sourceVersion, maxBytes: house.configuration.PLY_MAX_DOCUMENT_BYTES, client: house.trustedSources.has(address) ? trustingClient : client };
  try {
    return await downloadSource({ ...read, signal: AbortSignal.any([signal, late]) }, path);
  } catch (error) {
    if (late.aborted && !signal.aborted) throw new SourceFailure('source_unreachable', `the source was not read within ${seconds} s`, { cause: error });
    throw error;
  }
}

function warningsOf(asset: Asset, source: DownloadedSource, blocks: number): Warning[] {
  const warnings: Warning[] = [];
  if (asset.contentSha256 !== null && asset.contentSha256 !== source.sha256) {
    warnings.push({ code: 'content_digest_differs', detail: `The content's SHA-256 is ${source.sha256}; contentSha256 said ${asset.contentSha256}.` });
  }
  if (blocks === 0) warnings.push({ code: 'indexed_nothing', detail: 'The file holds no text.' });
  return warnings;
}

function usageOf(asset: Asset, bytes: number, now: number): OutboxEntry[] {
  return [{ id: `${asset.run.jobId}:${asset.run.stageSeq}:source_bytes`, kind: 'usage', metric: 'source_bytes', quantity: bytes, at: now, notBefore: now }];
}
