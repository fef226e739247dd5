import { fileURLToPath } from 'node:url';
import type { Ambient } from '../../models/ambient.ts';
import type { Records } from '../records/port.ts';
import type { Blobs } from './port.ts';
import { openFolderBlobs } from './folder.ts';
import { withSmallBlobs } from './small.ts';

/**
 * Opens the blobs that an address names: `file:///folder`, `s3://` or `s3+http://` (see `parseS3Address`); `folder`
 * where there is no address. The folder is this process's alone; where its records are too (`records`, else null), small
 * texts stand in these.
 */
export async function openBlobs(url: string | null, folder: string, ambient: Ambient, records: Records | null = null): Promise<Blobs> {
  if (url === null) {
    const files = await openFolderBlobs({ folder, ambient });
    return records === null ? files : withSmallBlobs(files, records);
  }
  if (new URL(url).protocol === 'file:') return openFolderBlobs({ folder: fileURLToPath(url), ambient });
  // Loaded only where it is used: the S3 client is large.
  return (await import('./s3/s3.ts')).openS3Blobs({ url });
}
