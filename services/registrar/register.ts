import { createHash } from 'node:crypto';
import type { Collection } from '../../adapters/records/port.ts';
import { tellEnded } from '../../mixins/runs/tell-ended.ts';
import { discardEntry, isFinished, newRun, withAttributesEntry, writersGone } from '../../mixins/runs/transitions.ts';
import { settingsOf } from '../../mixins/settings/settings.ts';
import { timeOrderedUuid } from '../../models/ambient.ts';
import type { Accepted, AssetCreate, Caller } from '../../models/api.ts';
import { openPrincipals, type Asset, type OutboxEntry } from '../../models/asset.ts';
import { invalid, Refusal } from '../../models/errors.ts';
import { isIndexed } from '../../models/formats.ts';
import type { ArchivedRun, Run } from '../../models/job.ts';
import { withMembership } from '../../models/library-collection.ts';
import { accessPlace } from '../../mixins/sources/place.ts';
import { idsOfCollections } from './collections.ts';
import type { EffectiveSettings } from '../../models/settings.ts';
import type { Registrar } from './registrar.ts';
import { checkAccess } from './source-access.ts';

/** What the operation's Idempotency-Key fixes: the same key gives the same ids, also after a crash. */
export interface RegistrationIds {
  assetId: string;
  jobId: string;
}

/** Ids for a registration: derived from the idempotency id where there is one, else new. */
export function registrationIds(registrar: Registrar, idempotencyId: string | undefined, part = ''): RegistrationIds {
  const { ambient } = registrar.house;
  if (idempotencyId === undefined) return { assetId: timeOrderedUuid(ambient), jobId: timeOrderedUuid(ambient) };
  return { assetId: derivedUuid(`${idempotencyId}\nasset\n${part}`), jobId: derivedUuid(`${idempotencyId}\njob\n${part}`) };
}

/** A UUID made of a text's SHA-256 (version 8 of RFC 9562, for values of the application's own making). */
export function derivedUuid(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 0x3) | 0x8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** Checks what a schema cannot know of one field alone; answers the address to read from where it is a secret. @throws Refusal */
export function check(registrar: Registrar, organizationId: string, input: AssetCreate, settings: EffectiveSettings): string | null {
  if (!isIndexed(input.filename, input.kind)) {
    throw invalid(['body', 'filename'], `GET /capabilities lists the file name extensions of kind ${input.kind}; ${JSON.stringify(input.filename)} has none of them.`);
  }
  const absence = registrar.absenceOf(input.kind);
  if (absence !== null) throw invalid(['body', 'filename'], `Files of kind ${input.kind} cannot be indexed here at present: ${absence}`);
  return checkAccess(registrar, organizationId, input, settings);
}

/** How a sourceVersion is kept among those that were registered. */
export function versionMark(sourceVersion: string): string {
  return createHash('sha256').update(sourceVersion).digest('hex').slice(0, 32);
}

/** Who may see a registered file: who was named, else everybody, or nobody where the organization's settings say `requireAcl`. */
function permissionsOf({ principals }: AssetCreate, { requireAcl }: EffectiveSettings): Pick<Asset, 'aclMode' | 'principals'> {
  if (principals !== null && principals.length > 0) return { aclMode: 'restricted', principals: [...new Set(principals)] };
  return requireAcl ? { aclMode: 'restricted', principals: [] } : { aclMode: 'open', principals: [...openPrincipals] };
}

/** What a registration sets on a new asset and on a known one alike. */
function described(input: AssetCreate, sealedAccess: string | null): Pick<Asset, 'filename' | 'kind' | 'sourceUrl' | 'sourceVersion' | 'language' | 'audioTrack' | 'callbackKey' | 'contentSha256' | 'extractContentFromVideoFrames' | 'sealedAccess'> {
  return {
    filename: input.filename, kind: input.kind, sourceUrl: input.sourceUrl, sourceVersion: input.sourceVersion, language: input.language, audioTrack: input.audioTrack,
    callbackKey: input.callbackKey, contentSha256: input.contentSha256?.toLowerCase() ?? null, extractContentFromVideoFrames: input.extractContentFromVideoFrames, sealedAccess,
  };
}

/** A new asset whose first run waits. */
export function newAsset(caller: Pick<Caller, 'organizationId' | 'accountId'>, input: AssetCreate, collections: string[], settings: EffectiveSettings, sealedAccess: string | null, ids: RegistrationIds, now: number): Asset {
  return {
    _id: ids.assetId, organizationId: caller.organizationId, accountId: caller.accountId, externalId: input.externalId, externalKey: input.externalId,
    ...described(input, sealedAccess),
    registeredVersions: [versionMark(input.sourceVersion)], metadata: input.metadata ?? {}, collections, connectorId: null, bucketId: null,
    ...permissionsOf(input, settings), attributesVersion: 1,
    activeRevision: null, latestRevision: 1, facts: null, sourceMissingSince: null, createdAt: now, updatedAt: now, deletedAt: null,
    run: newRun(ids.jobId, 1, now), version: 1, outbox: withMembership([], [], collections, 1), ...(collections.length > 0 ? { outboxDue: 0 } : {}),
  };
}

