import { route } from '../../../mixins/http/api/route.ts';
import * as answers from '../../../models/schemas/answers/links.ts';
import { signBody } from '../../../models/schemas/links.ts';
import { required } from '../../../models/schemas/schema.ts';
import { uuid } from '../../../models/schemas/values.ts';
import { contentPath } from './paths.ts';

const params = { bucketId: required(uuid) };
const common = { tag: 'Links', rate: 'storage', idempotency: 'none', query: {}, status: 200 } as const;

/** Signed links. */
export const linkRoutes = [
  route({
    ...common,
    method: 'GET',
    path: `${contentPath}/buckets/{bucketId}/signing-profile`,
    operation: 'readSigningProfile',
    summary: 'Reads what links of a bucket are signed with, for clients that sign links themselves.',
    action: 'storage.readSigningProfile',
    scope: 'standard',
    role: 'editor',
    params,
    body: null,
    answer: answers.signingProfileAnswer,
    errors: ['bucket_not_found'],
    input: ({ caller, path: { bucketId } }) => ({ caller, bucketId }),
  }),
  route({
    ...common,
    method: 'POST',
    path: `${contentPath}/buckets/{bucketId}/signing-key/rotate`,
    operation: 'rotateSigningKey',
    summary: "Replaces a bucket's signing key: links of the old one stop working.",
    action: 'storage.rotateSigningKey',
    scope: 'admin',
    params,
    body: null,
    answer: answers.signingProfileAnswer,
    errors: ['bucket_not_found', 'bucket_not_active'],
    input: ({ caller, path: { bucketId } }) => ({ caller, bucketId }),
  }),
  route({
    ...common,
    method: 'POST',
    path: `${contentPath}/sign`,
    operation: 'sign',
    summary:
      'Makes the address of a file, signed unless the bucket is public, or the addresses that a video is played with.',
    action: 'storage.sign',
    scope: 'standard',
    role: 'reader',
    params: {},
    body: signBody,
    answer: answers.linkAnswer,
    errors: [
      'bucket_not_found',
      'bucket_not_active',
      'bucket_suspended',
      'domain_not_active',
      'object_not_found',
      'video_not_found',
      'video_not_ready',
    ],
    input: ({ caller, body }) => ({ caller, request: body }),
  }),
];
