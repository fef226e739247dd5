import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Ambient } from '../../models/ambient.ts';
import type { Blobs } from './port.ts';
import { openFolderBlobs } from './folder.ts';
import { openS3Blobs } from './s3/s3.ts';

/**
 * Opens the blobs that an address names: `file:///folder`, `s3://` or `s3+http://`; without one the folder `blobs`
 * in the data folder.
 */
export async function openBlobs(url: string | null, dataFolder: string, ambient: Ambient): Promise<Blobs> {
  if (url === null) return openFolderBlobs({ folder: join(dataFolder, 'blobs'), ambient });
  if (new URL(url).protocol === 'file:') return openFolderBlobs({ folder: fileURLToPath(url), ambient });
  return openS3Blobs({ url });
}
