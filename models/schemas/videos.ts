import { videoTypeForm } from '../media-type.ts';
import { videoStatuses } from '../video.ts';
import { deliveryChange, maxObjectBytes } from './bucket-settings.ts';
import { bucketNameForm } from './buckets.ts';
import { anyText } from './internal.ts';
import { videoMetadata } from './metadata.ts';
import { sha256 } from './objects.ts';
import { nullable, object, optional, required, withDefault, type Infer, type Shape } from './schema.ts';
import { ladder } from './setting-values.ts';
import { boolean, decimal, integer, oneOf, text } from './values.ts';

/** Section `processing` of a library: fields that are left out stay, or follow the organization. */
const processingChange = object({
  ladder: optional(ladder),
  keepOriginal: optional(boolean),
  download: optional(boolean),
  thumbnails: optional(boolean),
});

/** Body of POST /libraries. */
export const newLibrary = object({
  name: required(text(3, 63, bucketNameForm)),
  region: required(text(1, 100)),
  strictResidency: withDefault(boolean, false),
  delivery: optional(deliveryChange),
  processing: optional(nullable(processingChange)),
  maxObjectBytes: optional(nullable(integer(1, maxObjectBytes))),
});

/** Body of PATCH /libraries/{libraryId}. `processing` null returns to the organization's settings. */
export const libraryChange = object({
  delivery: optional(deliveryChange),
  processing: optional(nullable(processingChange)),
  maxObjectBytes: optional(nullable(integer(1, maxObjectBytes))),
});

const title = text(1, 200);

/** Body of POST /libraries/{libraryId}/videos. */
export const newVideo = object({
  title: optional(title),
  size: required(integer(1, maxObjectBytes)),
  contentType: required(text(1, 255, videoTypeForm)),
  sha256: withDefault(nullable(sha256), null),
  fileName: withDefault(text(0, 200), ''),
  metadata: optional(videoMetadata),
});

/** Body of PATCH /videos/{videoId}. */
export const videoChange = object({ title: optional(title), metadata: optional(videoMetadata) });

/** Query of GET /libraries/{libraryId}/videos. */
export const videosQuery = {
  status: withDefault(oneOf(...videoStatuses), null),
  cursor: withDefault(text(1, 1000), null),
  limit: withDefault(integer(1, 200), 50),
};

/** A file of a video that an encoder has stored, as it becomes an object: between processes only. */
export const storedVideoFile = object({
  name: required(anyText),
  size: required(integer(0)),
  contentType: required(anyText),
  etag: required(anyText),
  content: required(object({ id: required(anyText), form: required(anyText) })),
  metadata: required(object({ seconds: optional(decimal({ min: 0 })), last: optional(boolean) })),
});

/** A file of a video that an encoder has stored. */
export type VideoFile = Infer<typeof storedVideoFile>;
/** The fields of a new library. */
export type NewLibrary = Infer<typeof newLibrary>;
/** A change of a library. */
export type LibraryChange = Infer<typeof libraryChange>;
/** The fields of a new video. */
export type NewVideo = Infer<typeof newVideo>;
/** A change of a video. */
export type VideoChange = Infer<typeof videoChange>;
/** Which videos to list. */
export type VideosQuery = Shape<typeof videosQuery>;
