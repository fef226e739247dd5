import { randomBytes } from 'node:crypto';
import { ensureProgram } from '../scripts/setup/system.ts';
import { freePort } from '../test/servers/ports.ts';
import type { BucketView } from '../models/bucket.ts';
import { startBareServer } from './delivery/bare.ts';
import { addBucket, base, storeFile } from './delivery/bucket.ts';
import { startNginx, type Nginx } from './delivery/nginx.ts';
import { runWrk, type Load } from './delivery/wrk.ts';
import type { Figure, Part } from './figures.ts';
import type { HttpClients } from './http-clients.ts';
import { canMeasureProcesses, cpuSeconds } from './process-figures.ts';
import { startProgram } from './program.ts';
import { median, ratio } from './statistics.ts';

const KiB = 1024;
const files = new Map([
  ['1k', randomBytes(KiB)],
  ['100k', randomBytes(100 * KiB)],
  ['10m', randomBytes(10 * 2 ** 20)],
]);
/** Different links of a file, which are asked for in turns. */
const links = 1000;
const turns = 3;

interface Row {
  name: string;
  file: string;
  signed: boolean;
  range?: string;
  /** Least share of nginx's answers for the same processor time. */
  target: number;
}

const rows: readonly Row[] = [
  { name: 'public, 1 KiB', file: '1k', signed: false, target: 0.9 },
  { name: 'signed, 1 KiB', file: '1k', signed: true, target: 0.9 },
  { name: 'public, 100 KiB', file: '100k', signed: false, target: 0.9 },
  { name: 'signed, 100 KiB', file: '100k', signed: true, target: 0.9 },
  { name: 'public, 1 MiB range of 10 MiB', file: '10m', signed: false, range: 'bytes=1048576-2097151', target: 0.8 },
  { name: 'signed, 10 MiB', file: '10m', signed: true, target: 0.8 },
];

/**
 * Answers of an edge for a second of processor time, compared with one worker of nginx on the same files, and with a bare
 * node:http server that writes as many bytes from memory, in turns. The load comes from wrk on the same machine.
 */
export const part: Part = async ({ full }) => {
  if (!canMeasureProcesses()) return { skipped: 'the processor time of a process is read from /proc' };
  for (const [name, debianPackage] of [
    ['nginx', 'nginx-light'],
    ['wrk', 'wrk'],
  ] as const) {
    const found = await ensureProgram(['sh', '-c', `command -v ${name}`], [debianPackage]);
    if (!found.ok) return { skipped: found.reason };
  }
  const port = await freePort();
  const program = await startProgram({ environment: { PLY_DELIVERY_PORT: String(port) } });
  const nginx = await startNginx(files);
  const bare = await startBareServer();
  const admin = program.administrator();
  try {
    const stored = {
      public: await storeFiles(admin, 'public'),
      private: await storeFiles(admin, 'private'),
    };
    const figures: Figure[] = [];
    for (const row of rows) {
      const bucket = row.signed ? stored.private : stored.public;
      const range: Record<string, string> = row.range === undefined ? {} : { Range: row.range };
      const load = { connections: 16, seconds: full ? 8 : 3 };
      const own: Load = {
        ...load,
        port,
        headers: { Host: bucket.defaultHostname, ...range },
        targets: row.signed ? await signedTargets(admin, bucket, row.file) : [`/${row.file}`],
      };
      const peer: Load = { ...load, port: nginx.port, headers: range, targets: nginxTargets(nginx, row) };
      const bytes = row.range === undefined ? (files.get(row.file)?.length ?? 0) : 2 ** 20;
      const runtime: Load = { ...load, port: bare.port, headers: {}, targets: [`/${bytes}`] };
      const cpuOfNginx = (): number => nginx.pids().reduce((sum, each) => sum + cpuSeconds(each), 0);
      const sides: Side[] = [
        { load: own, cpu: () => cpuSeconds(program.pid), rates: [] },
        { load: peer, cpu: cpuOfNginx, rates: [] },
        { load: runtime, cpu: () => cpuSeconds(bare.pid), rates: [] },
      ];
      figures.push(await compare(row, sides));
    }
    return figures;
  } finally {
    await admin.close();
    bare.stop();
    await nginx.stop();
    await program.stop();
  }
};

/** One of the servers that are compared. */
interface Side {
  load: Load;
  /** Processor time that it has used, in seconds. */
  cpu: () => number;
  /** Answers for a second of processor time, one for each turn. */
  rates: number[];
}

async function compare(row: Row, sides: readonly Side[]): Promise<Figure> {
  for (let turn = 0; turn <= turns; turn += 1) {
    for (const { load, cpu, rates } of sides) {
      const before = cpu();
      const answers = await runWrk(load);
      // The first turn is for compilation and caches.
      if (turn > 0) rates.push(answers / (cpu() - before));
    }
  }
  const [rate = 0, peer = 0, bare = 0] = sides.map(({ rates }) => median(rates));
  const shown = (each: number): string => `${each.toFixed(0)} (${(1e6 / each).toFixed(0)} µs each)`;
  return {
    name: `${row.name}: answers for a second of processor time`,
    measured: `${shown(rate)} = ${ratio(rate / peer)}`,
    against: `nginx${row.signed ? ' with secure_link_md5' : ''}: ${shown(peer)}; bare node:http: ${shown(bare)} = ${ratio(bare / peer)}`,
    target: `at least ${row.target}x`,
    reached: rate / peer >= row.target,
  };
}

/** A bucket with all files. */
async function storeFiles(admin: HttpClients, visibility: 'public' | 'private'): Promise<BucketView> {
  const bucket = await addBucket(admin, visibility);
  for (const [key, bytes] of files) await storeFile(admin, bucket.id, key, bytes);
  return bucket;
}

/** Different signed links of a file. */
async function signedTargets(admin: HttpClients, bucket: BucketView, key: string): Promise<string[]> {
  const targets: string[] = [];
  for (let index = 0; index < links; index += 1) {
    const body = JSON.stringify({ bucketId: bucket.id, key, ttlSeconds: 3600 + index });
    const { url } = JSON.parse(await admin.ask({ method: 'POST', path: `${base}/sign`, body })) as { url: string };
    targets.push(url.slice(url.indexOf('/', 'https://'.length)));
  }
  return targets;
}

function nginxTargets(nginx: Nginx, { file, signed }: Row): string[] {
  const expires = Math.floor(Date.now() / 1000) + 3600;
  return signed ? Array.from({ length: links }, (_, index) => nginx.link(file, expires + index)) : [`/plain/${file}`];
}
