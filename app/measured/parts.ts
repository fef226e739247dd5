import type { StatsFs } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Gauge } from 'prom-client';
import type { Metrics } from '../../mixins/metrics.ts';
import type { Role } from '../../models/configuration/table.ts';
import { errorCodeOf } from '../../models/error-code.ts';
import type { Readiness } from '../health.ts';

/** The disk of a folder. The folder may not exist yet: a process of a cluster creates it with its first file. */
async function diskOf(folder: string): Promise<StatsFs> {
  try {
    return await statfs(folder);
  } catch (error) {
    const above = dirname(folder);
    if (errorCodeOf(error) !== 'ENOENT' || above === folder) throw error;
    return diskOf(above);
  }
}

/**
 * Reports with each scrape the state of this process's parts (like `/health/ready`) and the free space of the data
 * folder. Parts that are disabled by configuration are omitted.
 */
export function reportParts(metrics: Metrics, readiness: () => Promise<Readiness>, dataFolder: string): void {
  const registers = [metrics.registry];
  new Gauge({
    name: 'ply_part_up',
    help: 'Whether a store, model or feature of this process is available.',
    labelNames: ['part'],
    registers,
    async collect() {
      this.reset();
      for (const [part, { state }] of Object.entries((await readiness()).parts))
        if (state !== 'off') this.set({ part }, state === 'up' ? 1 : 0);
    },
  });
  new Gauge({
    name: 'ply_data_free_bytes',
    help: 'Bytes free on the disk of the data folder.',
    labelNames: [],
    registers,
    async collect() {
      const { bavail, bsize } = await diskOf(dataFolder);
      this.set(bavail * bsize);
    },
  });
  new Gauge({
    name: 'ply_data_size_bytes',
    help: 'Size of the disk of the data folder.',
    labelNames: [],
    registers,
    async collect() {
      const { blocks, bsize } = await diskOf(dataFolder);
      this.set(blocks * bsize);
    },
  });
}

/** Reports the roles of this process, so that an alert can tell which roles are missing. */
export function reportRoles(metrics: Metrics, roles: readonly Role[]): void {
  const gauge = metrics.gauge('ply_role', 'Roles that this process runs; always 1.', ['role']);
  for (const role of roles) gauge.set({ role }, 1);
}

/** Reports the version of this process, and the memory that its container may use, if it is limited. */
export function reportProcess(metrics: Metrics, version: string): void {
  metrics.gauge('ply_build_info', 'Version of this process; always 1.', ['version']).set({ version }, 1);
  // Without a limit Node returns 0 or a number beyond all memory.
  const limit = process.constrainedMemory();
  metrics
    .gauge(
      'ply_memory_limit_bytes',
      'Memory that the control group of this process may use; 0 if it is not limited.',
      [],
    )
    .set(limit > 0 && limit < 2 ** 50 ? limit : 0);
}

/** Reports where clients reach the API, so that alerts can link to the runbook there. */
export function reportAddress(metrics: Metrics, url: string): void {
  metrics
    .gauge('ply_public_url_info', 'Address at which clients reach the API (PLY_PUBLIC_URL); always 1.', ['url'])
    .set({ url }, 1);
}
