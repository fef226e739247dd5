import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { Webhook } from 'standardwebhooks';
import type { ProgramProcess } from '../../scripts/cluster/program-process.ts';
import { startCluster } from '../../scripts/cluster/cluster.ts';
import { cpuSeconds, treeCpuSeconds } from '../../bench/process-figures.ts';
import type { LinkView } from '../../models/bucket.ts';
import { storedObjects, type ObjectView } from '../../models/storage-object.ts';
import type { VideoView } from '../../models/video.ts';
import type { WebhookView } from '../../models/webhook.ts';
import { clip } from '../api/support/clips.ts';
import { Client, content, until } from '../api/support/client.ts';
import { createLibrary, createVideo, sendPart } from '../api/support/storage.ts';
import { freePort } from '../servers/ports.ts';
import { get } from '../support/edge.ts';
import { skipWithReason } from '../support/servers.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';

/** Length of the film in seconds: thirty runs of the higher renditions, of which a kill costs one at most. */
const length = 600;
/** Kills, and the longest pause before each, in milliseconds. */
const kills = 3;
const longestPauseMs = 4000;
/** Files that an encoder stores before it has them named. */
const filesPerCall = 50;

const deliveryPort = await freePort();
const started = await startCluster({
  environment: {
    ...{ PLY_EMBEDDING_THREADS: '0', PLY_LOG_LEVEL: 'error', PLY_LEASE_SECONDS: '3', PLY_ENCODER_THREADS: '1' },
    ...{ PLY_OBJECTS_GRACE_SECONDS: '1' },
  },
  layout: [
    { name: 'gateway', roles: 'gateway,accounts,registrar,ledger,searcher,scheduler,storage,webhooks' },
    { name: 'delivery', roles: 'delivery', environment: { PLY_DELIVERY_PORT: String(deliveryPort) } },
    { name: 'encoder-1', roles: 'encoder' },
    { name: 'encoder-2', roles: 'encoder' },
  ],
});

