import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { startProgram, type Program } from '../../../app/program.ts';
import { readConfiguration } from '../../../models/configuration/configuration.ts';
import type { BucketView } from '../../../models/bucket.ts';
import { systemRuntime } from '../../../models/runtime.ts';
import type { Served } from '../../../models/traffic.ts';
import { openTraffic, type Traffic } from '../../../services/delivery/traffic/traffic.ts';
import { foldRound } from '../../../services/traffic/fold.ts';
import { Client, content, until } from './client.ts';

/** The program in this process, with a clock of its own, and the counting of an edge. */
export interface TrafficStage {
  program: Program;
  admin: Client;
  standard: Client;
  /** Sets the clock of the program, in milliseconds. */
  setClock(now: number): void;
  /** Counts responses as an edge does, and waits until they are in the totals. */
  deliver(bucket: Pick<BucketView, 'id'>, served: readonly Delivered[]): Promise<void>;
  createBucket(fields?: object, client?: Client): Promise<BucketView>;
  end(): Promise<void>;
}

/** A response; the rest has defaults. */
export type Delivered = Partial<Served> & Pick<Served, 'at' | 'bytes'>;

/** Starts the program. @param now what its clock shows */
export async function startTrafficStage(
  now: number,
  environment: { [name: string]: string } = {},
): Promise<TrafficStage> {
  const folder = mkdtempSync(join(tmpdir(), 'ply-traffic-'));
  const [organizationId, adminKey, standardKey] = [randomUUID(), `ply_a_${randomUUID()}`, `ply_s_${randomUUID()}`];
  let ahead = now - Date.now();
  const program = await startProgram(
    readConfiguration({
      PLY_DATA_DIR: folder,
      PLY_API_PORT: '0',
      PLY_METRICS_PORT: '0',
      PLY_UPLOAD_PORT: '0',
      PLY_DELIVERY_PORT: '0',
      PLY_S3_PORT: '0',
      PLY_BLOB_PORT: '0',
      PLY_EMBEDDING_THREADS: '0',
      PLY_READER_THREADS: '1',
      PLY_BOOTSTRAP_ORGANIZATION_ID: organizationId,
      PLY_BOOTSTRAP_ADMIN_KEY: adminKey,
      PLY_BOOTSTRAP_STANDARD_KEY: standardKey,
      ...environment,
    }),
    { runtime: { ...systemRuntime, now: () => Date.now() + ahead }, log: pino({ level: 'silent' }) },
  );
  const traffic: Traffic = openTraffic(program.app, program.broker);
  const url = program.apiUrl ?? '';
  const admin = new Client(url, organizationId, adminKey);
  return {
    program,
    admin,
    standard: new Client(url, organizationId, standardKey),
    setClock: (time) => {
      ahead = time - Date.now();
    },
    deliver: async ({ id }, served) => {
      for (const response of served)
        traffic.record({
          organizationId,
          bucketId: id,
          status: 200,
          country: null,
          cache: null,
          key: 'a',
          query: '',
          isLinkValid: false,
          ...response,
        });
      expect(await traffic.flush()).toBe(true);
      while ((await foldRound(program.app)) > 0);
    },
    createBucket: async (fields = {}, client = admin) => {
      const { id } = await client.get<BucketView>(202, 'POST', `${content}/buckets`, {
        body: { name: `b-${randomUUID()}`, region: 'in-west', ...fields },
        headers: { 'Idempotency-Key': randomUUID() },
      });
      return until(
        () => client.get<BucketView>(200, 'GET', `${content}/buckets/${id}`),
        ({ state }) => state === 'active',
      );
    },
    end: async () => {
      await program.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
