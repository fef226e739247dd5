import { answered, api } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { resumeNoted, sendParts } from '../files/send.ts';

/** Types of films whose browser names none. */
const types: { readonly [extension: string]: string } = {
  mp4: 'video/mp4',
  m4v: 'video/mp4',
  mov: 'video/quicktime',
  webm: 'video/webm',
  mkv: 'video/x-matroska',
  avi: 'video/x-msvideo',
};

function typeOf({ name, type }: File): string {
  if (type.startsWith('video/')) return type.toLowerCase();
  const extension = (/\.([^.]+)$/.exec(name)?.[1] ?? '').toLowerCase();
  return types[extension] ?? (type === '' ? 'application/octet-stream' : type);
}

/**
 * Creates a video in a library and sends its film. A film whose sending was broken off, for example by closing the tab,
 * goes on where it was when the same file is chosen again. @throws ApiFailure also for files that are no film
 */
export async function sendFilm(libraryId: string, file: File, onProgress: (share: number) => void): Promise<void> {
  const note = `ply.film ${libraryId} ${file.name} ${file.size} ${file.lastModified}`;
  const resumed = await resumeNoted(note);
  const upload = resumed?.upload ?? (await createVideo(libraryId, file));
  localStorage.setItem(note, upload.id);
  await sendParts(upload, file, resumed?.received ?? new Set(), onProgress);
  await answered(
    api.POST('/api/content/v1/uploads/{uploadId}/complete', { params: { path: { uploadId: upload.id } } }),
  );
  localStorage.removeItem(note);
}

async function createVideo(libraryId: string, file: File): Promise<components['schemas']['FreshUpload']> {
  const { upload } = await answered(
    api.POST('/api/content/v1/libraries/{libraryId}/videos', {
      params: { path: { libraryId }, header: { 'Idempotency-Key': crypto.randomUUID() } },
      body: { size: file.size, contentType: typeOf(file), fileName: file.name.slice(-200), sha256: null },
    }),
  );
  return upload;
}
