import type { ChunkOutcome, ChunkRequest } from '../transcript/chunks.ts';
import { anyText } from '../../models/schemas/internal.ts';
import { nullable, optional, required } from '../../models/schemas/schema.ts';
import { boolean, decimal, integer } from '../../models/schemas/values.ts';
import { action, type } from './action.ts';

const chunkRequest = {
  organizationId: required(anyText),
  assetId: required(anyText),
  revision: required(integer(0)),
  recording: required(anyText),
  name: required(anyText),
  seconds: required(decimal({ min: 0 })),
  language: required(nullable(anyText)),
  expected: optional(nullable(anyText)),
  replaces: optional(boolean),
} satisfies { [K in keyof ChunkRequest]: unknown };

/** Actions of the transcriber. */
export const transcriberActions = {
  chunk: action({ params: chunkRequest, result: type<ChunkOutcome>(), repeatable: false }),
};
