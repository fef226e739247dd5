import { anyText, caller } from '../../models/schemas/internal.ts';
import { list, optional, required } from '../../models/schemas/schema.ts';
import { integer, oneOf, uuid } from '../../models/schemas/values.ts';
import {
  libraryChange,
  newLibrary,
  newVideo,
  storedVideoFile,
  videoChange,
  videosQuery,
} from '../../models/schemas/videos.ts';
import { videoFiles, type LibraryView, type NewVideoView, type VideoView } from '../../models/video.ts';
import { action, type } from './action.ts';

const ofLibrary = { caller: required(caller), libraryId: required(uuid) };
const ofVideo = { caller: required(caller), videoId: required(uuid) };

/** Of a video that an encoder works on: no route leads to these actions. */
const internalVideo = { organizationId: required(anyText), videoId: required(uuid) };

/** Files that every encoding writes at the same place, or does not make. */
const besideEncodings = oneOf(videoFiles.poster, videoFiles.thumbnails, videoFiles.download);

/** Actions of the storage actor for libraries and their videos. */
export const videoActions = {
  createLibrary: action({
    params: { caller: required(caller), id: required(anyText), library: required(newLibrary) },
    result: type<LibraryView>(),
    repeatable: true,
  }),
  listLibraries: action({
    params: { caller: required(caller) },
    result: type<{ items: LibraryView[] }>(),
    repeatable: true,
  }),
  readLibrary: action({ params: ofLibrary, result: type<LibraryView>(), repeatable: true }),
  changeLibrary: action({
    params: { ...ofLibrary, change: required(libraryChange) },
    result: type<LibraryView>(),
    repeatable: true,
  }),
  removeLibrary: action({ params: ofLibrary, result: type<LibraryView>(), repeatable: true }),
  createVideo: action({
    params: { ...ofLibrary, id: required(anyText), video: required(newVideo) },
    result: type<NewVideoView>(),
    repeatable: true,
  }),
  listVideos: action({
    params: { ...ofLibrary, ...videosQuery },
    result: type<{ items: VideoView[]; nextCursor: string | null }>(),
    repeatable: true,
  }),
  readVideo: action({ params: ofVideo, result: type<VideoView>(), repeatable: true }),
  changeVideo: action({
    params: { ...ofVideo, change: required(videoChange) },
    result: type<VideoView>(),
    repeatable: true,
  }),
  reencodeVideo: action({ params: ofVideo, result: type<VideoView>(), repeatable: false }),
  writeVideoFiles: action({
    params: { ...internalVideo, token: required(integer(1)), files: required(list(storedVideoFile, 100_000)) },
    result: type<null>(),
    repeatable: true,
  }),
  removeVideoSource: action({ params: internalVideo, result: type<null>(), repeatable: true }),
  removeFormerEncodings: action({
    params: {
      ...internalVideo,
      token: required(integer(1)),
      generation: required(integer(1)),
      unmade: optional(list(besideEncodings, 3)),
    },
    result: type<{ more: boolean }>(),
    repeatable: true,
  }),
  // Run twice, the second would find nothing.
  removeVideo: action({ params: ofVideo, result: type<{ id: string; status: 'deleted' }>(), repeatable: false }),
};
