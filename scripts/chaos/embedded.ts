import { setTimeout as pause } from 'node:timers/promises';
import { openSqliteRecords } from '../../adapters/records/sqlite/records.ts';
import { systemRuntime } from '../../models/runtime.ts';
import { systemScope } from '../../models/scope.ts';
import { usageEvents, type UsageEvent } from '../../models/usage-event.ts';
import { awaitLedger, checkSearch, checkTranscripts, checkUsage, type Verdict } from './checker.ts';
import { serveDocuments } from './documents.ts';
import { EmbeddedProgram, type Integrity } from './embedded-program.ts';
import { serveSpeech, speechMilliseconds } from './recordings.ts';
import { readableRecordings, register, awaitJobs } from './workload.ts';

/** Options of the test. */
export interface EmbeddedChaosOptions {
  documents: number;
  /** Number of recordings among the documents. */
  recordings: number;
  kills: number;
  /** Minimum and maximum time from a start to the kill, in milliseconds. */
  lifetimeMs: [number, number];
  log(line: string): void;
}

/** The result. */
export interface EmbeddedChaosReport extends Verdict {
  kills: number;
  /** Number of recordings among the documents; 0 where this machine cannot read any. */
  recordings: number;
  states: { [state: string]: number };
  /** Longest time from a start to readiness. */
  slowestStartMs: number;
  integrity: Integrity;
}

async function ledgerOf(folder: string): Promise<UsageEvent[]> {
  const records = await openSqliteRecords({ folder, runtime: systemRuntime });
  try {
    await records.prepare([usageEvents]);
    return await records.collection(usageEvents, systemScope).find({ filter: {}, limit: 1_000_000 });
  } finally {
    await records.close();
  }
}

/**
 * Kills the embedded program repeatedly while two organizations register documents, then checks all stores against each
 * other.
 */
export async function embeddedChaos({
  documents,
  recordings,
  kills,
  lifetimeMs,
  log,
}: EmbeddedChaosOptions): Promise<EmbeddedChaosReport> {
  const source = await serveDocuments();
  const speech = await serveSpeech((recording) => source.spokenTextOf(recording), speechMilliseconds);
  const program = await EmbeddedProgram.start({ PLY_SPEECH_URL: speech.url });
  try {
    const own = program.client;
    const created = await own.ask('POST', '/api/sub-organizations', { name: 'Second' });
    const clients = [own, program.clientOf(String(created.body['id']))];
    const reads = await readableRecordings(own, recordings, log);
    const [shortest, longest] = lifetimeMs;
    const registering = register(clients, source, {
      count: documents,
      recordings: reads,
      words: 120,
      milliseconds: (kills * (shortest + longest + 2000)) / 2,
    });
    for (let count = 1; count <= kills; count++) {
      await pause(shortest + systemRuntime.random() * (longest - shortest));
      await program.killAndStart();
      if (count % 5 === 0) log(`  ${count} of ${kills} kills`);
    }
    const accepted = await registering;
    const states = Object.fromEntries(await awaitJobs(accepted, 240_000));
    const search = { ...(await checkSearch(accepted, clients)), ...(await checkTranscripts(accepted)) };
    await awaitLedger(() => program.hasNoPendingOutbox());
    await program.stop();
    return {
      ...search,
      ...checkUsage(accepted, await ledgerOf(program.dataFolder)),
      kills,
      recordings: reads,
      states,
      slowestStartMs: program.slowestStartMs,
      integrity: program.integrity(),
    };
  } finally {
    await program.remove();
    await source.close();
    await speech.close();
  }
}
