import type { Collection } from '../../adapters/records/port.ts';
import { requireQuota } from '../../mixins/accounts/quota.ts';
import { recordEnded } from '../../mixins/indexing/kind.ts';
import { discardEntry, newRun, withAttributesEntry } from '../../mixins/indexing/runs.ts';
import { isFinished, workersStopped } from '../../mixins/work/transitions.ts';
import { settingsOf } from '../../mixins/settings/settings.ts';
import { derivedUuid, timeOrderedUuid } from '../../models/runtime.ts';
import type { Accepted, AssetCreate, Caller } from '../../models/api.ts';
import { accessContext, maxOutboxEntries, openPrincipals, type Asset, type OutboxEntry } from '../../models/asset.ts';
import { invalid, Refusal } from '../../models/errors.ts';
import { isIndexed } from '../../models/formats.ts';
import { quotaOfKind } from '../../models/quota-count.ts';
import type { ArchivedRun, Run } from '../../models/job.ts';
import { withMembership } from '../../models/library-collection.ts';
import { versionDigest } from '../../models/registered-version.ts';
import { idsOfCollections } from './collections.ts';
import type { EffectiveSettings } from '../../models/settings.ts';
import { isRegistered } from './registered-versions.ts';
import type { OrganizationRecords, Registrar } from './registrar.ts';
import { bucketIdOf, checkAccess } from './source-access.ts';

/** Maximum attempts of a registration whose file is written concurrently. */
const maxAttempts = 200;

/** The ids of the documents that a registration creates. */
export interface RegistrationIds {
  assetId: string;
  jobId: string;
  /** Whether they are derived from an Idempotency-Key: then an earlier attempt of the request may have used them. */
  isRepeatable: boolean;
}

/** The ids of a registration: derived from the idempotency id where there is one, else new. */
export function registrationIds(registrar: Registrar, idempotencyId: string | undefined, part = ''): RegistrationIds {
  const { runtime } = registrar.app;
  if (idempotencyId === undefined)
    return { assetId: timeOrderedUuid(runtime), jobId: timeOrderedUuid(runtime), isRepeatable: false };
  return {
    assetId: derivedUuid(`${idempotencyId}\nasset\n${part}`),
    jobId: derivedUuid(`${idempotencyId}\njob\n${part}`),
    isRepeatable: true,
  };
}

/**
 * Checks what the schema of a single field cannot. Returns the address to read from where it is secret. @throws Refusal
 */
export function check(
  registrar: Registrar,
  organizationId: string,
  input: AssetCreate,
  settings: EffectiveSettings,
  bucketId: string | null,
): string | null {
  if (!isIndexed(input.filename, input.kind)) {
    throw invalid(
      ['body', 'filename'],
      `GET /capabilities lists the file name extensions of kind ${input.kind}; ${JSON.stringify(input.filename)} has none of them.`,
    );
  }
  const absence = registrar.absenceOf(input.kind);
  if (absence !== null)
    throw invalid(['body', 'filename'], `Files of kind ${input.kind} cannot be indexed here at present: ${absence}`);
  return checkAccess(registrar, organizationId, input, settings, bucketId);
}

/** Who may see a registered file: the named principals, else everybody, or nobody with the setting `requireAcl`. */
function permissionsOf(
  { principals }: AssetCreate,
  { requireAcl }: EffectiveSettings,
): Pick<Asset, 'aclMode' | 'principals'> {
  if (principals !== null && principals.length > 0)
    return { aclMode: 'restricted', principals: [...new Set(principals)] };
  return requireAcl ? { aclMode: 'restricted', principals: [] } : { aclMode: 'open', principals: [...openPrincipals] };
}

/** Where the file of a registration is: in a bucket of the organization or (null) elsewhere, and its secret address. */
export type FileLocation = Pick<Asset, 'bucketId' | 'sealedAccess'>;

/** The fields that a registration sets on new and on known assets. */
function described(
  input: AssetCreate,
  location: FileLocation,
): Pick<
  Asset,
  | 'filename'
  | 'kind'
  | 'sourceUrl'
  | 'sourceVersion'
  | 'language'
  | 'audioTrack'
  | 'callbackKey'
  | 'contentSha256'
  | 'extractContentFromVideoFrames'
  | keyof FileLocation
> {
  return {
    filename: input.filename,
    kind: input.kind,
    sourceUrl: input.sourceUrl,
    sourceVersion: input.sourceVersion,
    language: input.language,
    audioTrack: input.audioTrack,
    callbackKey: input.callbackKey,
    contentSha256: input.contentSha256?.toLowerCase() ?? null,
    extractContentFromVideoFrames: input.extractContentFromVideoFrames,
    ...location,
  };
}

