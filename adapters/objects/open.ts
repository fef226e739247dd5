import { fileURLToPath } from 'node:url';
import type { Runtime } from '../../models/runtime.ts';
import { openFolderObjects } from './folder.ts';
import type { Objects } from './port.ts';

/**
 * Opens the objects at an address: `file:///folder`, `s3://` or `s3+http://` (see `parseS3Address`). Without one they are
 * in `folder`, which only this machine uses.
 */
export async function openObjects(url: string | null, folder: string, runtime: Runtime): Promise<Objects> {
  if (url === null) return openFolderObjects({ folder, runtime });
  if (new URL(url).protocol === 'file:') return openFolderObjects({ folder: fileURLToPath(url), runtime });
  // Loaded on demand: the S3 client is large.
  return (await import('./s3.ts')).openS3Objects({ url });
}
