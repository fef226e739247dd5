import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Folder that a restore writes to before it moves everything into place. */
export const restoringName = '.restoring';

/** @throws if a restore into this data folder was interrupted: the program must not run on incomplete data */
export function refuseInterruptedRestore(dataFolder: string): void {
  if (!existsSync(join(dataFolder, restoringName))) return;
  throw new Error(
    `A restore into ${dataFolder} was interrupted. Empty that folder and restore the backup again: npm run ply -- restore <folder>`,
  );
}
