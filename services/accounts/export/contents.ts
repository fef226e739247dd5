import type { Collection, Query, Records } from '../../../adapters/records/port.ts';
import { isoTime } from '../../../models/runtime.ts';
import { assets, type Asset } from '../../../models/asset.ts';
import type { StoredRecord } from '../../../models/collection.ts';
import { connectors, type Connector } from '../../../models/connector.ts';
import { imports } from '../../../models/import.ts';
import { archivedRuns, type Run } from '../../../models/job.ts';
import { libraryCollections } from '../../../models/library-collection.ts';
import { apiKeys, auditRows, organizations } from '../../../models/organization.ts';
import { scopeOf, systemScope } from '../../../models/scope.ts';
import { loggedQueries, searchDays } from '../../../models/search-log.ts';
import { settingsRows } from '../../../models/settings.ts';
import { tuningId, tuningRecords } from '../../../models/tuning.ts';
import { usageEvents } from '../../../models/usage-event.ts';

const atOnce = 200;

/** Reads documents page by page. `keys` returns the values of the sort fields, after which the next page starts. */
async function* walk<T extends StoredRecord>(
  collection: Collection<T>,
  query: Omit<Query, 'limit' | 'after'>,
  keys: (document: T) => (string | number)[],
): AsyncGenerator<T> {
  for (let after: (string | number)[] | null = null; ;) {
    const page: T[] = await collection.find({ ...query, limit: atOnce, ...(after === null ? {} : { after }) });
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < atOnce) return;
    after = keys(last);
  }
}

async function* each<T, U extends object>(items: AsyncIterable<T>, make: (item: T) => U): AsyncGenerator<U> {
  for await (const item of items) yield make(item);
}

function runOf(
  assetId: string,
  { jobId, revision, purpose, state, stage, progress, errorCode, attempt, createdAt, updatedAt, facts }: Run,
): object {
  return {
    jobId,
    assetId,
    revision,
    purpose,
    state,
    stage,
    progress,
    errorCode,
    attempt,
    createdAt: isoTime(createdAt),
    updatedAt: isoTime(updatedAt),
    facts,
  };
}

/**
 * Lists each exported field, so that a field added to the document is not exported by accident. The sealed address and
 * the callback key are not exported.
 */
function assetOf(asset: Asset): object {
  const {
    _id,
    externalId,
    filename,
    kind,
    sourceUrl,
    sourceVersion,
    language,
    audioTrack,
    metadata,
    collections,
    contentSha256,
    extractContentFromVideoFrames,
    connectorId,
    bucketId,
  } = asset;
  const {
    aclMode,
    principals,
    activeRevision,
    activeSource,
    latestRevision,
    facts,
    sourceMissingSince,
    createdAt,
    updatedAt,
    run,
  } = asset;
  return {
    assetId: _id,
    externalId,
    filename,
    kind,
    sourceUrl,
    sourceVersion,
    language,
    audioTrack,
    metadata,
    collections,
    contentSha256,
    extractContentFromVideoFrames,
    connectorId,
    bucketId,
    permissions: { mode: aclMode, principals: aclMode === 'restricted' ? principals : [] },
    activeRevision,
    activeSource: activeSource ?? null,
    latestRevision,
    facts,
    sourceMissingSince: sourceMissingSince === null ? null : isoTime(sourceMissingSince),
    createdAt: isoTime(createdAt),
    updatedAt: isoTime(updatedAt),
    job: runOf(_id, run),
  };
}

function connectorOf({
  _id,
  name,
  source,
  schedule,
  enabled,
  defaultAclMode,
  extractContentFromVideoFrames,
  lastRunAt,
  lastError,
  lastSummary,
  failures,
  createdAt,
  updatedAt,
}: Connector): object {
  return {
    connectorId: _id,
    name,
    ...source,
    schedule,
    enabled,
    defaultAclMode,
    extractContentFromVideoFrames,
    lastRunAt,
    lastError,
    lastSummary,
    failures,
    createdAt: isoTime(createdAt),
    updatedAt: isoTime(updatedAt),
  };
}

/** Every asset of an organization that is not being removed. */
export function assetsOf(records: Records, organizationId: string): AsyncGenerator<Asset> {
  return walk(
    records.collection(assets, scopeOf(organizationId)),
    {
      filter: { deletedAt: null },
      sort: [
        ['createdAt', 1],
        ['_id', 1],
      ],
    },
    ({ createdAt, _id }) => [createdAt, _id],
  );
}

async function* runsOf(records: Records, organizationId: string): AsyncGenerator<object> {
  const archive = records.collection(archivedRuns, scopeOf(organizationId));
  for await (const { _id } of assetsOf(records, organizationId)) {
    yield* each(
      walk(
        archive,
        {
          filter: { assetId: _id },
          sort: [
            ['run.createdAt', 1],
            ['_id', 1],
          ],
        },
        (archived) => [archived.run.createdAt, archived._id],
      ),
      ({ run }) => runOf(_id, run),
    );
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
      walk(
        records.collection(libraryCollections, scope),
        {
          filter: { nameKey: { $exists: true } },
          sort: [
            ['nameKey', 1],
            ['_id', 1],
          ],
        },
        ({ nameKey, _id }) => [nameKey ?? '', _id],
      ),
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
    connectors: each(
      walk(records.collection(connectors, scope), { filter: {}, sort: [['name', 1]] }, ({ name }) => [name]),
      connectorOf,
    ),
    imports: each(
      walk(
        records.collection(imports, scope),
        {
          filter: {},
          sort: [
            ['createdAt', 1],
            ['_id', 1],
          ],
        },
        ({ createdAt, _id }) => [createdAt, _id],
      ),
      ({ _id, items, createdAt }) => ({ importId: _id, items, createdAt: isoTime(createdAt) }),
    ),
    'search-days': each(
      walk(
        records.collection(searchDays, scope),
        {
          filter: {},
          sort: [
            ['day', 1],
            ['_id', 1],
          ],
        },
        ({ day, _id }) => [day, _id],
      ),
      ({ by: _by, _id, ...day }) => day,
    ),
    'search-log': each(
      walk(
        records.collection(loggedQueries, scope),
        {
          filter: {},
          sort: [
            ['oldestDay', 1],
            ['_id', 1],
          ],
        },
        ({ oldestDay, _id }) => [oldestDay, _id],
      ),
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
    audit: each(
      walk(
        records.collection(auditRows, systemScope),
        { filter: { accountId }, sort: [['sequence', 1]] },
        ({ sequence }) => [sequence],
      ),
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
    'usage-events': each(
      walk(
        records.collection(usageEvents, systemScope),
        {
          filter: { accountId },
          sort: [
            ['at', 1],
            ['_id', 1],
          ],
        },
        ({ at, _id }) => [at, _id],
      ),
      ({ accountId: _account, at, ...event }) => ({ ...event, at: isoTime(at) }),
    ),
  };
}

/** Every organization of an account, oldest first. */
export function organizationsOf(records: Records, accountId: string) {
  return walk(
    records.collection(organizations, systemScope),
    {
      filter: { accountId },
      sort: [
        ['createdAt', 1],
        ['_id', 1],
      ],
    },
    ({ createdAt, _id }) => [createdAt, _id],
  );
}

function keysOf(records: Records, accountId: string) {
  return walk(
    records.collection(apiKeys, systemScope),
    {
      filter: { accountId },
      sort: [
        ['createdAt', 1],
        ['_id', 1],
      ],
    },
    ({ createdAt, _id }) => [createdAt, _id],
  );
}