if ('unavailable' in started) skipWithReason('encoding over a cluster', started.unavailable);
else {
  const cluster = started;
  const receiver = new WebhookReceiver(null);
  beforeAll(() => receiver.start());
  afterAll(async () => {
    await cluster.stop();
    await receiver.stop();
  }, 60_000);
  const admin = new Client(cluster.apiUrl, cluster.organizationId, cluster.adminKey);
  const client = new Client(cluster.apiUrl, cluster.organizationId, cluster.adminKey);
  const encoders = cluster.processesOf('encoder');

  /** Processor time of what an encoder has started, in seconds. */
  const encodingSeconds = ({ pid }: ProgramProcess): number =>
    pid === undefined ? 0 : treeCpuSeconds(pid) - cpuSeconds(pid);

  async function put(libraryId: string, bytes: Buffer<ArrayBuffer>): Promise<string> {
    const { id, upload } = await createVideo(client, libraryId, { size: bytes.length });
    for (const { number, url } of upload.parts)
      await sendPart(url, bytes.subarray((number - 1) * upload.partSize, number * upload.partSize));
    await client.get(200, 'POST', `${content}/uploads/${upload.id}/complete`);
    return id;
  }

  const reaches = (id: string, ...statuses: string[]): Promise<VideoView> =>
    until(
      () => client.get<VideoView>(200, 'GET', `${content}/videos/${id}`),
      ({ status }) => statuses.includes(status),
      300_000,
    );

  async function filesOf(libraryId: string, id: string): Promise<[string, string][]> {
    const path = `${content}/buckets/${libraryId}/objects?limit=1000&prefix=videos/${id}/`;
    const { items } = await client.get<{ items: ObjectView[] }>(200, 'GET', path);
    return items.map(({ key, etag }) => [key.replace(`videos/${id}/`, ''), etag]);
  }

  /** Contents of objects that the store holds: files of `<content>.<part>`. */
  async function storedContents(): Promise<Set<string>> {
    const names = await readdir(join(cluster.folder, 'objects'), { recursive: true });
    return new Set(names.flatMap((name) => /([^/.]+)\.[^/]+$/.exec(name)?.[1] ?? []));
  }

  /** Contents that objects of a library name in the records. */
  async function namedContents(bucketId: string): Promise<string[]> {
    const mongo = await MongoClient.connect(cluster.servers.mongo.url);
    try {
      const objects = mongo.db(cluster.database).collection(storedObjects.name);
      return await objects.distinct('contentId', { bucketId });
    } finally {
      await mongo.close();
    }
  }

  /** Reads a video as a player does by its native link: all playlists, and all that they name. Returns the segments. */
  async function played(libraryId: string, videoId: string): Promise<number> {
    const body = { bucketId: libraryId, videoId };
    const { nativeUrl } = await client.get<LinkView>(200, 'POST', `${content}/sign`, { body });
    const { host, pathname } = new URL(nativeUrl ?? '');
    const read = async (path: string): Promise<string> => {
      const answer = await get(deliveryPort, host, path);
      expect([path, answer.status]).toEqual([path, 200]);
      return answer.body.toString();
    };
    const base = pathname.slice(0, pathname.lastIndexOf('/') + 1);
    const lists = [...(await read(pathname)).matchAll(/[^"\s]+\.m3u8/g)].map(([list]) => list);
    expect(lists).toHaveLength(3);
    let segments = 0;
    for (const list of lists) {
      const folder = `${base}${list.slice(0, list.lastIndexOf('/') + 1)}`;
      await read(`${folder}init.mp4`);
      for (const [name] of (await read(`${base}${list}`)).matchAll(/^seg-.*$/gm)) {
        await read(`${folder}${name}`);
        segments += 1;
      }
    }
    return segments;
  }

  it('two encoders share a film; killed at random moments, they make the same and repeat little', async () => {
    const webhook = await admin.get<WebhookView>(201, 'POST', `${content}/webhooks`, {
      body: { url: receiver.url('/videos'), events: ['video.playable', 'video.ready', 'video.failed'] },
      headers: { 'Idempotency-Key': randomUUID() },
    });
    const told = new Set<string>();
    receiver.answerWith(({ body, headers }) => {
      // Verified at once: a signature is too old after five minutes.
      const { type, data } = new Webhook(webhook.secret ?? '').verify(body, headers) as {
        type: string;
        data: { videoId: string; sequence: number };
      };
      told.add([data.videoId, data.sequence, type].join(' '));
      return { status: 204 };
    });
    const { id: libraryId } = await createLibrary(client, { processing: { ladder: [240, 360] } });
    const bytes = await clip({ seconds: length, size: '480x360', rate: 10 }, ['-crf', '40']);
    const before = encoders.map(encodingSeconds);
    const first = await put(libraryId, bytes);
    expect(await reaches(first, 'ready', 'failed')).toMatchObject({ status: 'ready', errorCode: null });
    const spent = encoders.map((encoder, at) => encodingSeconds(encoder) - (before[at] ?? 0));
    const undisturbed = spent.reduce((sum, seconds) => sum + seconds, 0);
    // Neither has made it alone.
    expect(Math.min(...spent) / undisturbed).toBeGreaterThan(0.15);

    let seconds = -encoders.reduce((sum, encoder) => sum + encodingSeconds(encoder), 0);
    const second = await put(libraryId, bytes);
    await reaches(second, 'encoding', 'playable');
    for (let kill = 0; kill < kills; kill += 1) {
      await pause(Math.random() * longestPauseMs);
      const victim = encoders[kill % encoders.length];
      if (victim === undefined) throw new Error('there is no encoder');
      seconds += encodingSeconds(victim);
      await victim.kill();
      victim.start();
      await victim.ready();
    }
    const killed = await reaches(second, 'ready', 'failed');
    expect(killed).toMatchObject({ status: 'ready', errorCode: null });
    seconds += encoders.reduce((sum, encoder) => sum + encodingSeconds(encoder), 0);
    expect(await filesOf(libraryId, second)).toEqual(await filesOf(libraryId, first));
    expect(seconds / undisturbed).toBeLessThan(1.3);

    const segments = (await filesOf(libraryId, second)).filter(([name]) => name.includes('/seg-')).length;
    expect(segments).toBeGreaterThanOrEqual(3 * (length / 6));
    expect(await played(libraryId, second)).toBe(segments);
    await until(
      () => Promise.resolve(told.size),
      (count) => count === 4,
    );
    expect(told).toEqual(new Set([first, second].flatMap((id) => [`${id} 1 video.playable`, `${id} 2 video.ready`])));

    // Every byte of both is removed. What a killed encoder had stored and not named yet is found later, by its age.
    const named = await namedContents(libraryId);
    expect(named.length).toBeGreaterThan(2 * segments);
    for (const id of [first, second]) await client.get(202, 'DELETE', `${content}/videos/${id}`);
    await until(storedContents, (stored) => !named.some((each) => stored.has(each)), 120_000);
    expect(await namedContents(libraryId)).toEqual([]);
    expect((await storedContents()).size).toBeLessThanOrEqual(kills * filesPerCall);
  }, 900_000);
}
