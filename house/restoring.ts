import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Where a restore lays everything down before it moves it to its place. */
export const restoringName = '.restoring';

/** @throws where a restore into this data folder was broken off: the program must not work on a part of the data */
export function expectWhole(dataFolder: string): void {
  if (!existsSync(join(dataFolder, restoringName))) return;
  throw new Error(`A restore into ${dataFolder} was broken off. Remove what is in that folder, and restore the backup again: npm run ply -- restore <folder>`);
}