/** The run that is replaced, as its history will show it. */
function endedRun(run: Run, now: number): Run {
  return isFinished(run) ? run : { ...run, state: 'cancelled', phase: 'ended', errorCode: null, lease: null, dueAt: null, updatedAt: now };
}

/**
 * Keeps a run that is about to be replaced. Of two that read the document at different times the later reading stands,
 * whichever writes last: a run that has become ready meanwhile must not be told as cancelled.
 */
async function archiveRun(archive: Collection<ArchivedRun>, asset: Asset, now: number): Promise<void> {
  const run = endedRun(asset.run, now);
  const { _id: assetId, organizationId, version: assetVersion } = asset;
  const inserted = await archive.insertNew([{ _id: run.jobId, organizationId, assetId, run, assetVersion }]);
  if (inserted.length === 0) await archive.update(run.jobId, { assetVersion: { $lt: assetVersion } }, { set: { run, assetVersion } });
}

/**
 * Puts a new run in the place of the latest one. The old run goes into the history first, so that it can be read at any
 * moment; the change itself is one write, conditional on the document as it was read.
 * @returns the asset as it is now, or null when it changed in between
 */
export async function startRun(registrar: Registrar, assets: Collection<Asset>, archive: Collection<ArchivedRun>, asset: Asset, jobId: string, fields: Partial<Asset>, now: number, run: Partial<Run> = {}): Promise<Asset | null> {
  const revision = asset.latestRevision + 1;
  await archiveRun(archive, asset, now);
  const leaseMs = registrar.house.configuration.PLY_LEASE_SECONDS * 1000;
  let outbox: OutboxEntry[] = [...asset.outbox];
  if (fields.attributesVersion !== undefined) {
    outbox = withAttributesEntry(outbox, fields.attributesVersion);
    if (fields.collections !== undefined) outbox = withMembership(outbox, asset.collections, fields.collections, fields.attributesVersion);
  }
  if (!isFinished(asset.run)) outbox.push(discardEntry(asset.run.revision, writersGone(asset, registrar.house.records.time(), leaseMs)));
  const started = await registrar.replace(assets, asset, { ...asset, ...fields, latestRevision: revision, run: { ...newRun(jobId, revision, now), ...run }, outbox, updatedAt: now });
  if (started !== null && !isFinished(asset.run)) tellEnded(registrar.house, asset, endedRun(asset.run, now));
  return started;
}

/** Registers one file: a new asset, or the next revision of a known one. @throws Refusal */
export async function register(registrar: Registrar, caller: Caller, input: AssetCreate, ids: RegistrationIds): Promise<Accepted> {
  const settings = await settingsOf(registrar.house, caller.organizationId);
  const access = check(registrar, caller.organizationId, input, settings);
  const sealed = (assetId: string): string | null => (access === null ? null : registrar.house.sealer.seal(access, accessPlace(assetId)));
  const { assets, archive } = registrar.of(caller.organizationId);
  const collections = input.collections === null ? null : await idsOfCollections(registrar, caller.organizationId, input.collections);
  for (;;) {
    const now = registrar.house.ambient.now();
    const [known] = await assets.find({ filter: { externalKey: input.externalId }, limit: 1 });
    if (known === undefined) {
      const asset = newAsset(caller, input, collections ?? [], settings, sealed(ids.assetId), ids, now);
      if (await registrar.insert(assets, asset)) {
        registrar.changed(caller.organizationId);
        await registrar.drainSoon(asset);
        return { assetId: asset._id, jobId: asset.run.jobId, revision: 1 };
      }
      const twin = await assets.get(ids.assetId);
      if (twin !== null && twin.deletedAt !== null) return { assetId: twin._id, jobId: ids.jobId, revision: 1 };
      continue;
    }
    const again = known.run.jobId === ids.jobId ? known.run : (await archive.get(ids.jobId))?.run;
    if (again !== undefined) return { assetId: known._id, jobId: again.jobId, revision: again.revision };
    const mark = versionMark(input.sourceVersion);
    if (known.registeredVersions.includes(mark)) throw new Refusal('source_version_already_registered', { detail: `${JSON.stringify(input.externalId)} is registered with this sourceVersion; POST /assets/${known._id}/reindex indexes it again.` });
    const attributes: Partial<Asset> = { ...newAttributes(known, input, collections, settings), ...(known.synced === undefined ? {} : { synced: { ...known.synced, mark: '', contentId: null } }) };
    const started = await startRun(registrar, assets, archive, known, ids.jobId, { ...described(input, sealed(known._id)), ...attributes, registeredVersions: [...known.registeredVersions, mark] }, now);
    if (started === null) continue;
    registrar.changed(caller.organizationId);
    await registrar.drainSoon(started);
    return { assetId: known._id, jobId: ids.jobId, revision: started.latestRevision };
  }
}

/** What of metadata and permissions a new revision brings along; what was left out stays. */
function newAttributes(known: Asset, input: AssetCreate, collections: string[] | null, settings: EffectiveSettings): Partial<Asset> {
  if (input.metadata === null && input.principals === null && collections === null && input.kind === known.kind) return {};
  const changed: Partial<Asset> = { attributesVersion: known.attributesVersion + 1, ...(input.principals === null ? {} : permissionsOf(input, settings)) };
  if (input.metadata !== null) changed.metadata = input.metadata;
  if (collections !== null) changed.collections = collections;
  return changed;
}
