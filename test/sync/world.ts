import type { Collection, Records } from '../../adapters/records/port.ts';
import { Metrics } from '../../mixins/metrics.ts';
import { openPrincipals, assets as assetsDefinition, type Asset } from '../../models/asset.ts';
import { connectors as connectorsDefinition, type Connector } from '../../models/connector.ts';
import { scopeOf, systemScope } from '../../models/scope.ts';
import { syncCandidates } from '../../models/sync.ts';
import { claim } from '../../services/connectors/sync/claim.ts';
import { compare } from '../../services/connectors/sync/compare.ts';
import { SyncFigures } from '../../services/connectors/sync/figures.ts';
import { LeasedSync } from '../../services/connectors/sync/leased-sync.ts';
import { processSync } from '../../services/connectors/sync/process-sync.ts';
import { Progress } from '../../services/connectors/sync/progress.ts';
import { SyncRunner, type StepSizes, type SyncWork } from '../../services/connectors/sync/run-sync.ts';
import type { ApplySync } from '../../services/connectors/sync/applier.ts';
import { Registrar } from '../../services/registrar/registrar.ts';
import { applySync } from '../../services/registrar/apply-sync.ts';
import { testApp, type TestApp } from '../support/app.ts';
import { sourceDouble, type SourceDouble } from '../support/source-double.ts';

/** Small batches, so that few files need many of them. */
export const smallBatches: StepSizes = { checkpointPages: 1, libraryFiles: 2, candidates: 2 };

/** A connector with a source in memory and a library in real records. Tests run its syncs. */
export interface SyncWorld {
  test: TestApp;
  registrar: Registrar;
  source: SourceDouble;
  connectorId: string;
  /** Names of write operations, by collection and operation. */
  writes: Map<string, number>;
  connector(): Promise<Connector>;
  change(fields: Partial<Connector>): Promise<void>;
  /** Requests a sync. */
  request(): Promise<void>;
  /** Runs a sync to its end, over all pauses, and returns the connector. Requests one if none is running. */
  sync(): Promise<Connector>;
  /** Claims the due sync and runs it until something throws, like a process that crashes; false if none is due. */
  crashAfter(work: Partial<Pick<SyncWork, 'apply' | 'stepSizes'>>): Promise<boolean>;
  apply: ApplySync;
  /** All assets of the organization. */
  library(): Promise<Asset[]>;
  asset(externalId: string): Promise<Asset>;
  /** All jobs succeed. */
  allReady(): Promise<void>;
  candidates(): Promise<number>;
}

/** Records that count writes. */
export function countingRecords(records: Records, writes: Map<string, number>): Records {
  return {
    ...records,
    collection: (definition, scope) => {
      const inner = records.collection(definition, scope);
      const counted =
        <A extends unknown[], R>(name: string, work: (...given: A) => R) =>
        (...given: A): R => {
          const key = `${definition.name}.${name}`;
          writes.set(key, (writes.get(key) ?? 0) + 1);
          return work(...given);
        };
      return {
        ...inner,
        insert: counted('insert', inner.insert),
        insertNew: counted('insertNew', inner.insertNew),
        update: counted('update', inner.update),
        updateAll: counted('updateAll', inner.updateAll),
        put: counted('put', inner.put),
        remove: counted('remove', inner.remove),
        removeMany: counted('removeMany', inner.removeMany),
      };
    },
  };
}

const usualOrganization = 'organization';

function newConnector(fields: Partial<Connector>): Connector {
  return {
    _id: 'connector',
    organizationId: usualOrganization,
    accountId: 'account',
    name: 'c',
    source: { kind: 'canvas', config: { baseUrl: 'https://source.example' } },
    sealedCredential: null,
    schedule: 'manual',
    enabled: true,
    defaultAclMode: 'restricted',
    extractContentFromVideoFrames: null,
    requestedAt: null,
    sync: null,
    lastRunAt: null,
    lastError: null,
    lastSummary: null,
    failures: [],
    createdAt: 0,
    updatedAt: 0,
    version: 1,
    ...fields,
  };
}

