import { DatabaseSync } from 'node:sqlite';

/**
 * Takes a data folder for this process alone, until the answered function is called or the process ends in
 * whatever way. Node has no file locks of its own, so an exclusive transaction on an empty SQLite file stands in:
 * the system drops its lock with the process.
 * @throws Error naming the folder when another process has it.
 */
export function lockFolder(folder: string, file: string): () => void {
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (cause) {
    database.close();
    throw new Error(
      `The data folder ${folder} is in use by another process. Stop that one first, or name another folder with PLY_DATA_DIR.`,
      { cause },
    );
  }
  return () => database.close();
}
