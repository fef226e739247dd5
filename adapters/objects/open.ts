import { fileURLToPath } from 'node:url';
import type { Runtime } from '../../models/runtime.ts';
import { openFolderObjects } from './folder.ts';
import type { Objects } from './port.ts';

/** Opens the objects at an address (`file:///folder`); without one in `folder`, which only this machine uses. */
export function openObjects(url: string | null, folder: string, runtime: Runtime): Promise<Objects> {
  return openFolderObjects({ folder: url === null ? folder : fileURLToPath(url), runtime });
}