/** Creates the document of a new asset whose first run is waiting. */
export function newAsset(
  caller: Pick<Caller, 'organizationId' | 'accountId'>,
  input: AssetCreate,
  collections: string[],
  settings: EffectiveSettings,
  location: FileLocation,
  ids: RegistrationIds,
  now: number,
): Asset {
  return {
    _id: ids.assetId,
    organizationId: caller.organizationId,
    accountId: caller.accountId,
    externalId: input.externalId,
    externalKey: input.externalId,
    ...described(input, location),
    registeredVersions: [versionDigest(input.sourceVersion)],
    metadata: input.metadata ?? {},
    collections,
    connectorId: null,
    ...permissionsOf(input, settings),
    attributesVersion: 1,
    activeRevision: null,
    latestRevision: 1,
    facts: null,
    sourceMissingSince: null,
    createdAt: now,
    updatedAt: now,
    deletedAt: null,
    run: newRun(ids.jobId, 1, now),
    version: 1,
    outbox: withMembership([], [], collections, 1),
    ...(collections.length > 0 ? { outboxDue: 0 } : {}),
  };
}

/** The run that is replaced, as the history shows it. */
function endedRun(run: Run, now: number): Run {
  return isFinished(run)
    ? run
    : { ...run, state: 'cancelled', phase: 'ended', errorCode: null, lease: null, dueAt: null, updatedAt: now };
}

/**
 * Stores a run that is about to be replaced in the history. Of two processes that read the document at different times
 * the later read wins, whichever writes last: a run that became ready in between must not be shown as cancelled.
 */
async function archiveRun(archive: Collection<ArchivedRun>, asset: Asset, now: number): Promise<void> {
  const run = endedRun(asset.run, now);
  const { _id: assetId, organizationId, version: assetVersion } = asset;
  const inserted = await archive.insertNew([{ _id: run.jobId, organizationId, assetId, run, assetVersion }]);
  if (inserted.length === 0)
    await archive.update(run.jobId, { assetVersion: { $lt: assetVersion } }, { set: { run, assetVersion } });
}

/** Whether the asset's outbox is full, so that no new run may start. */
export function isOutboxFull({ outbox }: Pick<Asset, 'outbox'>): boolean {
  return outbox.length >= maxOutboxEntries;
}

/**
 * Replaces the latest run with a new one. The old run is first written to the history, so that it can always be read.
 * The replacement is one write, conditional on the document's version.
 * @returns the asset as it is now, or null when it changed in between
 * @throws Refusal `content_service_unavailable` while the asset's outbox is full
 */
export async function startRun(
  registrar: Registrar,
  assets: Collection<Asset>,
  archive: Collection<ArchivedRun>,
  asset: Asset,
  jobId: string,
  fields: Partial<Asset>,
  now: number,
  run: Partial<Run> = {},
): Promise<Asset | null> {
  if (isOutboxFull(asset))
    throw new Refusal('content_service_unavailable', {
      detail: 'What earlier jobs of the file left for other stores is still to be delivered; try again.',
      retryable: true,
      retryAfter: 30,
    });
  const revision = asset.latestRevision + 1;
  await archiveRun(archive, asset, now);
  const leaseMs = registrar.app.configuration.PLY_LEASE_SECONDS * 1000;
  let outbox: OutboxEntry[] = [...asset.outbox];
  if (fields.attributesVersion !== undefined) {
    outbox = withAttributesEntry(outbox, fields.attributesVersion);
    if (fields.collections !== undefined)
      outbox = withMembership(outbox, asset.collections, fields.collections, fields.attributesVersion);
  }
  if (!isFinished(asset.run))
    outbox.push(discardEntry(asset.run.revision, workersStopped(asset, registrar.app.records.time(), leaseMs)));
  const started = await registrar.replace(assets, asset, {
    ...asset,
    ...fields,
    latestRevision: revision,
    run: { ...newRun(jobId, revision, now), ...run },
    outbox,
    updatedAt: now,
  });
  if (started !== null && !isFinished(asset.run)) recordEnded(registrar.app, asset, endedRun(asset.run, now));
  return started;
}

/**
 * What an earlier attempt of the same request registered before its process crashed; null if it registered nothing.
 * @throws Refusal `idempotency_conflict` if a connector has moved that file to another externalId since
 */
