import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Gauge } from 'prom-client';
import type { Metrics } from '../../mixins/metrics.ts';
import { errorCodeOf } from '../../models/error-code.ts';
import { lastBackupName } from '../../models/last-backup.ts';
import { isObject } from '../../models/schemas/schema.ts';

/**
 * Reports with each scrape when the last scheduled backup of the data folder was taken. There is no value while none was: a
 * cluster backs up its stores by their own means.
 */
export function reportBackups(metrics: Metrics, dataFolder: string): void {
  new Gauge({
    name: 'ply_backup_last_success_timestamp_seconds',
    help: 'Time of the last complete backup by `ply backup --every`, as a Unix time.',
    labelNames: [],
    registers: [metrics.registry],
    async collect() {
      const taken = await lastBackup(join(dataFolder, lastBackupName));
      this.reset();
      if (taken === null) this.remove();
      else this.set(taken / 1000);
    },
  });
}

async function lastBackup(path: string): Promise<number | null> {
  try {
    const noted: unknown = JSON.parse(await readFile(path, 'utf8'));
    return isObject(noted) && typeof noted['takenAt'] === 'number' ? noted['takenAt'] : null;
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') return null;
    throw error;
  }
}
