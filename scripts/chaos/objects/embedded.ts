import { setTimeout as pause } from 'node:timers/promises';
import { openSqliteRecords } from '../../../adapters/records/sqlite/records.ts';
import { systemRuntime } from '../../../models/runtime.ts';
import { trafficMonths, trafficParts } from '../../../models/traffic.ts';
import { freePort } from '../../../test/servers/ports.ts';
import { EmbeddedProgram, type Integrity } from '../embedded-program.ts';
import { checkBuckets, createBuckets, until } from './checks.ts';
import { runClients } from './load.ts';
import { StoredFiles } from './stored-files.ts';
import { checkTraffic, isSpoolEmpty, type TrafficReport } from './traffic.ts';

/** Options of the test. */
export interface ObjectChaosOptions {
  kills: number;
  /** Minimum and maximum time from a start to the kill, in milliseconds. */
  lifetimeMs: [number, number];
  log(line: string): void;
}

/** The result. */
export interface ObjectChaosReport {
  kills: number;
  /** Number of answered changes by kind. */
  changes: { [change: string]: number };
  downloads: number;
  /** Descriptions of faults; it must be empty. */
  faults: string[];
  traffic: TrafficReport;
  slowestStartMs: number;
  integrity: Integrity;
}

/**
 * Kills the embedded program repeatedly while two organizations upload, overwrite, delete, abort and download files, then
 * compares buckets, delivery and counted traffic with the answers.
 */
export async function objectChaos({
  kills,
  lifetimeMs: [shortest, longest],
  log,
}: ObjectChaosOptions): Promise<ObjectChaosReport> {
  const deliveryPort = await freePort();
  const program = await EmbeddedProgram.start({
    PLY_DELIVERY_PORT: String(deliveryPort),
    PLY_UPLOAD_PORT: String(await freePort()),
    PLY_OBJECTS_GRACE_SECONDS: '5',
  });
  try {
    const created = await program.client.ask('POST', '/api/sub-organizations', { name: 'Second' });
    const owners = [program.client, program.clientOf(String(created.body['id']))];
    const library = new StoredFiles(await createBuckets(owners), [deliveryPort], systemRuntime);
    const clients = runClients(library);
    const killedAt: number[] = [];
    for (let count = 1; count <= kills; count++) {
      await pause(shortest + systemRuntime.random() * (longest - shortest));
      killedAt.push(Date.now());
      await program.killAndStart();
      if (count % 5 === 0) log(`  ${count} of ${kills} kills`);
    }
    await clients.end();
    await checkBuckets(library, owners, [deliveryPort]);
    if (!(await until(() => Promise.resolve(isSpoolEmpty([program.dataFolder])))))
      library.fault('traffic stays in the spool');
    if (!(await until(() => Promise.resolve(program.hasNone('traffic_parts', 'waitingSince')))))
      library.fault('traffic is not added to totals');
    await program.stop();
    return {
      kills,
      changes: library.counts,
      downloads: library.delivered.length,
      faults: library.faults,
      traffic: await trafficOf(program.dataFolder, library, killedAt),
      slowestStartMs: program.slowestStartMs,
      integrity: program.integrity(),
    };
  } finally {
    await program.remove();
  }
}

async function trafficOf(folder: string, { delivered }: StoredFiles, kills: readonly number[]): Promise<TrafficReport> {
  const records = await openSqliteRecords({ folder, runtime: systemRuntime });
  try {
    await records.prepare([trafficParts, trafficMonths]);
    return await checkTraffic(records, delivered, kills);
  } finally {
    await records.close();
  }
}
