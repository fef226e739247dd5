import { randomUUID } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { LibraryView, NewVideoView } from '../../models/video.ts';
import type { HttpClients } from '../http-clients.ts';

const base = '/api/content/v1';

/** Asks the API. */
export async function ask<T>(client: HttpClients, method: 'GET' | 'POST', path: string, body?: object): Promise<T> {
  // The API's answers have these types.
  return JSON.parse(
    await client.ask({
      method,
      path: `${base}${path}`,
      headers: { 'Idempotency-Key': randomUUID() },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }),
  ) as T;
}

/** Makes a library with a ladder, and returns its id once it is active. */
export async function createLibrary(admin: HttpClients, ladder: readonly number[]): Promise<string> {
  const { id } = await ask<LibraryView>(admin, 'POST', '/libraries', {
    name: `films-${randomUUID()}`,
    region: 'in-west',
    processing: { ladder },
  });
  while ((await ask<LibraryView>(admin, 'GET', `/libraries/${id}`)).state !== 'active') await pause(50);
  return id;
}

/** Uploads a film; it waits to be completed. Returns the ids of the video and of its upload. */
export async function uploadFilm(
  admin: HttpClients,
  libraryId: string,
  path: string,
): Promise<{ id: string; uploadId: string }> {
  const { size } = await stat(path);
  const { id, upload } = await ask<NewVideoView>(admin, 'POST', `/libraries/${libraryId}/videos`, {
    size,
    contentType: 'video/mp4',
  });
  const bytes = await readFile(path);
  for (const { number, size: length, url } of upload.parts) {
    const from = (number - 1) * upload.partSize;
    const { ok } = await fetch(url, { method: 'PUT', body: bytes.subarray(from, from + length) });
    if (!ok) throw new Error(`part ${number} was not taken`);
  }
  return { id, uploadId: upload.id };
}
