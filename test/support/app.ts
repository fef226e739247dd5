import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { closeStores, openStores } from '../../adapters/open.ts';
import { collections } from '../../app/collections.ts';
import type { AppContext } from '../../mixins/app-context.ts';
import { Listeners } from '../../mixins/http/listeners.ts';
import { Lifecycle } from '../../mixins/lifecycle.ts';
import { Metrics } from '../../mixins/metrics.ts';
import { sealer } from '../../mixins/sealing.ts';
import { EdgeChanges } from '../../mixins/storage/edge-changes.ts';
import { TrustedSources } from '../../mixins/sources/trusted.ts';
import { noTracing } from '../../mixins/tracing.ts';
import { systemRuntime, type Runtime } from '../../models/runtime.ts';
import { readConfiguration } from '../../models/configuration/configuration.ts';

/** An app context with embedded stores in a temporary folder. Tests may replace its parts and set its clock. */
export interface TestApp {
  app: AppContext;
  /** Milliseconds by which the local clock is ahead of the real one; the records' clock in milliseconds. */
  ahead: { local: number; records: number };
  close(): Promise<void>;
}

/** Opens an app context without services and without an embedding model. */
export async function testApp(settings: { [variable: string]: string } = {}): Promise<TestApp> {
  const folder = mkdtempSync(join(tmpdir(), 'ply-app-'));
  const ahead = { local: 0, records: 0 };
  const runtime: Runtime = { ...systemRuntime, now: () => Date.now() + ahead.local };
  const configuration = readConfiguration({
    PLY_DATA_DIR: folder,
    PLY_EMBEDDING_THREADS: '0',
    PLY_READER_THREADS: '1',
    ...settings,
  });
  const log = pino({ level: 'silent' });
  const stores = await openStores({ configuration, runtime, log, nodeId: 'test', modelFolders: [folder] });
  await stores.records.prepare(collections);
  const records: AppContext['records'] = { ...stores.records, time: () => Date.now() + ahead.records };
  const app: AppContext = {
    configuration,
    runtime,
    log,
    metrics: new Metrics(),
    tracing: noTracing,
    lifecycle: new Lifecycle(),
    listeners: new Listeners(),
    nodeId: 'test',
    ...stores,
    records,
    edgeChanges: new EdgeChanges(records),
    sealer: sealer(new Uint8Array(32), runtime),
    trustedSources: new TrustedSources(runtime.now),
  };
  return {
    app,
    ahead,
    close: async () => {
      const failures = await closeStores(stores);
      rmSync(folder, { recursive: true });
      if (failures.length > 0) throw new AggregateError(failures, 'a store did not close');
    },
  };
}
