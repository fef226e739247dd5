import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

/** Path of a program in the folders of `PATH`; null where there is none that this process may run. */
export async function findProgram(name: string, path: string | undefined): Promise<string | null> {
  for (const folder of (path ?? '').split(delimiter)) {
    if (!folder.startsWith('/')) continue;
    const candidate = join(folder, name);
    try {
      await access(candidate, constants.X_OK);
      return candidate;
    } catch {
      // Not in this folder.
    }
  }
  return null;
}
