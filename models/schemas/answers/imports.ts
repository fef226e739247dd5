import type { RefusalDetails } from '../../errors.ts';
import type { Infer } from '../schema.ts';
import { answer, described, id, listOf, ordinal, orNull, percent, text } from './answer.ts';
import type { accepted } from './jobs.ts';

/** The result for an item: the started job, or the refusal. */
type ImportResult =
  | ({ externalId: string } & Infer<typeof accepted>)
  | { externalId: string | null; code: string; fields?: RefusalDetails['fields']; detail?: string };

const importResult = described<ImportResult>({
  anyOf: [
    {
      type: 'object',
      properties: { externalId: text.json, assetId: id.json, jobId: id.json, revision: ordinal.json },
      required: ['externalId', 'assetId', 'jobId', 'revision'],
    },
    {
      type: 'object',
      properties: {
        externalId: orNull(text).json,
        code: text.json,
        detail: text.json,
        fields: { type: 'array', items: { type: ['string', 'integer'] } },
      },
      required: ['externalId', 'code'],
    },
  ],
});

/** The results of an import's items, in the order sent. */
export const importAnswer = answer('Import', { importId: id, results: listOf(importResult) });

const importProgress = answer('ImportItem', {
  jobId: id,
  assetId: id,
  state: text,
  progress: percent,
  errorCode: orNull(text),
});

/** The jobs of an import. */
export const importStateAnswer = answer('ImportState', { importId: id, items: listOf(importProgress) });
