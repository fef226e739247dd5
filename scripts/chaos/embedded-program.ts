import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { freePort } from '../../test/servers/ports.ts';
import { ProgramProcess } from '../cluster/program-process.ts';
import { ApiClient } from './client.ts';

/** The result of `pragma integrity_check` for each SQLite file; each must be `ok`. */
export interface Integrity {
  [file: string]: string;
}

/** Whether no file is damaged. */
export function isIntact(integrity: Integrity): boolean {
  return Object.values(integrity).every((result) => result === 'ok');
}

/** The embedded program with its own data folder, for repeated kills. */
export class EmbeddedProgram {
  readonly dataFolder: string;
  readonly apiUrl: string;
  /** Client of the first organization with an admin key. */
  readonly client: ApiClient;
  /** Longest time from a start to readiness. */
  slowestStartMs = 0;
  readonly #folder: string;
  readonly #logFile: string;
  readonly #key: string;
  readonly #process: ProgramProcess;

  private constructor(ports: { api: number; metrics: number }, environment: Record<string, string>) {
    this.#folder = mkdtempSync(join(tmpdir(), 'ply-chaos-'));
    this.#logFile = join(this.#folder, 'ply.log');
    this.dataFolder = join(this.#folder, 'data');
    this.apiUrl = `http://127.0.0.1:${ports.api}`;
    this.#key = `ply_${randomBytes(32).toString('base64url')}`;
    this.client = this.clientOf(randomUUID());
    this.#process = new ProgramProcess({
      name: 'ply',
      healthUrl: `http://127.0.0.1:${ports.metrics}/health/ready`,
      logFile: this.#logFile,
      environment: {
        PLY_DATA_DIR: this.dataFolder,
        PLY_API_PORT: String(ports.api),
        PLY_METRICS_PORT: String(ports.metrics),
        PLY_DELIVERY_PORT: '0',
        PLY_S3_PORT: '0',
        PLY_BLOB_PORT: '0',
        PLY_UPLOAD_PORT: '0',
        PLY_PRIVATE_NETWORKS: 'allow',
        PLY_BOOTSTRAP_ORGANIZATION_ID: this.client.organizationId,
        PLY_BOOTSTRAP_ADMIN_KEY: this.#key,
        PLY_LOG_LEVEL: 'warn',
        PLY_RETRY_BASE_MS: '500',
        ...environment,
      },
    });
  }

  /** Starts it, and waits until it is ready. */
  static async start(environment: Record<string, string> = {}): Promise<EmbeddedProgram> {
    const program = new EmbeddedProgram({ api: await freePort(), metrics: await freePort() }, environment);
    try {
      await program.#start();
    } catch (error) {
      await program.remove();
      throw error;
    }
    return program;
  }

  /** Of the running process. */
  get pid(): number | undefined {
    return this.#process.pid;
  }

  /** Client of another organization of the same account. */
  clientOf(organizationId: string): ApiClient {
    return new ApiClient(this.apiUrl, organizationId, this.#key);
  }

  /** Kills it with SIGKILL and starts it again. @param between called with the data folder while it does not run */
  async killAndStart(between?: (dataFolder: string) => Promise<void>): Promise<void> {
    await this.#process.kill();
    await between?.(this.dataFolder);
    await this.#start();
  }

  stop(): Promise<unknown> {
    return this.#process.stop();
  }

  /** Whether no asset has a pending entry for the ledger or the index. */
  hasNoPendingOutbox(): boolean {
    return this.hasNone('assets', 'outboxDue');
  }

  /** Whether no document of a collection has an indexed field. Reads the store of the running program. */
  hasNone(collection: string, field: string): boolean {
    const database = new DatabaseSync(join(this.dataFolder, 'records.db'), { readOnly: true, timeout: 5000 });
    try {
      return database.prepare(`select 1 from ${collection} where ${field} is not null limit 1`).get() === undefined;
    } finally {
      database.close();
    }
  }

  /** Whether what accounts keep was measured through a day (YYYY-MM-DD). Reads the store of the running program. */
  hasMeasured(day: string): boolean {
    const database = new DatabaseSync(join(this.dataFolder, 'records.db'), { readOnly: true, timeout: 5000 });
    try {
      const late = `select 1 from measured_days where json_extract(doc, '$.through') < ? limit 1`;
      return database.prepare(late).get(day) === undefined;
    } finally {
      database.close();
    }
  }

  /** Checks the SQLite files of the stopped program. */
  integrity(): Integrity {
    const report: Integrity = {};
    for (const file of ['records.db', 'passages.db']) {
      const path = join(this.dataFolder, file);
      if (!existsSync(path)) continue;
      const database = new DatabaseSync(path);
      report[file] = database
        .prepare('pragma integrity_check')
        .all()
        .map((row) => String(row['integrity_check']))
        .join('; ');
      database.close();
    }
    return report;
  }

  /** Stops it and removes its data. */
  async remove(): Promise<void> {
    await this.#process.kill();
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #start(): Promise<void> {
    const startedAt = performance.now();
    this.#process.start();
    try {
      await this.#process.ready();
    } catch (error) {
      // The folder is removed, and the log with it.
      const log = (await readFile(this.#logFile, 'utf8')).slice(-2000);
      throw new Error(`it did not start; its log ends with\n${log}`, { cause: error });
    }
    this.slowestStartMs = Math.max(this.slowestStartMs, Math.round(performance.now() - startedAt));
  }
}
