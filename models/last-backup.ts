/** File in the data folder that notes the last complete backup of a schedule, as JSON. */
export const lastBackupName = 'last-backup.json';

/** The last complete backup. */
export interface LastBackup {
  /** When it was begun, in milliseconds. */
  takenAt: number;
  folder: string;
}
