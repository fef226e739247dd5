import { fileURLToPath } from 'node:url';
import type { Runtime } from '../../models/runtime.ts';
import type { Records } from '../records/port.ts';
import type { Blobs } from './port.ts';
import { openFolderBlobs } from './folder.ts';
import { withSmallBlobs } from './small.ts';

/**
 * Opens the blobs at an address: `file:///folder`, `s3://` or `s3+http://` (see `parseS3Address`). Without an address
 * they are in `folder`, which only this process uses. If its records are exclusive too (`records`, else null), they
 * hold the small texts.
 */
export async function openBlobs(
  url: string | null,
  folder: string,
  runtime: Runtime,
  records: Records | null = null,
): Promise<Blobs> {
  if (url === null) {
    const files = await openFolderBlobs({ folder, runtime });
    return records === null ? files : withSmallBlobs(files, records);
  }
  if (new URL(url).protocol === 'file:') return openFolderBlobs({ folder: fileURLToPath(url), runtime });
  // Loaded on demand: the S3 client is large.
  return (await import('./s3/s3.ts')).openS3Blobs({ url });
}
