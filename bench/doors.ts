import { createHash, randomBytes } from 'node:crypto';
import { writeBare } from './doors/bare.ts';
import { send, type S3Request, type S3Side } from './doors/signed-client.ts';
import { startMinio, startOwn, startVersity, type RunningSide } from './doors/sides.ts';
import type { Figure, Part } from './figures.ts';
import { median, ratio } from './statistics.ts';

const KiB = 1024;
const MiB = 1024 * KiB;
const bucket = 'bench-doors';
const turns = 3;
const listed = 1000;

/** A row of writes and reads of objects of one size. */
interface Row {
  name: string;
  bytes: number;
  clients: number;
  /** Objects in a turn: short form, long form. */
  count: [short: number, long: number];
}

const rows: readonly Row[] = [
  { name: '4 KiB, 1 client', bytes: 4 * KiB, clients: 1, count: [100, 400] },
  { name: '4 KiB, 8 clients', bytes: 4 * KiB, clients: 8, count: [400, 2000] },
  { name: '1 MiB, 8 clients', bytes: MiB, clients: 8, count: [64, 256] },
  { name: '64 MiB, 2 clients', bytes: 64 * MiB, clients: 2, count: [4, 8] },
];

type Turn = (side: S3Side, turn: number) => Promise<number>;

/**
 * The S3 door beside other servers of the protocol, in turns, with links that are signed in advance. Ply has an object on
 * disk (its bytes, their folder and its record flushed) before it answers; versitygw and MinIO flush nothing unless they
 * are told to. The bare program writes and flushes the same bytes, without any server.
 */
export const part: Part = async ({ full }) => {
  const sides: RunningSide[] = [await startOwn()];
  const missing: string[] = [];
  for (const start of [startVersity, startMinio]) {
    const started = await start();
    if (typeof started === 'string') missing.push(started);
    else sides.push(started);
  }
  try {
    for (const side of sides) await send(side, 1, [{ method: 'PUT', path: `/${bucket}` }]);
    const figures: Figure[] = [];
    const row = async (name: string, work: number, unit: string, turn: Turn, bare?: () => Promise<number>) =>
      void figures.push(await compare(sides, { name, work, unit }, turn, bare));
    for (const { name, bytes, clients, count: counts } of rows) {
      const count = counts[full ? 1 : 0];
      const body = randomBytes(bytes);
      const isLarge = bytes >= MiB;
      const [work, unit] = isLarge ? [(count * bytes) / MiB, 'MiB/s'] : [count, 'objects/s'];
      const all = (method: 'GET' | 'PUT', turn: number): S3Request[] =>
        Array.from({ length: count }, (_, at) => ({
          method,
          path: `/${bucket}/${bytes}-${clients}/${turn}/${at}`,
          ...(method === 'PUT' ? { body } : {}),
        }));
      await row(
        `PUT ${name}`,
        work,
        unit,
        (side, turn) => send(side, clients, all('PUT', turn)),
        () => writeBare(count, clients, body),
      );
      await row(`GET ${name}`, work, unit, (side) => send(side, clients, all('GET', 1)));
    }
    const many = full ? 100_000 : 5000;
    const names = Array.from({ length: many }, (_, at) => `list/${nameOf(at)}`);
    for (const side of sides) await side.fill(bucket, names);
    const list: S3Request = {
      method: 'GET',
      path: `/${bucket}`,
      query: {
        'list-type': '2',
        prefix: 'list/',
        'max-keys': String(listed),
        'start-after': `list/${nameOf(many / 2)}`,
      },
    };
    await row(`LIST ${listed} of ${many.toLocaleString('en')}`, 10, 'lists/s', (side) =>
      send(side, 1, Array<S3Request>(10).fill(list)),
    );
    await row(`DELETE of ${listed}`, listed, 'objects/s', async (side, turn) => {
      const objects = small(`gone/${turn}`, listed);
      await send(side, 8, objects);
      return send(side, 1, [deletion(objects)]);
    });
    return figures.map((figure) =>
      missing.length === 0 ? figure : { ...figure, against: `${figure.against} (not there: ${missing.join('; ')})` },
    );
  } finally {
    for (const side of sides) await side.stop();
  }
};

/** Names of one length, so that their order is that of their numbers. */
function nameOf(at: number): string {
  return String(at).padStart(6, '0');
}

/** Writes of small objects under a folder. */
function small(folder: string, count: number): S3Request[] {
  const body = Buffer.from('an object');
  return Array.from({ length: count }, (_, at) => ({
    method: 'PUT',
    path: `/${bucket}/${folder}/${nameOf(at)}`,
    body,
  }));
}

/** The deletion of what was written, in one request. */
function deletion(written: readonly S3Request[]): S3Request {
  const keys = written.map(({ path }) => `<Object><Key>${path.slice(bucket.length + 2)}</Key></Object>`);
  const body = Buffer.from(`<Delete><Quiet>true</Quiet>${keys.join('')}</Delete>`);
  return {
    method: 'POST',
    path: `/${bucket}`,
    query: { delete: '' },
    body,
    headers: { 'content-md5': createHash('md5').update(body).digest('base64') },
  };
}

async function compare(
  sides: readonly S3Side[],
  { name, work, unit }: { name: string; work: number; unit: string },
  turn: Turn,
  bare?: () => Promise<number>,
): Promise<Figure> {
  const seconds = new Map<string, number[]>(sides.map((side) => [side.name, []]));
  const ofBare: number[] = [];
  // The first turn is for compilation and caches.
  for (let at = 0; at <= turns; at += 1) {
    for (const side of sides) {
      const took = await turn(side, at);
      if (at > 0) seconds.get(side.name)?.push(took);
    }
    if (bare !== undefined) ofBare.push(await bare());
  }
  const rates = sides.map((side) => ({ name: side.name, rate: work / median(seconds.get(side.name) ?? []) }));
  const own = rates[0]?.rate ?? 0;
  const peers = rates.slice(1);
  const shown = (rate: number): string => rate.toFixed(rate < 100 ? 1 : 0);
  const references = peers.map((peer) => `${peer.name} ${shown(peer.rate)} (${ratio(own / peer.rate)})`);
  if (bare !== undefined) {
    const rate = work / median(ofBare);
    references.push(`bare ${shown(rate)} (${ratio(own / rate)})`);
  }
  return {
    name,
    measured: `${shown(own)} ${unit}`,
    against: references.join(', '),
    target: 'ahead of both servers',
    reached: peers.length === 0 ? null : peers.every(({ rate }) => own >= rate),
  };
}
