import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openConnectorSource } from '../adapters/sources/open.ts';
import { openSqliteRecords } from '../adapters/records/sqlite/records.ts';
import { guardedClient } from '../mixins/guarded-client/client.ts';
import { systemRuntime, timeOrderedUuid } from '../models/runtime.ts';
import { assets, type Asset } from '../models/asset.ts';
import { connectors, type ConnectorView } from '../models/connector.ts';
import { scopeOf } from '../models/scope.ts';
import { sortKeyOf } from '../models/sync.ts';
import { desiredState } from '../services/connectors/sync/desired-state.ts';
import type { Part } from './figures.ts';
import type { HttpClients } from './http-clients.ts';
import { firstFolder, startGeneratedBucket } from './generated-bucket.ts';
import { treeMemory } from './process-figures.ts';
import { startProgram, type BenchProgram } from './program.ts';

/*
 * A sync of a million unchanged objects. A generated bucket lists them. A sync adds the first thousand to the library,
 * and the others are copied from the first with the state that a sync would have stored, so that all of them are
 * unchanged.
 */

const objects = 1_000_000;
const maxMegabytes = 150;
const content = '/api/content/v1';
const organizationId = '00000000-0000-4000-8000-000000000001';
/** A program that registers files and does not index them, so that only the sync is measured. */
const environment = { PLY_ROLES: 'gateway,accounts,ledger,registrar,connectors' };
const credential = 'the-bucket-accepts-any-signature';

async function ask<T>(http: HttpClients, method: 'GET' | 'POST' | 'PUT', path: string, body?: object): Promise<T> {
  return JSON.parse(
    await http.ask({
      method,
      path: `${content}${path}`,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }),
  ) as T;
}

interface Synced {
  seconds: number;
  connector: ConnectorView;
  /** Memory of the program in MB, sampled ten times per second. */
  megabytes: number[];
}

async function sync(program: BenchProgram, http: HttpClients, connectorId: string): Promise<Synced> {
  const before = (await ask<ConnectorView>(http, 'GET', `/connectors/${connectorId}`)).lastRunAt;
  const began = performance.now();
  await ask(http, 'POST', `/connectors/${connectorId}/sync`);
  for (const megabytes: number[] = []; ; await pause(100)) {
    megabytes.push(treeMemory(program.pid).own);
    const connector = await ask<ConnectorView>(http, 'GET', `/connectors/${connectorId}`);
    if (connector.lastError !== null) throw new Error(`the sync ended: ${connector.lastError}`);
    if (connector.lastRunAt !== before) return { seconds: (performance.now() - began) / 1000, connector, megabytes };
  }
}

/** Writes the missing files of the bucket into the library, with the state that a sync would have stored. */
async function writeFiles(folder: string, connectorId: string): Promise<number> {
  const records = await openSqliteRecords({ folder, runtime: systemRuntime });
  const client = guardedClient({ privateNetworks: 'allow' });
  try {
    const scope = scopeOf(organizationId);
    const library = records.collection(assets, scope);
    const connector = await records.collection(connectors, scope).get(connectorId);
    const [first] = await library.find({ filter: { connectorId }, limit: 1 });
    if (connector === null || first?.synced === undefined) throw new Error('the first sync left nothing');
    const stateOf = desiredState(connector);
    const source = await openConnectorSource({ source: connector.source, credential, client, runtime: systemRuntime });
    const { by } = first.synced;
    let written = 0;
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page = await source.list(cursor ?? null, AbortSignal.timeout(60_000));
      const copies = page.entries.map((entry): Asset => {
        const { file, marks } = stateOf(entry);
        const { externalId, filename, sourceUrl, sourceVersion, contentId } = file;
        return {
          ...first,
          _id: timeOrderedUuid(systemRuntime),
          externalId,
          externalKey: externalId,
          filename,
          sourceUrl,
          sourceVersion,
          synced: { place: sortKeyOf(externalId), ...marks, contentId, by },
          run: { ...first.run, jobId: timeOrderedUuid(systemRuntime) },
        };
      });
      written += (await library.insertNew(copies)).length;
      cursor = page.next;
    }
    await source.close();
    return written;
  } finally {
    await client.close();
    await records.close();
  }
}

/** A million unchanged objects. */
export const part: Part = async () => {
  const bucket = await startGeneratedBucket(objects);
  const folder = mkdtempSync(join(tmpdir(), 'ply-bench-sync-million-'));
  const fields = (prefix: string): object => ({
    kind: 's3',
    name: 'made',
    credential,
    defaultAclMode: 'open',
    config: {
      endpoint: `http://${bucket.host}`,
      bucket: bucket.bucket,
      region: 'us-east-1',
      prefix,
      accessKeyId: 'made',
    },
  });
  try {
    const first = await startProgram({ folder, organizationId, environment });
    const firstClients = first.clients(1);
    const { connectorId } = await ask<ConnectorView>(firstClients, 'POST', '/connectors', fields(firstFolder));
    await sync(first, firstClients, connectorId);
    await ask(firstClients, 'PUT', `/connectors/${connectorId}`, fields(''));
    await firstClients.close();
    await first.stop();
    await writeFiles(folder, connectorId);

    const program = await startProgram({ folder, organizationId, environment });
    const http = program.clients(1);
    try {
      await ask(http, 'GET', `/connectors/${connectorId}`);
      await pause(2000);
      const idle = treeMemory(program.pid).own;
      const {
        seconds,
        connector: { lastSummary },
        megabytes,
      } = await sync(program, http, connectorId);
      if (lastSummary?.unchanged !== objects) throw new Error(`the sync found ${JSON.stringify(lastSummary)}`);
      const peak = Math.max(...megabytes) - idle;
      const early = Math.max(...megabytes.slice(0, Math.ceil(megabytes.length / 5))) - idle;
      return [
        {
          name: 'sync of 1000000 unchanged objects, time',
          measured: `${seconds.toFixed(0)} s`,
          against: '',
          target: '',
          reached: null,
        },
        {
          name: 'sync of 1000000 unchanged objects, memory above idle',
          measured: `${peak.toFixed(0)} MB`,
          against: `in its first fifth: ${early.toFixed(0)} MB; idle: ${idle.toFixed(0)} MB`,
          target: `at most ${maxMegabytes} MB`,
          reached: peak <= maxMegabytes,
        },
      ];
    } finally {
      await http.close();
      await program.stop();
    }
  } finally {
    bucket.stop();
    await rm(folder, { recursive: true, force: true });
  }
};
