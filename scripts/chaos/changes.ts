import { setTimeout as pause } from 'node:timers/promises';
import { systemRuntime } from '../../models/runtime.ts';
import { ChangedLibrary, readers, stranger, type ChangedFile } from './changed-library.ts';
import { serveDocuments } from './documents.ts';
import { EmbeddedProgram, type Integrity } from './embedded-program.ts';

/** Options of the test. */
export interface ChangesChaosOptions {
  kills: number;
  /** Minimum and maximum time from a start to the kill, in milliseconds. */
  lifetimeMs: [number, number];
  log(line: string): void;
}

/** The result. */
export interface ChangesChaosReport {
  kills: number;
  /** Total number of files. */
  files: number;
  /** Number of answered changes by kind. */
  changes: { [change: string]: number };
  /** Descriptions of faults; it must be empty. */
  faults: string[];
  slowestStartMs: number;
  integrity: Integrity;
}

/** Number of concurrent changes, and the maximum pause between two of them in milliseconds. */
const [concurrency, maxPauseMs] = [5, 120];
/** Maximum time for the jobs to end after the last kill, in milliseconds. */
const maxWaitMs = 240_000;
const finished = ['ready', 'failed', 'cancelled'];

/**
 * Kills the embedded program repeatedly while a library is changed in every way, then compares the library with the
 * responses.
 */
export async function changesChaos({
  kills,
  lifetimeMs: [shortest, longest],
  log,
}: ChangesChaosOptions): Promise<ChangesChaosReport> {
  const source = await serveDocuments();
  const program = await EmbeddedProgram.start();
  try {
    const library = new ChangedLibrary(program.client, source, systemRuntime);
    let isRunning = true;
    const changing = Array.from({ length: concurrency }, async () => {
      while (isRunning) {
        await library.changeAny().catch((error: unknown) => library.fault(String(error)));
        await pause(systemRuntime.random() * maxPauseMs);
      }
    });
    for (let count = 1; count <= kills; count++) {
      await pause(shortest + systemRuntime.random() * (longest - shortest));
      await program.killAndStart();
      await library.searchRestrictedAsStranger(5);
      if (count % 5 === 0) log(`  ${count} of ${kills} kills`);
    }
    isRunning = false;
    await Promise.all(changing);
    await checkJobs(library);
    await checkFiles(library);
    await program.stop();
    return {
      kills,
      files: library.files.length,
      changes: library.counts,
      faults: library.faults,
      slowestStartMs: program.slowestStartMs,
      integrity: program.integrity(),
    };
  } finally {
    await program.remove();
    await source.close();
  }
}

/** Waits until every job has ended, and checks its state. */
async function checkJobs(library: ChangedLibrary): Promise<void> {
  const deadline = Date.now() + maxWaitMs;
  for (const file of library.files.filter(({ isRemoved }) => !isRemoved)) {
    let state = await library.jobStateOf(file);
    while (!finished.includes(state) && Date.now() < deadline) {
      await pause(250);
      state = await library.jobStateOf(file);
    }
    if (state !== (file.isCancelled ? 'cancelled' : 'ready'))
      library.fault(`the job of ${file.assetId} is ${state}, cancelled: ${String(file.isCancelled)}`);
  }
}

/** Searches for every file as all kinds of readers, by its current and former markers, and checks its metadata. */
async function checkFiles(library: ChangedLibrary): Promise<void> {
  const { files } = library;
  const alive = files.filter(({ isRemoved }) => !isRemoved);
  const total = await library.total();
  if (total !== alive.length) library.fault(`${total} files are counted instead of ${alive.length}`);
  for (const file of files) {
    for (const principals of [null, ...[...readers, stranger].map((reader) => [reader])])
      await checkFound(library, file, principals);
    for (const document of file.earlier) {
      if (file.isCancelled) continue;
      if ((await library.foundBy(document, file.principals)).includes(file.assetId))
        library.fault(`an earlier revision of ${file.assetId} is found`);
    }
    const metadata = JSON.stringify(await library.metadataOf(file));
    if (metadata !== JSON.stringify(file.isRemoved ? null : file.metadata))
      library.fault(`${file.assetId} has the metadata ${metadata}`);
  }
}

async function checkFound(library: ChangedLibrary, file: ChangedFile, principals: string[] | null): Promise<void> {
  const times = (await library.foundBy(file.document, principals)).filter((assetId) => assetId === file.assetId).length;
  const mayBeSeen =
    !file.isRemoved && (file.mode === 'open' || file.principals.some((principal) => principals?.includes(principal)));
  const isCorrect = file.isCancelled ? times <= Number(mayBeSeen) : times === Number(mayBeSeen);
  if (!isCorrect)
    library.fault(
      `${file.assetId} is found ${times} times by ${principals?.join() ?? 'the organization'}, permitted: ${String(mayBeSeen)}`,
    );
}
