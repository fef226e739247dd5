import type { Collection, Filter, Records } from '../../../adapters/records/port.ts';
import { isoTime } from '../../../models/runtime.ts';
import { assets, type Asset } from '../../../models/asset.ts';
import type { StoredRecord } from '../../../models/collection.ts';
import { connectors, type Connector } from '../../../models/connector.ts';
import { imports } from '../../../models/import.ts';
import { archivedRuns, type Run } from '../../../models/job.ts';
import { libraryCollections } from '../../../models/library-collection.ts';
import { users } from '../../../models/dashboard.ts';
import { apiKeys, auditRows, organizations } from '../../../models/organization.ts';
import { isObject } from '../../../models/schemas/schema.ts';
import { scopeOf, systemScope } from '../../../models/scope.ts';
import { loggedQueries, searchDays } from '../../../models/search-log.ts';
import { settingsRows } from '../../../models/settings.ts';
import { tuningId, tuningRecords } from '../../../models/tuning.ts';
import { usageEvents, type UsageEvent } from '../../../models/usage-event.ts';

const atOnce = 200;

/** Reads documents page by page, in the order of fields that are numbers or text. */
async function* walk<T extends StoredRecord>(
  collection: Collection<T>,
  filter: Filter,
  ...fields: string[]
): AsyncGenerator<T> {
  const sort = fields.map((field): [string, 1] => [field, 1]);
  for (let after: (string | number)[] | null = null; ;) {
    const page: T[] = await collection.find({ filter, sort, limit: atOnce, ...(after === null ? {} : { after }) });
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < atOnce) return;
    after = fields.map((field) => keyOf(last, field));
  }
}

function keyOf(document: object, path: string): string | number {
  const value = path.split('.').reduce<unknown>((inner, name) => (isObject(inner) ? inner[name] : undefined), document);
  if (typeof value === 'string' || typeof value === 'number') return value;
  throw new Error(`${path} has no value to sort by`);
}

/** Only these fields: one that is added to the document is not exported by accident. */
function pick<T extends object>(document: T, ...fields: (keyof T & string)[]): object {
  return Object.fromEntries(fields.map((field) => [field, document[field]]));
}

async function* each<T, U extends object>(items: AsyncIterable<T>, make: (item: T) => U): AsyncGenerator<U> {
  for await (const item of items) yield make(item);
}

function runOf(assetId: string, run: Run): object {
  return {
    jobId: run.jobId,
    assetId,
    ...pick(run, 'revision', 'purpose', 'state', 'stage', 'progress', 'errorCode', 'attempt'),
    createdAt: isoTime(run.createdAt),
    updatedAt: isoTime(run.updatedAt),
    facts: run.facts,
  };
}

/** The sealed address and the callback key are not exported. */
function assetOf(asset: Asset): object {
  return {
    assetId: asset._id,
    ...pick(
      asset,
      'externalId',
      'filename',
      'kind',
      'sourceUrl',
      'sourceVersion',
      'language',
      'audioTrack',
      'metadata',
    ),
    ...pick(asset, 'collections', 'contentSha256', 'extractContentFromVideoFrames', 'connectorId', 'bucketId'),
    permissions: { mode: asset.aclMode, principals: asset.aclMode === 'restricted' ? asset.principals : [] },
    activeRevision: asset.activeRevision,
    activeSource: asset.activeSource ?? null,
    latestRevision: asset.latestRevision,
    facts: asset.facts,
    sourceMissingSince: asset.sourceMissingSince === null ? null : isoTime(asset.sourceMissingSince),
    createdAt: isoTime(asset.createdAt),
    updatedAt: isoTime(asset.updatedAt),
    job: runOf(asset._id, asset.run),
  };
}

function connectorOf(connector: Connector): object {
  return {
    connectorId: connector._id,
    name: connector.name,
    ...connector.source,
    ...pick(connector, 'schedule', 'enabled', 'defaultAclMode', 'extractContentFromVideoFrames'),
    ...pick(connector, 'lastRunAt', 'lastError', 'lastSummary', 'failures'),
    createdAt: isoTime(connector.createdAt),
    updatedAt: isoTime(connector.updatedAt),
  };
}

/** Every asset of an organization that is not being removed. */
export function assetsOf(records: Records, organizationId: string): AsyncGenerator<Asset> {
  return walk(records.collection(assets, scopeOf(organizationId)), { deletedAt: null }, 'createdAt', '_id');
}

async function* runsOf(records: Records, organizationId: string): AsyncGenerator<object> {
  const archive = records.collection(archivedRuns, scopeOf(organizationId));
  for await (const { _id } of assetsOf(records, organizationId)) {
    yield* each(walk(archive, { assetId: _id }, 'run.createdAt', '_id'), ({ run }) => runOf(_id, run));
  }
}

