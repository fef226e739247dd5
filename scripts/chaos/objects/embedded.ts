import { setTimeout as pause } from 'node:timers/promises';
import { openSqliteRecords } from '../../../adapters/records/sqlite/records.ts';
import type { Records } from '../../../adapters/records/port.ts';
import { collections } from '../../../app/collections.ts';
import { systemRuntime } from '../../../models/runtime.ts';
import { freePort } from '../../../test/servers/ports.ts';
import { EmbeddedProgram, type Integrity } from '../embedded-program.ts';
import { faultsOfMeasures, forgetMeasures, unmeasuredDays } from '../ledger/measures.ts';
import { checkLedger } from '../ledger/roll-ups.ts';
import { checkBuckets, createBuckets, until } from './checks.ts';
import { runClients } from './load.ts';
import { StoredFiles } from './stored-files.ts';
import { checkTraffic, isSpoolEmpty, type TrafficReport } from './traffic.ts';
import { addDomain, chaosDomainId, faultsOfObjectUsage } from './usage.ts';

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
 * compares buckets, delivery, counted traffic and charged usage with the answers. At some of the starts the program has
 * days to measure on which it did not run.
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
    const [first] = library.files;
    await program.killAndStart((folder) => onRecords(folder, (records) => addDomain(records, first?.bucket.id ?? '')));
    const clients = runClients(library);
    const killedAt: number[] = [];
    const measuredEvery = Math.max(1, Math.floor(kills / 3));
    for (let count = 1; count <= kills; count++) {
      await pause(shortest + systemRuntime.random() * (longest - shortest));
      killedAt.push(Date.now());
      await program.killAndStart(count % measuredEvery === 0 ? forgetMeasures : undefined);
      if (count % 5 === 0) log(`  ${count} of ${kills} kills`);
    }
    await clients.end();
    await checkBuckets(library, owners, [deliveryPort]);
    if (!(await until(() => Promise.resolve(isSpoolEmpty([program.dataFolder])))))
      library.fault('traffic stays in the spool');
    if (!(await until(() => Promise.resolve(program.hasNone('traffic_parts', 'waitingSince')))))
      library.fault('traffic is not added to totals');
    const days = unmeasuredDays();
    await program.killAndStart(forgetMeasures);
    if (!(await until(() => Promise.resolve(program.hasMeasured(days.at(-1) ?? '')))))
      library.fault('what is kept is not measured');
    await program.stop();
    const traffic = await onRecords(program.dataFolder, async (records) => {
      const { events, faults } = await checkLedger(records);
      const filled = library.files.filter(({ current }) => current !== null && current.size > 0);
      const stored = [...new Set(filled.map(({ bucket }) => bucket.id))];
      library.faults.push(
        ...faults,
        ...(await faultsOfObjectUsage(records, events, library)),
        ...faultsOfMeasures(events, 'storage_gb_days', stored, days),
        ...faultsOfMeasures(events, 'custom_domain_days', [chaosDomainId], days),
      );
      return checkTraffic(records, library.delivered, killedAt);
    });
    return {
      kills,
      changes: library.counts,
      downloads: library.delivered.length,
      faults: library.faults,
      traffic,
      slowestStartMs: program.slowestStartMs,
      integrity: program.integrity(),
    };
  } finally {
    await program.remove();
  }
}

/** Uses the records of a program that does not run. */
async function onRecords<T>(folder: string, use: (records: Records) => Promise<T>): Promise<T> {
  const records = await openSqliteRecords({ folder, runtime: systemRuntime });
  try {
    await records.prepare(collections);
    return await use(records);
  } finally {
    await records.close();
  }
}