async function registeredBefore(
  { assets, archive }: OrganizationRecords,
  externalId: string,
  { assetId, jobId }: RegistrationIds,
): Promise<Accepted | null> {
  const [current] = await assets.find({ filter: { 'run.jobId': jobId }, limit: 1 });
  const archived = current === undefined ? await archive.get(jobId) : null;
  const asset = current ?? (await assets.get(archived?.assetId ?? assetId));
  if (asset === null) return null;
  if (asset.deletedAt === null && asset.externalKey !== externalId)
    throw new Refusal('idempotency_conflict', {
      detail: `The first request with this Idempotency-Key registered the asset ${asset._id}, whose externalId is ${JSON.stringify(asset.externalId)} by now. Send another Idempotency-Key to register ${JSON.stringify(externalId)}.`,
    });
  return { assetId: asset._id, jobId, revision: (current ?? archived)?.run.revision ?? 1 };
}

/**
 * Registers one file: a new asset, or the next revision of a known one. A request that is repeated with its
 * Idempotency-Key is answered with what its first attempt registered.
 * @param settings the organization's; read if omitted
 * @throws Refusal
 */
export async function register(
  registrar: Registrar,
  caller: Caller,
  input: AssetCreate,
  ids: RegistrationIds,
  settings?: EffectiveSettings,
): Promise<Accepted> {
  settings ??= await settingsOf(registrar.app, caller.organizationId);
  const bucketId = await bucketIdOf(registrar, caller.organizationId, input);
  const access = check(registrar, caller.organizationId, input, settings, bucketId);
  const located = (assetId: string): FileLocation => ({
    bucketId,
    sealedAccess: access === null ? null : registrar.app.sealer.seal(access, accessContext(assetId)),
  });
  const records = registrar.of(caller.organizationId);
  const { assets, archive, versions } = records;
  const collections =
    input.collections === null ? null : await idsOfCollections(registrar, caller.organizationId, input.collections);
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const before = ids.isRepeatable ? await registeredBefore(records, input.externalId, ids) : null;
    if (before !== null) return before;
    const now = registrar.app.runtime.now();
    const [known] = await assets.find({ filter: { externalKey: input.externalId }, limit: 1 });
    if (known === undefined) {
      await requireQuota(registrar.app, caller.accountId, [quotaOfKind(input.kind)]);
      const asset = newAsset(caller, input, collections ?? [], settings, located(ids.assetId), ids, now);
      const insert = (): Promise<boolean> => registrar.insert(assets, asset);
      if (!(await registrar.ceiling.within(caller.accountId, 1, insert))) continue;
      registrar.changed(caller.organizationId);
      await registrar.drainSoon(asset);
      return { assetId: asset._id, jobId: asset.run.jobId, revision: 1 };
    }
    if (await isRegistered(versions, known, input.sourceVersion))
      throw new Refusal('source_version_already_registered', {
        detail: `${JSON.stringify(input.externalId)} is registered with this sourceVersion; POST /assets/${known._id}/reindex indexes it again.`,
      });
    await requireQuota(registrar.app, caller.accountId, [quotaOfKind(input.kind)]);
    const attributes: Partial<Asset> = {
      ...newAttributes(known, input, collections, settings),
      ...(known.synced === undefined ? {} : { synced: { ...known.synced, mark: '', contentId: null } }),
    };
    const started = await startRun(
      registrar,
      assets,
      archive,
      known,
      ids.jobId,
      { ...described(input, located(known._id)), ...attributes },
      now,
    );
    if (started === null) continue;
    registrar.changed(caller.organizationId);
    await registrar.drainSoon(started);
    return { assetId: known._id, jobId: ids.jobId, revision: started.latestRevision };
  }
  throw new Refusal('content_service_unavailable', {
    detail: 'The file is being changed by too many requests at once; try again.',
    retryable: true,
    retryAfter: 1,
  });
}

/** The metadata and permissions that a new revision changes; fields that were left out stay. */
function newAttributes(
  known: Asset,
  input: AssetCreate,
  collections: string[] | null,
  settings: EffectiveSettings,
): Partial<Asset> {
  if (input.metadata === null && input.principals === null && collections === null && input.kind === known.kind)
    return {};
  const changed: Partial<Asset> = {
    attributesVersion: known.attributesVersion + 1,
    ...(input.principals === null ? {} : permissionsOf(input, settings)),
  };
  if (input.metadata !== null) changed.metadata = input.metadata;
  if (collections !== null) changed.collections = collections;
  return changed;
}
