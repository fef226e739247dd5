import { rm } from 'node:fs/promises';
import { derivedKey } from '../../mixins/blocks/blocks.ts';
import type { StageResult, StageWork } from '../../mixins/indexing/stage.ts';
import { downloadSource } from '../../mixins/sources/download.ts';
import { formatOf, type DocumentFormat } from '../../models/formats.ts';
import { derivedNames } from '../../models/transcript.ts';
import { extractMedia } from './recordings/extract-media.ts';
import { digestWarnings, readingOf, usageOf } from './reading.ts';
import type { ExtractionTools } from './tools.ts';

/** Share of the stage's progress that reading the source is. */
const downloadShare = 20;
/** Documents of up to so many bytes go from their source to the process that reads them without a file between. */
const maxHeld = 32 * 1024;

/**
 * Reads an asset's source and writes what the next stage works on under asset and revision. Doing it again writes the
 * same.
 */
export async function extractRevision(tools: ExtractionTools, work: StageWork): Promise<StageResult> {
  const { asset } = work;
  if (asset.kind !== 'document') return extractMedia(tools, work);
  const format = formatOf(asset.filename, asset.kind);
  if (format === null) throw new Error(`nothing reads ${asset.kind} files named like ${asset.filename}`);
  return extractDocument(tools, work, format);
}

async function extractDocument(tools: ExtractionTools, work: StageWork, format: DocumentFormat): Promise<StageResult> {
  const { app, pool, folder } = tools;
  const { asset, signal } = work;
  const path = folder.next();
  let isFile = true;
  try {
    const source = await readingOf(tools, work, app.configuration.PLY_MAX_DOCUMENT_BYTES, (read) =>
      downloadSource(read, path, maxHeld),
    );
    isFile = source.content === null;
    const usage = usageOf(asset, source.bytes, app.records.time());
    work.setFailureOutbox(usage);
    work.progress(downloadShare);
    let blocks = 0;
    const warnings = digestWarnings(asset, source.sha256);
    async function* extracted(): AsyncGenerator<Uint8Array> {
      for await (const batch of pool.extract({
        path,
        bytes: source.bytes,
        format,
        owner: asset.organizationId,
        signal,
        ...(source.content === null ? {} : { content: source.content }),
      })) {
        work.progress(downloadShare + (batch.progress * (100 - downloadShare)) / 100);
        blocks += batch.blocks;
        warnings.push(...batch.warnings);
        // They come as they are stored.
        yield batch.lines;
      }
    }
    await app.blobs.write(
      derivedKey(asset.organizationId, asset._id, asset.run.revision, derivedNames.blocks),
      extracted(),
    );
    if (blocks === 0) warnings.push({ code: 'indexed_nothing', detail: 'The file holds no text.' });
    const facts = { ...asset.run.facts, bytes: source.bytes, sha256: source.sha256, warnings };
    return { next: 'embedding', facts, outbox: usage };
  } finally {
    if (isFile) await rm(path, { force: true });
  }
}
