import { answered, api } from '../../api/client.ts';
import { asFailure } from '../../api/failure.ts';
import { askingBeforeLeaving } from '../../api/leaving.ts';
import type { components } from '../../api/schema.d.ts';
import { sendFile, uploadBucket, type Chosen } from './send.ts';

/** A file on its way from this page into the search. */
export interface Upload {
  id: number;
  path: string;
  state: 'waiting' | 'sending' | 'done' | 'failed' | 'unknown';
  /** 0 to 1. */
  share: number;
  error: unknown;
  /** Name of the bucket that it goes into, once that is known. */
  bucketName: string | null;
  /** The file in the search, once it is registered. */
  assetId: string | null;
}

/** Files that are sent at once. */
const lanes = 2;

let uploads: readonly Upload[] = [];
let made = 0;
let running = 0;
const queue: { upload: Upload; chosen: Chosen; bucketId: string | null; onDone: () => void }[] = [];
const listeners = new Set<() => void>();
/** Buckets by what was chosen; the empty text stands for no choice. */
const buckets = new Map<string, Promise<components['schemas']['Bucket']>>();
let formats: Promise<components['schemas']['Capabilities']> | null = null;

function change(next: readonly Upload[]): void {
  uploads = next;
  for (const listener of listeners) listener();
}

function update(id: number, changes: Partial<Upload>): void {
  change(uploads.map((upload) => (upload.id === id ? { ...upload, ...changes } : upload)));
}

/** The uploads of this page, as a store that React can subscribe to. They go on while other pages are open. */
export const uploadStore = {
  current: (): readonly Upload[] => uploads,
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  /** Forgets what is over. */
  clear: (): void => change(uploads.filter(({ state }) => state === 'waiting' || state === 'sending')),
};

/**
 * Sends files and registers each when it has arrived.
 * @param bucketId bucket that they go into; null leaves it to `uploadBucket`
 * @param onDone after each registration
 */
export function addUploads(chosen: readonly Chosen[], bucketId: string | null, onDone: () => void): void {
  const added = chosen.map((one): Upload => ({
    id: (made += 1),
    path: one.path,
    state: 'waiting',
    share: 0,
    error: null,
    bucketName: null,
    assetId: null,
  }));
  added.forEach((upload, index) => {
    const one = chosen[index];
    if (one !== undefined) queue.push({ upload, chosen: one, bucketId, onDone });
  });
  change([...uploads, ...added]);
  for (let lane = running; lane < lanes; lane += 1) void askingBeforeLeaving(work);
}

async function work(): Promise<void> {
  running += 1;
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const { upload, chosen, bucketId, onDone } = next;
    try {
      update(upload.id, { state: 'sending' });
      const assetId = await sendAndRegister(chosen, bucketId, (changes) => update(upload.id, changes));
      update(upload.id, assetId === null ? { state: 'unknown' } : { state: 'done', share: 1, assetId });
      if (assetId !== null) onDone();
    } catch (error) {
      buckets.clear();
      update(upload.id, { state: 'failed', error: asFailure(error) });
    }
  }
  running -= 1;
}

/** @returns id of the file in the search; null if no format of the search has the file's extension */
async function sendAndRegister(
  chosen: Chosen,
  chosenBucket: string | null,
  onChange: (changes: Partial<Upload>) => void,
): Promise<string | null> {
  formats ??= answered(api.GET('/api/content/v1/capabilities'));
  const extension = (/\.([^./]+)$/.exec(chosen.path)?.[1] ?? '').toLowerCase();
  const format = (await formats).formats.find(({ extensions }) =>
    extensions.some((known) => known.replace(/^\./, '').toLowerCase() === extension),
  );
  if (format === undefined) return null;
  const bucket = buckets.get(chosenBucket ?? '') ?? uploadBucket(chosenBucket);
  buckets.set(chosenBucket ?? '', bucket);
  const { id: bucketId, name: bucketName, defaultHostname } = await bucket;
  onChange({ bucketName });
  const objectId = await sendFile(bucketId, chosen, (share) => onChange({ share }));
  const object = await answered(api.GET('/api/content/v1/objects/{objectId}', { params: { path: { objectId } } }));
  const { assetId } = await answered(
    api.POST('/api/content/v1/assets', {
      body: {
        externalId: `${bucketId}/${object.key}`.slice(0, 512),
        filename: chosen.file.name,
        kind: format.kind,
        language: 'multi',
        sourceUrl: `https://${defaultHostname}/${object.key.split('/').map(encodeURIComponent).join('/')}`,
        sourceVersion: object.etag,
      },
    }),
  );
  return assetId;
}
