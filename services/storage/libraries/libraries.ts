import type { Caller } from '../../../models/api.ts';
import type { Bucket } from '../../../models/bucket.ts';
import { canonicalJson } from '../../../models/json.ts';
import type { LibraryChange, NewLibrary } from '../../../models/schemas/videos.ts';
import { unsetVideo, type OwnOf, type VideoDefaults } from '../../../models/settings.ts';
import type { LibraryView } from '../../../models/video.ts';
import { removeBucket, writeBucket } from '../buckets/change.ts';
import { makeBucket } from '../buckets/create.ts';
import { listedBuckets } from '../buckets/read.ts';
import { changedBucket } from '../settings/change.ts';
import { defaultSettings } from '../settings/defaults.ts';
import { requireActive, type Storage } from '../tools.ts';
import { findLibrary, libraryView, libraryViews } from './view.ts';

/** What libraries take: it cannot be changed. */
const takenTypes = ['video/*'];

/**
 * Creates a library: a private bucket of kind `video`. It becomes active on its own.
 * @param id of the library, fixed by the Idempotency-Key
 * @throws Refusal `validation_error`, `region_not_available`, `plan_limit_reached`, `rate_limited`, `bucket_name_taken`
 */
export async function createLibrary(
  storage: Storage,
  caller: Caller,
  id: string,
  input: NewLibrary,
): Promise<LibraryView> {
  const { name, region, strictResidency } = input;
  const defaults = defaultSettings();
  const uploadRules = { ...defaults.uploadRules, allowedTypes: takenTypes };
  const before = {
    visibility: 'private' as const,
    settings: { ...defaults, uploadRules },
    linkScheme: 'ps2' as const,
    processing: unsetVideo,
  };
  const changed = changedLibrary(before, input, storage.app.runtime.now());
  const made = await makeBucket(storage, caller, id, {
    name,
    region,
    strictResidency,
    visibility: 'private',
    kind: 'video',
    settings: changed.settings,
    processing: changed.processing,
  });
  return libraryView(storage, made);
}

/** One library, in any state. @throws Refusal `library_not_found` */
export async function readLibrary(storage: Storage, caller: Caller, libraryId: string): Promise<LibraryView> {
  return libraryView(storage, await findLibrary(storage.app, caller.organizationId, libraryId));
}

/** The organization's libraries, oldest first; deleted ones until their window ends. */
export async function listLibraries(storage: Storage, { organizationId }: Caller): Promise<{ items: LibraryView[] }> {
  const found = await listedBuckets(storage.app, organizationId);
  const libraries = found.filter(({ kind }) => kind === 'video');
  return { items: await libraryViews(storage, organizationId, libraries) };
}

/**
 * Changes settings of an active library, suspended or not: delivery, upload limit, and what later videos are encoded
 * with. @throws Refusal `validation_error`, `library_not_found`, `bucket_not_active`
 */
export async function changeLibrary(
  storage: Storage,
  caller: Caller,
  libraryId: string,
  change: LibraryChange,
): Promise<LibraryView> {
  const { runtime } = storage.app;
  // What is wrong in itself is refused before the library is looked for.
  changedBucket({ visibility: 'private', settings: defaultSettings(), linkScheme: 'ps2' }, settingsOf(change), 0);
  await findLibrary(storage.app, caller.organizationId, libraryId);
  const written = await writeBucket(storage, caller, caller.organizationId, libraryId, (library) => {
    requireActive(library);
    const { settings, processing, fields, processed } = changedLibrary(library, change, runtime.now());
    if (fields.length + processed.length === 0) return null;
    return {
      action: 'bucket.updated',
      detail: { fields: [...fields, ...processed] },
      set: {
        settings,
        processing,
        ...(fields.length === 0 ? {} : { settingsVersion: library.settingsVersion + 1 }),
      },
    };
  });
  return libraryView(storage, written);
}

/**
 * Deletes a library with its videos: it is out of service at once, and can be restored for seven days. Repeating it
 * changes nothing. @throws Refusal `library_not_found`
 */
export async function removeLibrary(storage: Storage, caller: Caller, libraryId: string): Promise<LibraryView> {
  await findLibrary(storage.app, caller.organizationId, libraryId);
  await removeBucket(storage, caller, libraryId);
  return readLibrary(storage, caller, libraryId);
}

/** The change of a library as one of its bucket. */
function settingsOf({ delivery, maxObjectBytes }: LibraryChange): Parameters<typeof changedBucket>[1] {
  return {
    ...(delivery === undefined ? {} : { delivery }),
    ...(maxObjectBytes === undefined ? {} : { uploadRules: { maxObjectBytes } }),
  };
}

/** What of a library a change writes; `processed` names the changed fields of `processing`. */
interface ChangedLibrary {
  settings: Bucket['settings'];
  processing: OwnOf<VideoDefaults>;
  fields: string[];
  processed: string[];
}

/** @throws Refusal `validation_error` */
function changedLibrary(
  before: Pick<Bucket, 'visibility' | 'settings' | 'linkScheme' | 'processing'>,
  change: LibraryChange,
  now: number,
): ChangedLibrary {
  const { settings, fields } = changedBucket(before, settingsOf(change), now);
  const own = before.processing ?? unsetVideo;
  const processing = change.processing === null ? unsetVideo : { ...own, ...change.processing };
  const earlier = new Map(Object.entries<unknown>(own));
  const processed = Object.entries(processing)
    .filter(([name, value]) => canonicalJson(value) !== canonicalJson(earlier.get(name) ?? null))
    .map(([name]) => `processing.${name}`);
  return { settings, processing, fields, processed };
}
