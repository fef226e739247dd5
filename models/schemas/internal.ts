import type { AssetCreate, Caller, ImportItem } from '../api.ts';
import type { AuditActor } from '../organization.ts';
import { roles } from '../people.ts';
import type { SyncBatch, SyncChange, SyncedFile } from '../sync.ts';
import type { NewUsageEvent } from '../usage-event.ts';
import { usageMetricNames } from '../usage-metric.ts';
import { assetCreate } from './assets.ts';
import { customSchema, isObject, list, nullable, object, optional, required, schemaOf, type Schema } from './schema.ts';
import { boolean, decimal, integer, oneOf, text } from './values.ts';

/*
 * Parameters of internal actions, which only processes send to each other. Texts that the actor checks itself, such as
 * names of files in a customer's bucket, have no limits here.
 */

/** Any text. */
export const anyText: Schema<string> = schemaOf({ type: 'string' }, { type: 'string' });
const texts = list(anyText, Number.MAX_SAFE_INTEGER);
const count = integer(0);

/** The client that the gateway has authenticated. */
export const caller: Schema<Caller> = object({
  accountId: required(anyText),
  organizationId: required(anyText),
  keyId: required(anyText),
  keyPrefix: required(anyText),
  keyLabel: required(anyText),
  keyScope: required(oneOf('standard', 'admin')),
  requestId: required(anyText),
  ip: optional(nullable(anyText)),
  userId: optional(anyText),
  role: optional(oneOf(...roles)),
  sessionId: optional(anyText),
});

/** The actor of an audited search. */
export const auditActor: Schema<AuditActor> = object({
  kind: required(oneOf('user', 'api_key', 'plycdn')),
  id: required(nullable(anyText)),
  label: required(nullable(anyText)),
  prefix: required(nullable(anyText)),
});

/** The principals of a search as another reader. */
export const anyPrincipals: Schema<readonly string[]> = texts;

const acceptedAsset: Schema<AssetCreate> = schemaOf({}, assetCreate.checked);
const acceptedItem = object({ asset: required(acceptedAsset) });
const pathEntry = customSchema<string | number>({}, (value) =>
  typeof value === 'number' ? count.check(value) : anyText.check(value),
);
const refusedItem = object({
  externalId: required(nullable(anyText)),
  code: required(anyText),
  fields: optional(list(pathEntry, Number.MAX_SAFE_INTEGER)),
  detail: required(anyText),
});

/** Items of an import: each one valid, or the refusal that its index gets. */
export const importItems: Schema<ImportItem[]> = list(
  customSchema<ImportItem>({}, (value) =>
    isObject(value) && Object.hasOwn(value, 'asset') ? acceptedItem.check(value) : refusedItem.check(value),
  ),
  100,
);

const file: Schema<SyncedFile> = object({
  externalId: required(anyText),
  filename: required(anyText),
  sourceUrl: required(anyText),
  sourceVersion: required(anyText),
  contentId: required(nullable(anyText)),
  aclMode: required(oneOf('open', 'restricted')),
  principals: required(texts),
  mirrored: required(boolean),
  extractContentFromVideoFrames: required(nullable(boolean)),
});
const marks = object({ mark: required(anyText), access: required(anyText) });
const listed = { assetId: required(anyText), externalId: required(anyText) };
const changes: { [C in SyncChange['change']]: Schema<SyncChange> } = {
  present: object({ change: required(oneOf('present')), file: required(file), marks: required(marks) }),
  moved: object({
    change: required(oneOf('moved')),
    assetId: required(anyText),
    fromExternalId: required(anyText),
    file: required(file),
    marks: required(marks),
  }),
  missing: object({ change: required(oneOf('missing')), ...listed }),
  waiting: object({ change: required(oneOf('waiting')), ...listed }),
};
const kindOfChange = oneOf('present', 'moved', 'missing', 'waiting');
const change = customSchema<SyncChange>({}, (value) =>
  changes[kindOfChange.check(isObject(value) ? value['change'] : value)].check(value),
);

/** Changes of one connector that the registrar applies together. */
export const syncBatch = {
  organizationId: required(anyText),
  connectorId: required(anyText),
  syncId: required(anyText),
  token: required(count),
  changes: required(list(change, Number.MAX_SAFE_INTEGER)),
} satisfies { [K in keyof SyncBatch]: unknown };

/** Usage events as actors send them to the ledger. */
export const usageEvents: Schema<NewUsageEvent[]> = list(
  object({
    _id: required(anyText),
    accountId: required(anyText),
    organizationId: required(anyText),
    assetId: required(nullable(anyText)),
    resourceId: optional(anyText),
    metric: required(oneOf(...usageMetricNames)),
    dimension: optional(anyText),
    quantity: required(count),
    duplicateOf: optional(anyText),
    at: required(decimal({})),
    day: optional(text(10, 10, { source: '^\\d{4}-\\d{2}-\\d{2}$', expected: 'a day as YYYY-MM-DD' })),
  }),
  Number.MAX_SAFE_INTEGER,
);
