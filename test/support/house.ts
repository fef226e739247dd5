import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { closeStores, openStores } from '../../adapters/open.ts';
import { collections } from '../../house/collections.ts';
import type { House } from '../../mixins/house.ts';
import { Lifecycle } from '../../mixins/lifecycle.ts';
import { Metrics } from '../../mixins/metrics.ts';
import { sealer } from '../../mixins/sealing.ts';
import { TrustedSources } from '../../mixins/sources/trusted.ts';
import { noTracing } from '../../mixins/tracing.ts';
import { systemAmbient, type Ambient } from '../../models/ambient.ts';
import { readConfiguration } from '../../models/configuration/configuration.ts';

/** A house over embedded stores in a temporary folder, whose parts a test may replace and whose clock it may set. */
export interface TestHouse {
  house: House;
  /** What the local clock is ahead of the real one, and what the records' clock is, in milliseconds. */
  ahead: { local: number; records: number };
  close(): Promise<void>;
}

/** Opens a house without services and without an embedding model. */
export async function testHouse(settings: { [variable: string]: string } = {}): Promise<TestHouse> {
  const folder = mkdtempSync(join(tmpdir(), 'ply-house-'));
  const ahead = { local: 0, records: 0 };
  const ambient: Ambient = { ...systemAmbient, now: () => Date.now() + ahead.local };
  const configuration = readConfiguration({ PLY_DATA_DIR: folder, PLY_EMBEDDING_THREADS: '0', PLY_READER_THREADS: '1', ...settings });
  const log = pino({ level: 'silent' });
  const stores = await openStores({ configuration, ambient, log, nodeId: 'test', modelFolder: folder });
  await stores.records.prepare(collections);
  const house: House = {
    configuration, ambient, log, metrics: new Metrics(), tracing: noTracing, lifecycle: new Lifecycle(), nodeId: 'test', ...stores,
    records: { ...stores.records, time: () => Date.now() + ahead.records },
    sealer: sealer(new Uint8Array(32), ambient), trustedSources: new TrustedSources(ambient.now),
  };
  return {
    house,
    ahead,
    close: async () => {
      const failures = await closeStores(stores);
      rmSync(folder, { recursive: true });
      if (failures.length > 0) throw new AggregateError(failures, 'a store did not close');
    },
  };
}