/** Opens a world with an empty source and library, in the given app if there is one. */
export async function syncWorld(fields: Partial<Connector> = {}, given: TestApp | null = null): Promise<SyncWorld> {
  const test = given ?? (await testApp());
  const { _id: connectorId, organizationId } = newConnector(fields);
  const writes = new Map<string, number>();
  const app = { ...test.app, records: countingRecords(test.app.records, writes) };
  const registrar = new Registrar(
    app,
    () => Promise.resolve(),
    () => undefined,
  );
  const source = sourceDouble();
  const scope = scopeOf(organizationId);
  const all = app.records.collection(connectorsDefinition, systemScope);
  const assets: Collection<Asset> = app.records.collection(assetsDefinition, scope);
  await all.insert(newConnector(fields));
  const terms = { leaseMs: app.configuration.PLY_LEASE_SECONDS * 1000, time: () => app.records.time(), log: app.log };
  const figures = new SyncFigures({ ...app, metrics: new Metrics() });
  const read = async (): Promise<Connector> => {
    const found = await all.get(connectorId);
    if (found === null) throw new Error('the connector is gone');
    return found;
  };
  const world: SyncWorld = {
    test,
    registrar,
    source,
    connectorId,
    writes,
    connector: read,
    change: async (change) => {
      await all.update(connectorId, {}, { set: { ...change } });
    },
    apply: (batch) => applySync(registrar, batch),
    request: () => world.change({ requestedAt: 1, syncDue: app.records.time() }),
    sync: async () => {
      const { sync, requestedAt } = await read();
      if (sync === null && requestedAt === null) await world.request();
      for (let turns = 0; turns < 60; turns += 1) {
        const connector = await read();
        if (connector.sync === null && connector.requestedAt === null) return connector;
        if (connector.sync !== null) test.ahead.records += Math.max(0, connector.sync.until - app.records.time());
        const claimed = await claim(app, all, connector, terms);
        if (claimed !== null)
          await processSync(
            {
              app,
              compare: (lease, from, work) =>
                compare(
                  () => source,
                  () => app.runtime.now(),
                  lease,
                  from,
                  work,
                ),
              emptyPauseMs: 0,
              pauseMs: 1,
              apply: (batch) => world.apply(batch),
              figures,
            },
            new LeasedSync(all, claimed, terms),
          );
      }
      throw new Error('the sync does not end');
    },
    crashAfter: async ({ apply = world.apply, stepSizes = smallBatches }) => {
      const connector = await read();
      if (connector.sync === null && connector.requestedAt === null) return false;
      if (connector.sync !== null) test.ahead.records += Math.max(0, connector.sync.until - app.records.time());
      const claimed = await claim(app, all, connector, terms);
      if (claimed?.sync === null || claimed === null) throw new Error('nothing was claimed');
      const lease = new LeasedSync(all, claimed, terms);
      try {
        const progress = new Progress(claimed.sync, () => app.runtime.now());
        await new SyncRunner(
          {
            source,
            apply,
            assets,
            candidates: app.records.collection(syncCandidates, scope),
            onProgress: () => undefined,
            stepSizes,
          },
          lease,
          progress,
        ).run();
        await lease.finish(progress.state, { at: app.runtime.now(), error: null });
      } catch (error) {
        if (!(error instanceof Error) || (error.message !== 'crash' && error.name !== 'ListedNothing')) throw error;
      } finally {
        await lease.end();
      }
      return true;
    },
    library: async () => await assets.find({ filter: { deletedAt: null }, sort: [['_id', 1]], limit: 100_000 }),
    asset: async (externalId) => {
      const [found] = await assets.find({ filter: { externalKey: externalId }, limit: 1 });
      if (found === undefined) throw new Error(`${externalId} is not in the library`);
      return found;
    },
    allReady: async () => {
      for (const { _id, run, latestRevision, filename, sourceUrl, sourceVersion } of await world.library()) {
        if (run.state === 'ready') continue;
        await assets.update(
          _id,
          {},
          {
            set: {
              'run.state': 'ready',
              'run.phase': 'ended',
              activeRevision: latestRevision,
              activeSource: { filename, sourceUrl, sourceVersion },
            },
            increment: { version: 1 },
          },
        );
      }
    },
    candidates: () => app.records.collection(syncCandidates, scope).count({ connectorId }),
  };
  return world;
}

/** The permissions of an asset in short form. */
export function readersOf({ aclMode, principals }: Asset): string {
  return aclMode === 'open' ? (principals.join() === openPrincipals.join() ? 'open' : 'broken') : principals.join(' ');
}
