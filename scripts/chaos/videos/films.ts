import { readFile, rm, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { runProgram } from '../../setup/system.ts';
import type { ApiClient } from '../client.ts';

const content = '/api/content/v1';
/** How long a video may take to its end, in milliseconds. */
const maxWaitMs = 900_000;

/** What is uploaded in each round. */
export interface Source {
  name: string;
  bytes: Buffer<ArrayBuffer>;
  /** Seconds that are metered; null where it cannot be encoded. */
  seconds: number | null;
}

/** A video with its files. */
export interface EndedVideo {
  id: string;
  name: string;
  status: string;
  errorCode: string | null;
  /** Name below the video's folder and ETag of each file. */
  files: string[];
}

/** A film and a clip, both with sound, and a file that is no video. @throws Error without ffmpeg */
export async function makeSources(seconds: number): Promise<Source[]> {
  const folder = await mkdtemp(join(tmpdir(), 'ply-chaos-films-'));
  const made = async (name: string, length: number): Promise<Source> => {
    const path = join(folder, `${name}.mp4`);
    const outcome = await runProgram('ffmpeg', [
      ...['-v', 'error', '-f', 'lavfi', '-i', `testsrc2=s=480x360:r=12:d=${length}`],
      ...['-f', 'lavfi', '-i', `sine=d=${length}`, '-c:a', 'aac'],
      ...['-c:v', 'libx264', '-preset', 'ultrafast', '-crf', '35', '-pix_fmt', 'yuv420p', path],
    ]);
    if (!outcome.ok) throw new Error(`ffmpeg: ${outcome.reason}`);
    return { name, bytes: Buffer.from(await readFile(path)), seconds: length };
  };
  try {
    return [
      await made('film', seconds),
      await made('clip', 8),
      { name: 'text', bytes: Buffer.from('no video'), seconds: null },
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Creates a library of two renditions. */
export async function createLibrary(client: ApiClient): Promise<string> {
  const { body } = await client.askUntilAnswered(
    'POST',
    `${content}/libraries`,
    { name: 'chaos-films', region: 'in-west', processing: { ladder: [240, 360], download: true } },
    { 'Idempotency-Key': 'chaos-films' },
  );
  const path = `${content}/libraries/${String(body['id'])}`;
  while ((await client.askUntilAnswered('GET', path)).body['state'] !== 'active') await pause(100);
  return String(body['id']);
}

/** Uploads a source, and returns the id of its video. Repeats what was not answered. */
export async function upload(
  client: ApiClient,
  libraryId: string,
  { name, bytes }: Source,
  key: string,
): Promise<string> {
  const { status, body } = await client.askUntilAnswered(
    'POST',
    `${content}/libraries/${libraryId}/videos`,
    { size: bytes.length, contentType: 'video/mp4', title: name },
    { 'Idempotency-Key': `${key}-${name}` },
  );
  if (status !== 201) throw new Error(`no video: ${JSON.stringify(body)}`);
  const { id, partSize, parts } = body['upload'] as {
    id: string;
    partSize: number;
    parts: { number: number; size: number; url: string }[];
  };
  for (const { number, size, url } of parts) {
    const from = (number - 1) * partSize;
    const { ok } = await fetch(url, { method: 'PUT', body: bytes.subarray(from, from + size) });
    if (!ok) throw new Error(`part ${number} was not taken`);
  }
  await client.askUntilAnswered('POST', `${content}/uploads/${id}/complete`);
  return String(body['id']);
}

/** Whether a video has come to its end. */
export async function hasEnded(client: ApiClient, id: string): Promise<boolean> {
  const { body } = await client.askUntilAnswered('GET', `${content}/videos/${id}`);
  return body['status'] === 'ready' || body['status'] === 'failed';
}

/** Waits until a video has come to its end, and reads it with its files. */
export async function ended(client: ApiClient, libraryId: string, id: string): Promise<EndedVideo> {
  const deadline = Date.now() + maxWaitMs;
  while (!(await hasEnded(client, id))) {
    if (Date.now() > deadline) throw new Error(`the video ${id} does not end`);
    await pause(300);
  }
  const { body } = await client.askUntilAnswered('GET', `${content}/videos/${id}`);
  const files: string[] = [];
  const folder = `videos/${id}/`;
  for (let cursor = ''; ;) {
    const path = `${content}/buckets/${libraryId}/objects?limit=1000&prefix=${folder}${cursor}`;
    const page = (await client.askUntilAnswered('GET', path)).body;
    const { items, nextCursor } = page as { items: { key: string; etag: string }[]; nextCursor: string | null };
    files.push(...items.map(({ key, etag }) => `${key.slice(folder.length)} ${etag}`));
    if (nextCursor === null) break;
    cursor = `&cursor=${encodeURIComponent(nextCursor)}`;
  }
  const { title, status, errorCode } = body as { title: string; status: string; errorCode: string | null };
  return { id, name: title, status, errorCode, files };
}
