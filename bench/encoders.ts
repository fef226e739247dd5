import { execFile } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { VideoView } from '../models/video.ts';
import { startCluster } from '../scripts/cluster/cluster.ts';
import type { Part } from './figures.ts';
import { HttpClients } from './http-clients.ts';
import { apiHeaders } from './program.ts';
import { ratio } from './statistics.ts';
import { ask, createLibrary, uploadFilm } from './video/films.ts';

const run = promisify(execFile);
const ladder = [240, 480, 720];
const minutes = 10;
const atLeast = 1.8;

/**
 * A film of ten minutes over a cluster: how long one encoder of one thread takes until it is ready, and how long two take
 * that share it.
 */
export const part: Part = async () => {
  const cluster = await startCluster({
    environment: {
      ...{ PLY_LOG_LEVEL: 'error', PLY_EMBEDDING_THREADS: '0', PLY_ENCODER_THREADS: '1' },
    },
    layout: [
      { name: 'gateway', roles: 'gateway,accounts,registrar,ledger,searcher,scheduler,storage' },
      { name: 'encoder-1', roles: 'encoder' },
      { name: 'encoder-2', roles: 'encoder' },
    ],
  });
  if ('unavailable' in cluster) return { skipped: cluster.unavailable };
  const folder = mkdtempSync(join(tmpdir(), 'ply-bench-'));
  const admin = new HttpClients(cluster.apiUrl, apiHeaders(cluster.organizationId, cluster.adminKey), 1);
  try {
    const path = join(folder, 'film.mp4');
    await makeFilm(path);
    const libraryId = await createLibrary(admin, ladder);
    const two = await encode(admin, libraryId, path);
    for (const encoder of cluster.processesOf('encoder').slice(1)) await encoder.kill();
    const one = await encode(admin, libraryId, path);
    return [
      {
        name: `a film of ${minutes} min in ${ladder.join(', ')} lines, until ready: two encoders of one thread`,
        measured: `${two.toFixed(1)} s`,
        against: `one: ${one.toFixed(1)} s, ${ratio(one / two)}; ${cpus().length} cores for all processes and servers`,
        target: `at least ${atLeast}x where two cores are free`,
        reached: one >= atLeast * two,
      },
    ];
  } finally {
    await admin.close();
    await cluster.stop();
    await rm(folder, { recursive: true, force: true });
  }
};

async function makeFilm(path: string): Promise<void> {
  const seconds = 60 * minutes;
  await run('ffmpeg', [
    ...['-v', 'error', '-f', 'lavfi', '-i', `testsrc2=s=1280x720:r=24:d=${seconds}`],
    ...['-f', 'lavfi', '-i', `sine=f=440:d=${seconds}`, '-c:v', 'libx264', '-preset', 'ultrafast', '-crf', '30'],
    ...['-pix_fmt', 'yuv420p', '-c:a', 'aac', path],
  ]);
}

/** Seconds from the completed upload until the video is ready. */
async function encode(admin: HttpClients, libraryId: string, path: string): Promise<number> {
  const { id, uploadId } = await uploadFilm(admin, libraryId, path);
  const begun = Date.now();
  await ask(admin, 'POST', `/uploads/${uploadId}/complete`);
  for (;;) {
    const { status, errorCode, readyAt } = await ask<VideoView>(admin, 'GET', `/videos/${id}`);
    if (status === 'failed') throw new Error(`the video failed: ${errorCode}`);
    if (status === 'ready' && readyAt !== null) return (Date.parse(readyAt) - begun) / 1000;
    await pause(200);
  }
}
