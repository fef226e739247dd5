import { scopeOf } from '../../models/scope.ts';
import type { StoredObject } from '../../models/storage-object.ts';
import { videos } from '../../models/video.ts';
import type { AppContext } from '../app-context.ts';

/** What belongs to a file, as far as it decides whether the file is read. */
type File = Pick<StoredObject, 'state' | 'videoId'>;
type Context = Pick<AppContext, 'records'>;

/**
 * The videos of some files that are deleted or taken down. Their files stay as they are, and are neither delivered nor
 * read.
 */
export async function hiddenVideos(
  { records }: Context,
  organizationId: string,
  files: readonly File[],
): Promise<ReadonlySet<string>> {
  const ids = [...new Set(files.flatMap(({ videoId }) => videoId ?? []))];
  if (ids.length === 0) return new Set();
  const shown = await records.collection(videos, scopeOf(organizationId)).pick(
    {
      filter: { _id: { $in: ids }, listedAt: { $exists: true }, disabledAt: null },
      limit: ids.length,
    },
    ['_id'],
  );
  const known = new Set(shown.map(([id]) => id));
  return new Set(ids.filter((id) => !known.has(id)));
}

/** Whether a file is delivered and read: neither it nor the video that it belongs to is taken down or deleted. */
export async function isReadable(app: Context, file: File & Pick<StoredObject, 'organizationId'>): Promise<boolean> {
  if (file.state !== 'stored') return false;
  return file.videoId === undefined || (await hiddenVideos(app, file.organizationId, [file])).size === 0;
}
