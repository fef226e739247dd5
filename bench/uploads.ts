import { randomBytes } from 'node:crypto';
import { addBucket, storeFile } from './delivery/bucket.ts';
import { writeBare } from './doors/bare.ts';
import { startMinio, startVersity, type RunningSide } from './doors/sides.ts';
import { send, type S3Request } from './doors/signed-client.ts';
import type { Figure, Part } from './figures.ts';
import { startProgram, type BenchProgram } from './program.ts';
import { median, ratio } from './statistics.ts';

const KiB = 1024;
const MiB = 1024 * KiB;
const turns = 3;

interface Row {
  name: string;
  bytes: number;
  clients: number;
  /** Files in a turn: short form, long form. */
  count: [short: number, long: number];
  /** Least share of the rate of each server that is compared, by its name. */
  targets: { readonly [server: string]: number };
}

const rows: readonly Row[] = [
  { name: '64 MiB in parts, 2 clients', bytes: 64 * MiB, clients: 2, count: [4, 8], targets: { versitygw: 0.9 } },
  { name: '4 KiB, 8 clients', bytes: 4 * KiB, clients: 8, count: [200, 2000], targets: { versitygw: 1, MinIO: 1 } },
];

/**
 * Uploads through the API, each begun, sent in parts and completed, beside single PUTs to versitygw and MinIO, in turns. A
 * completed upload is on disk: its parts, their folder and its record are flushed. versitygw and MinIO flush nothing.
 */
export const part: Part = async ({ full }) => {
  const peers: RunningSide[] = [];
  const missing: string[] = [];
  const program = await startProgram();
  const admin = program.administrator();
  try {
    for (const start of [startVersity, startMinio]) {
      const started = await start();
      if (typeof started === 'string') missing.push(started);
      else peers.push(started);
    }
    for (const peer of peers) await send(peer, 1, [{ method: 'PUT', path: '/bench-uploads' }]);
    const { id } = await addBucket(admin, 'private');
    const figures: Figure[] = [];
    for (const row of rows) figures.push(await compare(row, row.count[full ? 1 : 0], program, id, peers, missing));
    return figures;
  } finally {
    await admin.close();
    for (const peer of peers) await peer.stop();
    await program.stop();
  }
};

async function compare(
  { name, bytes, clients, targets }: Row,
  count: number,
  program: BenchProgram,
  bucketId: string,
  peers: readonly RunningSide[],
  missing: readonly string[],
): Promise<Figure> {
  const body = randomBytes(bytes);
  const own: number[] = [];
  const bare: number[] = [];
  const ofPeers = new Map(peers.map((peer) => [peer.name, [] as number[]]));
  // The first turn is for compilation and caches.
  for (let turn = 0; turn <= turns; turn += 1) {
    const names = Array.from({ length: count }, (_, at) => `${bytes}/${turn}/${at}`);
    const seconds = await storeAll(program, bucketId, names, clients, body);
    if (turn > 0) own.push(seconds);
    for (const peer of peers) {
      const puts = names.map((key): S3Request => ({ method: 'PUT', path: `/bench-uploads/${key}`, body }));
      const took = await send(peer, clients, puts);
      if (turn > 0) ofPeers.get(peer.name)?.push(took);
    }
    bare.push(await writeBare(count, clients, body));
  }
  const [work, unit] = bytes >= MiB ? [(count * bytes) / MiB, 'MiB/s'] : [count, 'files/s'];
  const rate = work / median(own);
  const shown = (each: number): string => each.toFixed(each < 100 ? 1 : 0);
  const against = [...ofPeers, ['flushed files without a server', bare] as const].map(([peer, seconds]) => {
    const other = work / median(seconds);
    return { peer, rate: other, text: `${peer} ${shown(other)} (${ratio(rate / other)})` };
  });
  const judged = against.filter(({ peer }) => targets[peer] !== undefined);
  return {
    name: `upload of ${name}`,
    measured: `${shown(rate)} ${unit}`,
    against: [...against.map(({ text }) => text), ...missing.map((reason) => `not there: ${reason}`)].join(', '),
    target: Object.entries(targets)
      .map(([peer, least]) => (least === 1 ? `ahead of ${peer}` : `at least ${least}x of ${peer}`))
      .join(', '),
    reached: judged.length === 0 ? null : judged.every((other) => rate >= other.rate * (targets[other.peer] ?? 1)),
  };
}

/** Uploads a file under each name by a number of clients, each with one upload at a time. @returns seconds */
async function storeAll(
  program: BenchProgram,
  bucketId: string,
  names: readonly string[],
  clients: number,
  body: Buffer,
): Promise<number> {
  const left = [...names];
  const all = Array.from({ length: clients }, () => program.clients(1));
  const began = performance.now();
  try {
    await Promise.all(
      all.map(async (client) => {
        for (let name = left.shift(); name !== undefined; name = left.shift())
          await storeFile(client, bucketId, name, body);
      }),
    );
    return (performance.now() - began) / 1000;
  } finally {
    await Promise.all(all.map((client) => client.close()));
  }
}
