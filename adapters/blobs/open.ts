import { fileURLToPath } from 'node:url';
import type { Ambient } from '../../models/ambient.ts';
import type { Blobs } from './port.ts';
import { openFolderBlobs } from './folder.ts';

/**
 * Opens the blobs that an address names: `file:///folder`, `s3://` or `s3+http://` (see `parseS3Address`); `folder`
 * where there is no address.
 */
export async function openBlobs(url: string | null, folder: string, ambient: Ambient): Promise<Blobs> {
  if (url === null) return openFolderBlobs({ folder, ambient });
  if (new URL(url).protocol === 'file:') return openFolderBlobs({ folder: fileURLToPath(url), ambient });
  // Loaded only where it is used: the S3 client is large.
  return (await import('./s3/s3.ts')).openS3Blobs({ url });
}
