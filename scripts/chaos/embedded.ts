import { setTimeout as pause } from 'node:timers/promises';
import { openSqliteRecords } from '../../adapters/records/sqlite/records.ts';
import { systemRuntime } from '../../models/runtime.ts';
import { collections } from '../../app/collections.ts';
import { ownerEnvironment, signIn } from '../../test/api/support/session.ts';
import {
  awaitLedger,
  checkAnswers,
  checkSearch,
  checkTranscripts,
  checkUsage,
  faultsOfCount,
  type Verdict,
} from './checker.ts';
import { serveDocuments } from './documents.ts';
import { EmbeddedProgram, type Integrity } from './embedded-program.ts';
import { faultsOfMeasures, forgetMeasures, unmeasuredDays } from './ledger/measures.ts';
import { checkLedger, type CheckedLedger } from './ledger/roll-ups.ts';
import { until } from './objects/checks.ts';
import { serveSpeech, speechMilliseconds } from './recordings.ts';
import { filmsUnavailable } from './slide-films.ts';
import { readableRecordings, register, awaitJobs, type AcceptedDocument } from './workload.ts';

/** Options of the test. */
export interface EmbeddedChaosOptions {
  documents: number;
  /** Number of recordings among the documents, and of those with pictures of text. */
  recordings: number;
  films: number;
  kills: number;
  /** Minimum and maximum time from a start to the kill, in milliseconds. */
  lifetimeMs: [number, number];
  log(line: string): void;
}

/** The result. */
export interface EmbeddedChaosReport extends Verdict {
  kills: number;
  /** Numbers of recordings and of films among the documents; 0 where this machine cannot read any. */
  recordings: number;
  films: number;
  states: { [state: string]: number };
  /** What did not agree with the log of usage; it must be empty. */
  ledgerFaults: string[];
  /** Longest time from a start to readiness. */
  slowestStartMs: number;
  integrity: Integrity;
}

/** Number of documents that are asked about in an answer, and searched for in the dashboard. */
const asked = 5;

/** Searches for documents in the dashboard, as the owner of the account. Returns how many searches were answered. */
async function searchInDashboard(program: EmbeddedProgram, accepted: readonly AcceptedDocument[]): Promise<number> {
  const session = await signIn({ url: program.apiUrl, organizationId: program.client.organizationId });
  for (const { document } of accepted) {
    const { status } = await session.ask('POST', '/api/content/v1/search', { body: { query: document.marker } });
    if (status !== 200) throw new Error(`a search in the dashboard was answered ${status}`);
  }
  return accepted.length;
}

async function ledgerOf(folder: string): Promise<CheckedLedger> {
  const records = await openSqliteRecords({ folder, runtime: systemRuntime });
  try {
    await records.prepare(collections);
    return await checkLedger(records);
  } finally {
    await records.close();
  }
}

/**
 * Kills the embedded program repeatedly while two organizations register documents, then checks all stores against each
 * other. At each start the program has days to measure on which it did not run.
 */
export async function embeddedChaos({
  documents,
  recordings,
  films,
  kills,
  lifetimeMs,
  log,
}: EmbeddedChaosOptions): Promise<EmbeddedChaosReport> {
  const source = await serveDocuments();
  const speech = await serveSpeech((recording) => source.spokenTextOf(recording), speechMilliseconds);
  const program = await EmbeddedProgram.start({ PLY_SPEECH_URL: speech.url, ...ownerEnvironment });
  try {
    const own = program.client;
    const created = await own.ask('POST', '/api/sub-organizations', { name: 'Second' });
    const clients = [own, program.clientOf(String(created.body['id']))];
    const reads = await readableRecordings(own, recordings, log);
    const missing = await filmsUnavailable();
    if (missing !== null) log(`  NO FILMS: ${missing}`);
    const shown = missing === null ? Math.min(films, reads) : 0;
    const [shortest, longest] = lifetimeMs;
    const registering = register(clients, source, {
      count: documents,
      recordings: reads,
      films: shown,
      words: 120,
      milliseconds: (kills * (shortest + longest + 2000)) / 2,
    });
    for (let count = 1; count <= kills; count++) {
      await pause(shortest + systemRuntime.random() * (longest - shortest));
      await program.killAndStart(forgetMeasures);
      if (count % 5 === 0) log(`  ${count} of ${kills} kills`);
    }
    const accepted = await registering;
    const states = Object.fromEntries(await awaitJobs(accepted, 240_000));
    const days = unmeasuredDays();
    await program.killAndStart(forgetMeasures);
    const isMeasured = await until(() => Promise.resolve(program.hasMeasured(days.at(-1) ?? '')));
    const search = { ...(await checkSearch(accepted, clients)), ...(await checkTranscripts(accepted)) };
    const written = await checkAnswers(accepted.slice(0, asked));
    const inDashboard = await searchInDashboard(program, accepted.slice(0, asked));
    await awaitLedger(() => program.hasNoPendingOutbox());
    await program.stop();
    const { events, faults } = await ledgerOf(program.dataFolder);
    const searches = accepted.length * clients.length + written.length + inDashboard;
    const answers = written.filter((isWritten) => isWritten).length;
    const ids = clients.map(({ organizationId }) => organizationId);
    return {
      ...search,
      ...checkUsage(accepted, events),
      ledgerFaults: [
        ...faults,
        ...(isMeasured ? [] : ['what is kept is not measured']),
        ...faultsOfMeasures(events, 'index_gigabyte_months', ids, days),
        ...faultsOfCount(events, 'searches', searches),
        ...faultsOfCount(events, 'answers', answers),
        ...faultsOfCount(events, 'dashboard_searches', inDashboard),
      ],
      kills,
      recordings: reads,
      films: shown,
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