async function* settingsOf(records: Records, organizationId: string): AsyncGenerator<object> {
  const row = await records.collection(settingsRows, scopeOf(organizationId)).get(organizationId);
  if (row === null) return;
  const { _id, sealedCallbackSecret, ...settings } = row;
  yield { ...settings, callbackSecretSet: sealedCallbackSecret !== null };
}

async function* tuningOf(records: Records, organizationId: string): AsyncGenerator<object> {
  const sorts = ['synonyms', 'boosts', 'pins'] as const;
  for (const { _id, rules } of await records
    .collection(tuningRecords, scopeOf(organizationId))
    .getMany(sorts.map((sort) => tuningId(organizationId, sort))))
    yield { sort: _id.slice(organizationId.length + 1), rules };
}

/** The exported contents of an organization, by file name. */
export function organizationContents(
  records: Records,
  organizationId: string,
): { [name: string]: AsyncGenerator<object> } {
  const scope = scopeOf(organizationId);
  return {
    settings: settingsOf(records, organizationId),
    assets: each(assetsOf(records, organizationId), assetOf),
    runs: runsOf(records, organizationId),
    collections: each(
      walk(records.collection(libraryCollections, scope), { nameKey: { $exists: true } }, 'nameKey', '_id'),
      ({ _id, externalId, name, metadata, createdAt, updatedAt }) => ({
        id: _id,
        externalId,
        name,
        metadata,
        createdAt: isoTime(createdAt),
        updatedAt: isoTime(updatedAt),
      }),
    ),
    tuning: tuningOf(records, organizationId),
    connectors: each(walk(records.collection(connectors, scope), {}, 'name'), connectorOf),
    imports: each(walk(records.collection(imports, scope), {}, 'createdAt', '_id'), ({ _id, items, createdAt }) => ({
      importId: _id,
      items,
      createdAt: isoTime(createdAt),
    })),
    'search-days': each(
      walk(records.collection(searchDays, scope), {}, 'day', '_id'),
      ({ by: _by, _id, ...day }) => day,
    ),
    'search-log': each(
      walk(records.collection(loggedQueries, scope), {}, 'oldestDay', '_id'),
      ({ query, searches, withoutResults, results, days, lastSearchedAt }) => ({
        query,
        searches,
        withoutResults,
        results,
        days,
        lastSearchedAt: isoTime(lastSearchedAt),
      }),
    ),
  };
}

/** The exported contents of an account, by file name. */
export function accountContents(records: Records, accountId: string): { [name: string]: AsyncGenerator<object> } {
  return {
    organizations: each(
      organizationsOf(records, accountId),
      ({ _id, parentId, name, contactEmail, description, isActive, metadata, createdAt, updatedAt }) => ({
        organizationId: _id,
        parentId,
        name,
        contactEmail,
        description,
        isActive,
        metadata,
        createdAt: isoTime(createdAt),
        updatedAt: isoTime(updatedAt),
      }),
    ),
    keys: each(keysOf(records, accountId), ({ _id, prefix, label, scope, isActive, expiresAt, createdAt }) => ({
      id: _id,
      prefix,
      label,
      scope,
      isActive,
      expiresAt,
      createdAt: isoTime(createdAt),
    })),
    users: each(
      walk(records.collection(users, systemScope), { accountId }, 'createdAt', '_id'),
      ({ _id, email, createdAt }) => ({ id: _id, email, createdAt: isoTime(createdAt) }),
    ),
    audit: each(
      walk(records.collection(auditRows, systemScope), { accountId }, 'sequence'),
      ({ sequence, at, actor, action, resourceKind, resourceId, detail }) => ({
        id: String(sequence),
        at: isoTime(at),
        actor,
        action,
        resourceKind,
        resourceId,
        detail,
      }),
    ),
    'usage-events': each(usageOf(records, accountId), ({ accountId: _account, at, ...event }) => ({
      ...event,
      at: isoTime(at),
    })),
  };
}

/** The usage of an account. Events of the first version have no day to be read by until they are counted. */
async function* usageOf(records: Records, accountId: string): AsyncGenerator<UsageEvent> {
  const events = records.collection(usageEvents, systemScope);
  yield* walk(events, { accountId, day: { $exists: false } }, '_id');
  yield* walk(events, { accountId, day: { $gte: '' } }, 'day', '_id');
}

/** Every organization of an account, oldest first. */
export function organizationsOf(records: Records, accountId: string) {
  return walk(records.collection(organizations, systemScope), { accountId }, 'createdAt', '_id');
}

function keysOf(records: Records, accountId: string) {
  return walk(records.collection(apiKeys, systemScope), { accountId }, 'createdAt', '_id');
}
