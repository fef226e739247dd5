import { processingOf } from '../../../mixins/settings/processing.ts';
import { settingsChain } from '../../../mixins/settings/settings.ts';
import type { Bucket } from '../../../models/bucket.ts';
import { Refusal } from '../../../models/errors.ts';
import { unsetVideo } from '../../../models/settings.ts';
import type { LibraryView } from '../../../models/video.ts';
import { viewsOf } from '../buckets/read.ts';
import { findBucket, type Storage, type StorageContext } from '../tools.ts';
import { videosOf } from '../videos/tools.ts';

/** A library of the organization, in any state. @throws Refusal `library_not_found` */
export async function findLibrary(
  app: Pick<StorageContext, 'records'>,
  organizationId: string,
  libraryId: string,
): Promise<Bucket> {
  const bucket = await findBucket(app, organizationId, libraryId, 'library_not_found');
  if (bucket.kind !== 'video') throw new Refusal('library_not_found');
  return bucket;
}

/** Libraries of one organization, as the API shows them. */
export async function libraryViews(
  storage: Storage,
  organizationId: string,
  found: readonly Bucket[],
): Promise<LibraryView[]> {
  const { app } = storage;
  const [views, chain, counts] = await Promise.all([
    viewsOf(storage, found),
    settingsChain(app, organizationId),
    Promise.all(
      found.map(({ _id: libraryId }) =>
        videosOf(app, organizationId).count({ libraryId, listedAt: { $exists: true } }),
      ),
    ),
  ]);
  return found.flatMap((bucket, index) => {
    const view = views[index];
    if (view === undefined) return [];
    const own = bucket.processing ?? unsetVideo;
    const { origins, ...processing } = processingOf(own, chain);
    return {
      ...view,
      processing,
      processingOrigins: origins,
      usesOrganizationProcessing: Object.values(own).every((value) => value === null),
      videoCount: counts[index] ?? 0,
    };
  });
}

/** One library, as the API shows it. */
export async function libraryView(storage: Storage, library: Bucket): Promise<LibraryView> {
  const [view] = await libraryViews(storage, library.organizationId, [library]);
  if (view === undefined) throw new Error('a library has no view');
  return view;
}
