import { mkdtempSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { CreateBucketCommand, ListObjectsV2Command, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import type { ConnectorView, SyncSummary } from '../models/connector.ts';
import type { LibraryHealth } from '../models/analytics.ts';
import { s3TestKey, startS3Gateway } from '../test/servers/s3.ts';
import type { Figure, Part } from './figures.ts';
import type { HttpClients } from './http-clients.ts';
import { cpuSeconds, treeMemory } from './process-figures.ts';
import { startProgram, type BenchProgram } from './program.ts';
import { median, ratio } from './statistics.ts';

/*
 * Syncs with a local S3 server. 1: unchanged objects, in turns with a bare listing of the same bucket by the same
 * library. 2: new small files, and the share of the sync in the time until they are found.
 */

const turns = 3;
const maxTimes = 2;
const maxMegabytes = 150;
const content = '/api/content/v1';
/** A program that registers files and does not index them, so that only the sync is measured. */
const withoutIndexing = 'gateway,accounts,ledger,registrar,connectors';
const etag = 'd41d8cd98f00b204e9800998ecf8427e';

interface Server {
  host: string;
  folder: string;
}

function textOf(number: number): string {
  const texts = [
    'The pump is serviced each spring.',
    'Invoices are paid within a month.',
    'The harbour freezes in winter.',
  ];
  return `Note ${number}. ${texts[number % texts.length] ?? ''}`;
}

function clientOf({ host }: Server): S3Client {
  return new S3Client({
    endpoint: `http://${host}`,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: s3TestKey,
  });
}

/** Puts objects into a bucket, each with its own ETag. */
async function put(server: Server, bucket: string, count: number): Promise<void> {
  const client = clientOf(server);
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  for (let first = 0; first < count; first += 20) {
    await Promise.all(
      Array.from({ length: Math.min(20, count - first) }, (_, index) =>
        client.send(
          new PutObjectCommand({
            Bucket: bucket,
            Key: `folder/file-${first + index}.txt`,
            Body: textOf(first + index),
          }),
        ),
      ),
    );
  }
  client.destroy();
}

/** Writes files of a bucket directly into its folder, which is a hundred times faster. They are only listed. */
async function writeObjects({ folder }: Server, bucket: string, count: number): Promise<void> {
  for (let first = 0; first < count; first += 1000) {
    const below = join(folder, bucket, `folder-${String(first / 1000).padStart(3, '0')}`);
    await mkdir(below, { recursive: true });
    await Promise.all(
      Array.from({ length: Math.min(1000, count - first) }, (_, index) =>
        writeFile(join(below, `file-${index}.txt`), textOf(first + index)),
      ),
    );
  }
}

/** Lists a bucket with the library alone. Returns seconds and number of objects. */
async function bareListing(server: Server, bucket: string): Promise<{ seconds: number; objects: number }> {
  const client = clientOf(server);
  const began = performance.now();
  let objects = 0;
  let token: string | undefined;
  do {
    const page = await client.send(
      new ListObjectsV2Command({
        Bucket: bucket,
        MaxKeys: 1000,
        EncodingType: 'url',
        ...(token === undefined ? {} : { ContinuationToken: token }),
      }),
    );
    objects += page.Contents?.length ?? 0;
    token = page.NextContinuationToken;
  } while (token !== undefined);
  client.destroy();
  return { seconds: (performance.now() - began) / 1000, objects };
}

async function ask<T>(http: HttpClients, method: 'GET' | 'POST', path: string, body?: object): Promise<T> {
  return JSON.parse(
    await http.ask({
      method,
      path: `${content}${path}`,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }),
  ) as T;
}

async function makeConnector(http: HttpClients, { host }: Server, bucket: string): Promise<string> {
  const config = {
    endpoint: `http://${host}`,
    bucket,
    region: 'us-east-1',
    prefix: '',
    accessKeyId: s3TestKey.accessKeyId,
  };
  return (
    await ask<ConnectorView>(http, 'POST', '/connectors', {
      kind: 's3',
      name: bucket,
      config,
      credential: s3TestKey.secretAccessKey,
      defaultAclMode: 'open',
    })
  ).connectorId;
}

/** Requests a sync and waits for its end. Returns its seconds, summary, and the maximum memory of the process. */
async function sync(
  program: BenchProgram,
  http: HttpClients,
  connectorId: string,
): Promise<{ seconds: number; summary: SyncSummary; megabytes: number }> {
  const before = (await ask<ConnectorView>(http, 'GET', `/connectors/${connectorId}`)).lastRunAt;
  const began = performance.now();
  await ask(http, 'POST', `/connectors/${connectorId}/sync`);
  for (let megabytes = 0; ; await pause(100)) {
    megabytes = Math.max(megabytes, treeMemory(program.pid).own);
    const { lastRunAt, lastSummary, lastError } = await ask<ConnectorView>(http, 'GET', `/connectors/${connectorId}`);
    if (lastError !== null) throw new Error(`the sync ended: ${lastError}`);
    if (lastRunAt !== before && lastSummary !== null)
      return { seconds: (performance.now() - began) / 1000, summary: lastSummary, megabytes };
  }
}

async function unchangedFiles(server: Server, folder: string, unchanged: number): Promise<Figure[]> {
  const bucket = 'unchanged';
  await writeObjects(server, bucket, unchanged);
  const environment = { PLY_ROLES: withoutIndexing };
  const organizationId = '00000000-0000-4000-8000-000000000001';
  const first = await startProgram({ folder, organizationId, environment });
  const firstClients = first.clients(1);
  const connectorId = await makeConnector(firstClients, server, bucket);
  const taken = await sync(first, firstClients, connectorId);
  await firstClients.close();
  await first.stop();
  if (taken.summary.new !== unchanged) throw new Error(`the first sync took ${JSON.stringify(taken.summary)}`);

  const program = await startProgram({ folder, organizationId, environment });
  const http = program.clients(1);
  try {
    await ask(http, 'GET', `/connectors/${connectorId}`);
    await pause(2000);
    const idle = treeMemory(program.pid).own;
    const times: { bare: number; sync: number }[] = [];
    let peak = 0;
    let processor = 0;
    for (let turn = 0; turn < turns; turn += 1) {
      const bare = await bareListing(server, bucket);
      if (bare.objects !== unchanged) throw new Error(`the listing has ${bare.objects} objects`);
      const cpu = cpuSeconds(program.pid);
      const { seconds, summary, megabytes } = await sync(program, http, connectorId);
      if (summary.unchanged !== unchanged) throw new Error(`the sync found ${JSON.stringify(summary)}`);
      processor += cpuSeconds(program.pid) - cpu;
      peak = Math.max(peak, megabytes);
      times.push({ bare: bare.seconds, sync: seconds });
    }
    const perTurn = median(times.map(({ bare, sync: ours }) => ours / bare));
    const of = (name: 'bare' | 'sync'): string => `${median(times.map((time) => time[name])).toFixed(1)} s`;
    return [
      {
        name: `sync of ${unchanged} unchanged objects, time (processor of the program: ${(processor / turns).toFixed(1)} s)`,
        measured: of('sync'),
        against: `bare listing with the same library: ${of('bare')} (${ratio(perTurn)})`,
        target: `at most ${maxTimes} times`,
        reached: perTurn <= maxTimes,
      },
      {
        name: `sync of ${unchanged} unchanged objects, memory above idle`,
        measured: `${(peak - idle).toFixed(0)} MB`,
        against: `idle: ${idle.toFixed(0)} MB`,
        target: `at most ${maxMegabytes} MB`,
        reached: peak - idle <= maxMegabytes,
      },
      {
        name: `first sync of ${unchanged} objects, without indexing`,
        measured: `${(unchanged / taken.seconds).toFixed(0)} files/s`,
        against: '',
        target: '',
        reached: null,
      },
    ];
  } finally {
    await http.close();
    await program.stop();
  }
}

async function newFiles(server: Server, count: number): Promise<Figure[]> {
  const bucket = 'new';
  await put(server, bucket, count);
  const program = await startProgram();
  const http = program.clients(1);
  try {
    const connectorId = await makeConnector(http, server, bucket);
    const began = performance.now();
    const { seconds, summary } = await sync(program, http, connectorId);
    if (summary.new !== count) throw new Error(`the sync found ${JSON.stringify(summary)}`);
    for (;;) {
      const { states } = await ask<LibraryHealth>(http, 'GET', '/analytics/library');
      if (states.failed > 0) throw new Error(`jobs failed: ${JSON.stringify(states)}`);
      if (states.ready >= count) break;
      await pause(200);
    }
    const whole = (performance.now() - began) / 1000;
    return [
      {
        name: `${count} new small objects: the sync's own time`,
        measured: `${seconds.toFixed(1)} s`,
        against: `until all are found: ${whole.toFixed(1)} s (${(count / whole).toFixed(0)} files/s)`,
        target: 'less than half of it',
        reached: seconds < whole / 2,
      },
    ];
  } finally {
    await http.close();
    await program.stop();
  }
}

/** Syncs of unchanged and of new files. */
export const part: Part = async ({ full }) => {
  const server = await startS3Gateway(etag);
  if (typeof server === 'string') return { skipped: server };
  const folder = mkdtempSync(join(tmpdir(), 'ply-bench-sync-'));
  try {
    return [
      ...(await unchangedFiles(server, folder, full ? 100_000 : 30_000)),
      ...(await newFiles(server, full ? 5000 : 500)),
    ];
  } finally {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
    await rm(server.folder, { recursive: true, force: true });
  }
};
