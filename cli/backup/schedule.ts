import { readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { errorCodeOf } from '../../models/error-code.ts';
import { lastBackupName, type LastBackup } from '../../models/last-backup.ts';
import { CommandError } from '../connection.ts';

const units: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Names of scheduled backups: the time they were begun, in UTC, so that the last name is the newest one. */
const name = /^\d{4}-\d{2}-\d{2}T\d{6}Z$/;

/** The time between two backups in milliseconds, from a text such as `30m`, `6h` or `1d`. @throws CommandError */
export function intervalOf(given: string): number {
  const [, count = '', unit = ''] = /^(\d{1,4})([mhd])$/.exec(given) ?? [];
  const interval = Number(count) * (units[unit] ?? Number.NaN);
  if (!(interval > 0)) throw new CommandError(`${given} is not a valid interval: use 30m, 6h or 1d, for example.`);
  return interval;
}

function nameOf(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replaceAll(':', '')}Z`;
}

/** The complete backups in a folder, oldest first. An unfinished one has another name. */
export async function scheduledBackups(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (errorCodeOf(error) === 'ENOENT') return [];
    throw error;
  });
  return names.filter((found) => name.test(found)).toSorted();
}

/** How scheduled backups are made. */
export interface Schedule {
  /** The folder with a folder for each backup. */
  folder: string;
  /** Data folder, where the time of the last backup is noted for the metrics. */
  data: string;
  everyMs: number;
  /** Backups that are kept, the newest ones. */
  keep: number;
  /** Takes one backup into a new folder; returns its summary. */
  take: (target: string) => Promise<string>;
  report: (line: string) => void;
  now: () => number;
  signal: AbortSignal;
}

/**
 * Takes a backup now and then after each interval, until it is aborted. A failed one is reported and tried again after the
 * next interval; the age of the last success grows meanwhile, and an alert tells.
 */
export async function backupEvery(schedule: Schedule): Promise<void> {
  const { everyMs, report, now, signal } = schedule;
  while (!signal.aborted) {
    const begun = now();
    try {
      report(await takeScheduled(schedule, begun));
    } catch (error) {
      report(`The backup failed: ${error instanceof Error ? error.message : String(error)}`);
    }
    await pause(Math.max(0, begun + everyMs - now()), undefined, { signal }).catch(() => undefined);
  }
}

/** Takes one scheduled backup, notes its time, and removes those beyond the number that is kept. */
export async function takeScheduled(
  { folder, data, keep, take }: Pick<Schedule, 'folder' | 'data' | 'keep' | 'take'>,
  at: number,
): Promise<string> {
  const target = join(folder, nameOf(at));
  const partial = `${target}.unfinished`;
  // Left by a run that was killed.
  for (const left of await readdir(folder).catch(() => []))
    if (left.endsWith('.unfinished')) await rm(join(folder, left), { recursive: true, force: true });
  const summary = await take(partial);
  await rename(partial, target);
  const last: LastBackup = { takenAt: at, folder: target };
  await writeFile(join(data, `${lastBackupName}.new`), JSON.stringify(last), { mode: 0o600 });
  await rename(join(data, `${lastBackupName}.new`), join(data, lastBackupName));
  const backups = await scheduledBackups(folder);
  for (const old of backups.slice(0, Math.max(0, backups.length - keep)))
    await rm(join(folder, old), { recursive: true, force: true });
  return summary.replaceAll(partial, target);
}
