import { route } from '../../../mixins/http/api/route.ts';
import * as answers from '../../../models/schemas/answers/videos.ts';
import { required } from '../../../models/schemas/schema.ts';
import { uuid } from '../../../models/schemas/values.ts';
import { libraryChange, newLibrary } from '../../../models/schemas/videos.ts';
import { contentPath } from './paths.ts';

const path = `${contentPath}/libraries`;
const params = { libraryId: required(uuid) };
const common = { tag: 'Video libraries', rate: 'storage', idempotency: 'none', query: {} } as const;

/** Video libraries. */
export const videoLibraryRoutes = [
  route({
    ...common,
    method: 'POST',
    path,
    operation: 'createLibrary',
    summary: 'Creates a video library. It becomes active on its own.',
    action: 'storage.createLibrary',
    scope: 'admin',
    feature: 'video',
    idempotency: 'required',
    params: {},
    body: newLibrary,
    status: 202,
    answer: answers.libraryAnswer,
    errors: ['region_not_available', 'plan_limit_reached', 'bucket_name_taken'],
    input: ({ caller, body }, idempotencyId) => ({ caller, id: idempotencyId ?? '', library: body }),
  }),
  route({
    ...common,
    method: 'GET',
    path,
    operation: 'listLibraries',
    summary: 'Lists the video libraries, oldest first; deleted ones while they can be restored.',
    action: 'storage.listLibraries',
    scope: 'standard',
    params: {},
    body: null,
    status: 200,
    answer: answers.librariesAnswer,
    errors: [],
    input: ({ caller }) => ({ caller }),
  }),
  route({
    ...common,
    method: 'GET',
    path: `${path}/{libraryId}`,
    operation: 'readLibrary',
    summary: 'Reads a video library.',
    action: 'storage.readLibrary',
    scope: 'standard',
    params,
    body: null,
    status: 200,
    answer: answers.libraryAnswer,
    errors: ['library_not_found'],
    input: ({ caller, path: { libraryId } }) => ({ caller, libraryId }),
  }),
  route({
    ...common,
    method: 'PATCH',
    path: `${path}/{libraryId}`,
    operation: 'changeLibrary',
    summary: 'Changes settings of a video library. `processing` applies to videos that are encoded afterwards.',
    action: 'storage.changeLibrary',
    scope: 'admin',
    params,
    body: libraryChange,
    status: 200,
    answer: answers.libraryAnswer,
    errors: ['library_not_found', 'bucket_not_active'],
    input: ({ caller, path: { libraryId }, body }) => ({ caller, libraryId, change: body }),
  }),
  route({
    ...common,
    method: 'DELETE',
    path: `${path}/{libraryId}`,
    operation: 'removeLibrary',
    summary: 'Deletes a video library with its videos. It can be restored, as a bucket, for seven days.',
    action: 'storage.removeLibrary',
    scope: 'admin',
    params,
    body: null,
    status: 202,
    answer: answers.libraryAnswer,
    errors: ['library_not_found'],
    input: ({ caller, path: { libraryId } }) => ({ caller, libraryId }),
  }),
];
