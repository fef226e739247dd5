import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { openSqliteRecords } from '../../adapters/records/sqlite/records.ts';
import { systemAmbient } from '../../models/ambient.ts';
import { systemScope } from '../../models/scope.ts';
import { usageEvents, type UsageEvent } from '../../models/usage-event.ts';
import { freePort } from '../../test/servers/ports.ts';
import { ProgramProcess } from '../cluster/program-process.ts';
import { awaitLedger, checkSearch, checkTranscripts, checkUsage, type Verdict } from './checker.ts';
import { ApiClient } from './client.ts';
import { serveDocuments } from './documents.ts';
import { serveSpeech, speechMilliseconds } from './recordings.ts';
import { readableRecordings, register, settle } from './workload.ts';

/** How hard the embedded program is tried. */
export interface EmbeddedChaosOptions {
  documents: number;
  /** How many of the documents are recordings. */
  recordings: number;
  kills: number;
  /** Shortest and longest time between a start and its end by kill -9, in milliseconds. */
  life: [number, number];
  tell(line: string): void;
}

/** What came of it. */
export interface EmbeddedChaosReport extends Verdict {
  kills: number;
  /** How many of the documents were recordings: none where this machine cannot read any. */
  recordings: number;
  states: { [state: string]: number };
  /** Longest time from a start to readiness. */
  slowestStartMs: number;
  /** What `pragma integrity_check` says of each SQLite file; all have to be `ok`. */
  integrity: { [file: string]: string };
}

async function ledgerOf(folder: string): Promise<UsageEvent[]> {
  const records = await openSqliteRecords({ folder, ambient: systemAmbient });
  try {
    await records.prepare([usageEvents]);
    return await records.collection(usageEvents, systemScope).find({ filter: {}, limit: 1_000_000 });
  } finally {
    await records.close();
  }
}

function integrityOf(folder: string): EmbeddedChaosReport['integrity'] {
  const report: EmbeddedChaosReport['integrity'] = {};
  for (const file of ['records.db', 'passages.db']) {
    const path = join(folder, file);
    if (!existsSync(path)) continue;
    const database = new DatabaseSync(path);
    report[file] = database.prepare('pragma integrity_check').all().map((row) => String(row['integrity_check'])).join('; ');
    database.close();
  }
  return report;
}

/** Whether no asset owes anything to the ledger or the index, read beside the running program. */
function isEverythingTold(folder: string): boolean {
  const database = new DatabaseSync(join(folder, 'records.db'), { readOnly: true, timeout: 5000 });
  try {
    return database.prepare('select 1 from assets where outboxDue is not null limit 1').get() === undefined;
  } finally {
    database.close();
  }
}

/** Kills the whole embedded program again and again while two organizations register documents, then holds everything against everything. */
export async function embeddedChaos({ documents, recordings, kills, life, tell }: EmbeddedChaosOptions): Promise<EmbeddedChaosReport> {
  const folder = mkdtempSync(join(tmpdir(), 'ply-chaos-'));
  const data = join(folder, 'data');
  const [apiPort, metricsPort] = [await freePort(), await freePort()];
  const organizationId = randomUUID();
  const adminKey = `ply_${randomBytes(32).toString('base64url')}`;
  const source = await serveDocuments();
  const speech = await serveSpeech((recording) => source.saidIn(recording), speechMilliseconds);
  const program = new ProgramProcess({
    name: 'ply', healthUrl: `http://127.0.0.1:${metricsPort}/health/ready`, logFile: join(folder, 'ply.log'),
    environment: {
      PLY_DATA_DIR: data, PLY_API_PORT: String(apiPort), PLY_METRICS_PORT: String(metricsPort), PLY_PRIVATE_NETWORKS: 'allow',
      PLY_BOOTSTRAP_ORGANIZATION_ID: organizationId, PLY_BOOTSTRAP_ADMIN_KEY: adminKey, PLY_LOG_LEVEL: 'warn', PLY_RETRY_BASE_MS: '500', PLY_SPEECH_URL: speech.url,
    },
  });
  let slowestStartMs = 0;
  const start = async (): Promise<void> => {
    const begun = performance.now();
    program.start();
    await program.ready();
    slowestStartMs = Math.max(slowestStartMs, Math.round(performance.now() - begun));
  };
  try {
    await start();
    const api = `http://127.0.0.1:${apiPort}`;
    const own = new ApiClient(api, organizationId, adminKey);
    const created = await own.ask('POST', '/api/sub-organizations', { name: 'Second' });
    const clients = [own, new ApiClient(api, String(created.body['id']), adminKey)];
    const reads = await readableRecordings(own, recordings, tell);
    const [shortest, longest] = life;
    const registering = register(clients, source, { count: documents, recordings: reads, words: 120, milliseconds: (kills * (shortest + longest + 2000)) / 2 });
    for (let count = 1; count <= kills; count++) {
      await pause(shortest + systemAmbient.random() * (longest - shortest));
      await program.kill();
      await start();
      if (count % 5 === 0) tell(`  ${count} of ${kills} times killed`);
    }
    const accepted = await registering;
    const states = Object.fromEntries(await settle(accepted, 240_000));
    const search = { ...await checkSearch(accepted, clients), ...await checkTranscripts(accepted) };
    await awaitLedger(() => isEverythingTold(data));
    await program.stop();
    return { ...search, ...checkUsage(accepted, await ledgerOf(data)), kills, recordings: reads, states, slowestStartMs, integrity: integrityOf(data) };
  } finally {
    await program.kill();
    await source.close();
    await speech.close();
    await rm(folder, { recursive: true, force: true });
  }
}
