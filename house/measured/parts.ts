import { statfs } from 'node:fs/promises';
import { Gauge } from 'prom-client';
import type { Metrics } from '../../mixins/metrics.ts';
import type { Readiness } from '../health.ts';

/**
 * Tells with each scrape how the parts of this process stand (as `/health/ready` does), and how much room the data folder
 * has. A part that is off on purpose is not told.
 */
export function tellParts(metrics: Metrics, readiness: () => Promise<Readiness>, dataFolder: string): void {
  const registers = [metrics.registry];
  new Gauge({
    name: 'ply_part_up', help: 'Whether a store, model or feature of this process answers.', labelNames: ['part'], registers,
    async collect() {
      this.reset();
      for (const [part, { state }] of Object.entries((await readiness()).parts)) if (state !== 'off') this.set({ part }, state === 'up' ? 1 : 0);
    },
  });
  new Gauge({
    name: 'ply_data_free_bytes', help: 'Bytes free on the disk of the data folder.', labelNames: [], registers,
    async collect() {
      const { bavail, bsize } = await statfs(dataFolder);
      this.set(bavail * bsize);
    },
  });
  new Gauge({
    name: 'ply_data_size_bytes', help: 'Size of the disk of the data folder.', labelNames: [], registers,
    async collect() {
      const { blocks, bsize } = await statfs(dataFolder);
      this.set(blocks * bsize);
    },
  });
}
