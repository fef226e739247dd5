import { mkdtempSync, readdirSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createOrganization, standardKey, startProgram } from '../../bench/program.ts';
import { ownerEnvironment } from '../../test/api/support/session.ts';
import { freePort } from '../../test/servers/ports.ts';
import { startCluster } from '../cluster/cluster.ts';
import type { Doors } from './door-keys.ts';
import type { LoadOptions } from './options.ts';
import type { Edge } from './stored-files.ts';

/** The measured installation: a program that the run starts, or an existing one. */
export interface Installation {
  url: string;
  key: string;
  organizationId: string;
  /** Another organization of the account; null if none is known. */
  neighbourId: string | null;
  /** Null where no buckets are created: in an existing installation they would stay. */
  edge: Edge | null;
  /** Null for the same reason. */
  doors: Doors | null;
  /** Process and data folder of a program that the run starts; null for an existing installation. */
  own: { pid: number; folder: string } | null;
  /** How the page describes it. */
  description: string;
  stop(): Promise<void>;
}

function given(environment: NodeJS.ProcessEnv, neighbour: string | null): Installation | null {
  const { PLY_API_URL: url, PLY_API_KEY: key, PLY_ORGANIZATION_ID: organizationId } = environment;
  if (url === undefined || url === '') return null;
  if (key === undefined || organizationId === undefined)
    throw new Error('with PLY_API_URL, PLY_API_KEY (a standard key) and PLY_ORGANIZATION_ID are required as well');
  return {
    url: url.replace(/\/+$/, ''),
    key,
    organizationId,
    neighbourId: neighbour,
    edge: null,
    doors: null,
    own: null,
    description: `The installation at ${url}`,
    stop: async () => undefined,
  };
}

/**
 * The installation that the environment names. Otherwise starts a program with two organizations, in a temporary folder
 * that `stop` removes.
 */
export async function openInstallation(
  { wordsOnly, neighbour, cluster }: LoadOptions,
  environment: NodeJS.ProcessEnv,
): Promise<Installation> {
  const named = given(environment, neighbour);
  if (named !== null) return named;
  if (cluster) return openCluster(wordsOnly);
  const folder = mkdtempSync(join(tmpdir(), 'ply-load-'));
  try {
    const [deliveryPort, s3Port, blobPort] = [await freePort(), await freePort(), await freePort()];
    const program = await startProgram({
      folder,
      environment: {
        ...ownerEnvironment,
        PLY_DELIVERY_PORT: String(deliveryPort),
        PLY_S3_PORT: String(s3Port),
        PLY_BLOB_PORT: String(blobPort),
        PLY_STORAGE_REQUESTS_PER_MINUTE: '100000000',
        ...(wordsOnly ? { PLY_EMBEDDING_THREADS: '0' } : {}),
      },
    });
    const { url, organizationId } = program;
    return {
      url,
      key: standardKey,
      organizationId,
      neighbourId: await program.organization('Neighbour'),
      edge: { url: `http://127.0.0.1:${deliveryPort}`, administrator: () => program.administrator() },
      doors: {
        url,
        organizationId,
        s3Url: `http://127.0.0.1:${s3Port}`,
        blobUrl: `http://127.0.0.1:${blobPort}`,
      },
      own: { pid: program.pid, folder },
      description: `One process with all roles on this machine, with k6 and the source${wordsOnly ? ', with words only (without the model)' : ''}`,
      stop: async () => {
        await program.stop();
        await rm(folder, { recursive: true, force: true });
      },
    };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/** A cluster on this machine: a process for each role, two for each kind of worker, and the servers of the tests. */
async function openCluster(wordsOnly: boolean): Promise<Installation> {
  const started = await startCluster({ environment: wordsOnly ? { PLY_EMBEDDING_THREADS: '0' } : {} });
  if ('unavailable' in started) throw new Error(`a cluster cannot be started here: ${started.unavailable}`);
  const { apiUrl: url, organizationId, adminKey } = started;
  return {
    url,
    key: started.standardKey,
    organizationId,
    neighbourId: await createOrganization(url, organizationId, adminKey, 'Neighbour'),
    edge: null,
    doors: null,
    own: null,
    description: `A cluster of ${started.processes.length} processes on this machine with NATS, Redis, milvus-lite and a MongoDB-compatible server`,
    stop: () => started.stop(),
  };
}

/** Number of passages in the embedded index of a data folder. */
export function passagesOf(folder: string): number {
  const database = new DatabaseSync(join(folder, 'passages.db'), { readOnly: true });
  try {
    return Number(database.prepare('select count(*) as count from passages').get()?.['count']);
  } finally {
    database.close();
  }
}

/** Bytes of all files in a folder and its subfolders. */
export function bytesOf(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.reduce(
    (sum, entry) => sum + (statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
}
