import { route } from '../../../mixins/http/api/route.ts';
import * as answers from '../../../models/schemas/answers/videos.ts';
import { required } from '../../../models/schemas/schema.ts';
import { uuid } from '../../../models/schemas/values.ts';
import { newVideo, videoChange, videosQuery } from '../../../models/schemas/videos.ts';
import { contentPath } from './paths.ts';

const listPath = `${contentPath}/libraries/{libraryId}/videos`;
const path = `${contentPath}/videos/{videoId}`;
const ofLibrary = { libraryId: required(uuid) };
const ofVideo = { videoId: required(uuid) };
const common = { tag: 'Videos', rate: 'storage', scope: 'standard', idempotency: 'none', query: {} } as const;

/** Videos of libraries. */
export const videoRoutes = [
  route({
    ...common,
    method: 'POST',
    path: listPath,
    operation: 'createVideo',
    summary: 'Creates a video with the upload of its source. It is encoded once the upload is completed.',
    action: 'storage.createVideo',
    feature: 'video',
    idempotency: 'required',
    params: ofLibrary,
    body: newVideo,
    status: 201,
    answer: answers.newVideoAnswer,
    errors: ['library_not_found', 'bucket_not_active', 'bucket_suspended', 'plan_limit_reached'],
    input: ({ caller, path: { libraryId }, body }, idempotencyId) => ({
      caller,
      libraryId,
      id: idempotencyId ?? '',
      video: body,
    }),
  }),
  route({
    ...common,
    method: 'GET',
    path: listPath,
    operation: 'listVideos',
    summary: 'Lists the videos of a library, newest first.',
    action: 'storage.listVideos',
    params: ofLibrary,
    query: videosQuery,
    body: null,
    status: 200,
    answer: answers.videosAnswer,
    errors: ['library_not_found'],
    input: ({ caller, path: { libraryId }, query }) => ({ caller, libraryId, ...query }),
  }),
  route({
    ...common,
    method: 'GET',
    path,
    operation: 'readVideo',
    summary: 'Reads a video.',
    action: 'storage.readVideo',
    params: ofVideo,
    body: null,
    status: 200,
    answer: answers.videoAnswer,
    errors: ['video_not_found'],
    input: ({ caller, path: { videoId } }) => ({ caller, videoId }),
  }),
  route({
    ...common,
    method: 'PATCH',
    path,
    operation: 'changeVideo',
    summary: 'Changes title or metadata of a video; metadata is replaced as a whole.',
    action: 'storage.changeVideo',
    params: ofVideo,
    body: videoChange,
    status: 200,
    answer: answers.videoAnswer,
    errors: ['video_not_found'],
    input: ({ caller, path: { videoId }, body }) => ({ caller, videoId, change: body }),
  }),
  route({
    ...common,
    method: 'POST',
    path: `${path}/reencode`,
    operation: 'reencodeVideo',
    summary: 'Encodes a ready video again. It plays as it is until its first new quality is made.',
    action: 'storage.reencodeVideo',
    scope: 'admin',
    feature: 'video',
    params: ofVideo,
    body: null,
    status: 202,
    answer: answers.videoAnswer,
    errors: ['video_not_found', 'bucket_not_active', 'video_not_ready', 'original_not_kept'],
    input: ({ caller, path: { videoId } }) => ({ caller, videoId }),
  }),
  route({
    ...common,
    method: 'DELETE',
    path,
    operation: 'removeVideo',
    summary: 'Deletes a video with all its files, the source included.',
    action: 'storage.removeVideo',
    params: ofVideo,
    body: null,
    status: 202,
    answer: answers.removedVideoAnswer,
    errors: ['video_not_found'],
    input: ({ caller, path: { videoId } }) => ({ caller, videoId }),
  }),
];
