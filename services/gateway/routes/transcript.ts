import { accepted } from '../../../models/schemas/answers/jobs.ts';
import { required } from '../../../models/schemas/schema.ts';
import { ifMatch, transcriptAnswer, transcriptEdits } from '../../../models/schemas/transcripts.ts';
import { uuid } from '../../../models/schemas/values.ts';
import { route, storedRoute } from '../../../mixins/http/api/route.ts';
import { contentPath } from './paths.ts';
import { asReader } from '../../../models/schemas/library.ts';

const path = `${contentPath}/assets/{assetId}/transcript`;
const params = { assetId: required(uuid) };
const tag = 'Transcripts';

/** What was said in a recording, and its correction. */
export const transcriptRoutes = [
  storedRoute({
    method: 'GET',
    path,
    operation: 'readTranscript',
    tag,
    summary:
      "Reads a recording's transcript, with asReader or principals only if those principals may see it; its ETag names the revision.",
    action: 'registrar.readTranscript',
    scope: 'standard',
    rate: 'requests',
    idempotency: 'none',
    params,
    query: asReader,
    body: null,
    status: 200,
    answer: transcriptAnswer,
    answerHeaders: {
      ETag: {
        description: 'The revision in quotes, for `If-Match`.',
        schema: { type: 'string', pattern: '^"[1-9][0-9]*"$' },
      },
    },
    errors: ['asset_not_found', 'transcript_not_ready'],
    input: ({ caller, path: ids, query }) => ({ caller, ...ids, ...query }),
    stored: ({ revision, warnings, key }) => ({
      headers: { ETag: `"${revision}"` },
      before: `{"revision":${revision},"warnings":${JSON.stringify(warnings)},"segments":[`,
      after: ']}',
      key,
    }),
  }),
  route({
    method: 'PATCH',
    path,
    operation: 'correctTranscript',
    tag,
    summary: 'Corrects the text of segments; the recording is indexed again with it and not transcribed again.',
    action: 'registrar.correctTranscript',
    scope: 'standard',
    rate: 'requests',
    idempotency: 'optional',
    params,
    query: {},
    headers: { 'If-Match': required(ifMatch) },
    body: transcriptEdits,
    status: 202,
    answer: accepted,
    errors: ['asset_not_found', 'transcript_not_ready', 'invalid_segment_ids', 'revision_conflict'],
    input: ({ caller, path: ids, headers, body }, idempotencyId) => ({
      caller,
      ...ids,
      revision: headers['If-Match'],
      edits: body.segments,
      ...(idempotencyId === undefined ? {} : { idempotencyId }),
    }),
  }),
];
