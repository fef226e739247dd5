import { route } from '../../../mixins/http/api/route.ts';
import { nothing } from '../../../models/schemas/answers/answer.ts';
import * as answers from '../../../models/schemas/answers/objects.ts';
import { newUpload, objectChange, objectsQuery } from '../../../models/schemas/objects.ts';
import { required } from '../../../models/schemas/schema.ts';
import { uuid } from '../../../models/schemas/values.ts';
import { contentPath } from './paths.ts';

const bucketParams = { bucketId: required(uuid) };
const objectParams = { objectId: required(uuid) };
const uploadParams = { uploadId: required(uuid) };
const bucketPath = `${contentPath}/buckets/{bucketId}`;
const objectPath = `${contentPath}/objects/{objectId}`;
const uploadPath = `${contentPath}/uploads/{uploadId}`;
const common = { scope: 'standard', rate: 'storage', idempotency: 'none', query: {}, body: null } as const;
const objects = { ...common, tag: 'Objects' } as const;
const uploads = { ...common, tag: 'Uploads' } as const;

/** Objects and uploads. */
export const objectRoutes = [
  route({
    ...objects,
    method: 'GET',
    path: `${bucketPath}/objects`,
    operation: 'listObjects',
    summary: 'Lists objects in byte order of their keys, disabled ones too.',
    action: 'storage.listObjects',
    params: bucketParams,
    query: objectsQuery,
    status: 200,
    answer: answers.objectsAnswer,
    errors: ['bucket_not_found'],
    input: ({ caller, path, query }) => ({ caller, ...path, ...query }),
  }),
  route({
    ...objects,
    method: 'GET',
    path: objectPath,
    operation: 'readObject',
    summary: 'Reads an object, without its bytes.',
    action: 'storage.readObject',
    params: objectParams,
    status: 200,
    answer: answers.objectAnswer,
    errors: ['object_not_found'],
    input: ({ caller, path }) => ({ caller, ...path }),
  }),
  route({
    ...objects,
    method: 'PATCH',
    path: objectPath,
    operation: 'changeObject',
    summary: 'Replaces the metadata of an object.',
    action: 'storage.changeObject',
    params: objectParams,
    body: objectChange,
    status: 200,
    answer: answers.objectAnswer,
    errors: ['object_not_found', 'bucket_not_active', 'object_managed', 'object_busy'],
    input: ({ caller, path, body }) => ({ caller, ...path, change: body }),
  }),
  route({
    ...objects,
    method: 'DELETE',
    path: objectPath,
    operation: 'removeObject',
    summary: 'Deletes an object. It is delivered nowhere from then on.',
    action: 'storage.removeObject',
    params: objectParams,
    status: 204,
    answer: nothing,
    errors: ['object_not_found', 'bucket_not_active', 'object_managed', 'object_busy'],
    input: ({ caller, path }) => ({ caller, ...path }),
  }),
  route({
    ...uploads,
    method: 'POST',
    path: `${bucketPath}/uploads`,
    operation: 'startUpload',
    summary: 'Starts an upload. Each part is sent to its address with PUT, then the upload is completed.',
    action: 'storage.startUpload',
    feature: 'storage',
    params: bucketParams,
    body: newUpload,
    status: 201,
    answer: answers.freshUploadAnswer,
    errors: [
      'bucket_not_found',
      'bucket_not_active',
      'bucket_suspended',
      'file_type_not_allowed',
      'object_exists',
      'plan_limit_reached',
    ],
    input: ({ caller, path, body }) => ({ caller, ...path, upload: body }),
  }),
  route({
    ...uploads,
    method: 'GET',
    path: uploadPath,
    operation: 'readUpload',
    summary: 'Reads an upload, with the parts that have arrived.',
    action: 'storage.readUpload',
    params: uploadParams,
    status: 200,
    answer: answers.uploadAnswer,
    errors: ['upload_not_found'],
    input: ({ caller, path }) => ({ caller, ...path }),
  }),
  route({
    ...uploads,
    method: 'DELETE',
    path: uploadPath,
    operation: 'abortUpload',
    summary: 'Aborts an upload. One that has ended is answered as it is.',
    action: 'storage.abortUpload',
    params: uploadParams,
    status: 200,
    answer: answers.uploadAnswer,
    errors: ['upload_not_found', 'upload_not_open'],
    input: ({ caller, path }) => ({ caller, ...path }),
  }),
  route({
    ...uploads,
    method: 'POST',
    path: `${uploadPath}/renew`,
    operation: 'renewUpload',
    summary: 'Answers new addresses for the parts of an open upload; the earlier ones go on.',
    action: 'storage.renewUpload',
    params: uploadParams,
    status: 200,
    answer: answers.freshUploadAnswer,
    errors: ['upload_not_found', 'upload_not_open', 'upload_expired', 'bucket_not_active', 'bucket_suspended'],
    input: ({ caller, path }) => ({ caller, ...path }),
  }),
  route({
    ...uploads,
    method: 'POST',
    path: `${uploadPath}/complete`,
    operation: 'completeUpload',
    summary: 'Makes the parts of an upload an object. Repeated, it answers the object.',
    action: 'storage.completeUpload',
    params: uploadParams,
    status: 200,
    answer: answers.completedAnswer,
    errors: [
      'upload_not_found',
      'upload_not_open',
      'upload_expired',
      'bucket_not_active',
      'bucket_suspended',
      'upload_incomplete',
      'size_mismatch',
      'file_type_not_allowed',
      'object_exists',
      'object_busy',
      'object_not_found',
    ],
    input: ({ caller, path }) => ({ caller, ...path }),
  }),
];
