import { isDuplicate } from '../../adapters/records/port.ts';
import { exceededQuotas, requireQuota } from '../../mixins/accounts/quota.ts';
import { settingsOf } from '../../mixins/settings/settings.ts';
import { awaitsAccess, withAccess, withAttributesEntry } from '../../mixins/indexing/runs.ts';
import { timeOrderedUuid } from '../../models/runtime.ts';
import type { AssetCreate } from '../../models/api.ts';
import type { Asset } from '../../models/asset.ts';
import { connectors, type Connector } from '../../models/connector.ts';
import { refusalOf, type ErrorCode } from '../../models/errors.ts';
import { kindOf } from '../../models/formats.ts';
import { quotaOfKind } from '../../models/quota-count.ts';
import { assetCreate } from '../../models/schemas/assets.ts';
import { scopeOf } from '../../models/scope.ts';
import type { EffectiveSettings } from '../../models/settings.ts';
import {
  byOf,
  sourceErrorCodes,
  transientErrorCodes,
  sortKeyOf,
  type SyncAnswer,
  type SyncBatch,
  type SyncChange,
  type SyncedFile,
  type SyncMarks,
  type SyncOutcome,
} from '../../models/sync.ts';
import { check, newAsset, registrationIds, startRun } from './register.ts';
import type { Registrar } from './registrar.ts';
import { decide, decideMissing, grantsOf, isSameFormat, type SyncContext, type SyncDecision } from './sync-decide.ts';

/** Where a connector's files are: it says their addresses at each read. */
const elsewhere = { bucketId: null, sealedAccess: null };
/** Assets that are written concurrently. */
const concurrency = 32;

/** The state of a running batch. */
interface Applying extends SyncContext {
  registrar: Registrar;
  connector: Connector;
  settings: EffectiveSettings;
  /** Other connectors that own files of the batch, and whether they exist. */
  others: Map<string, Promise<boolean>>;
}

/**
 * Applies the changes of a sync. Each change states what the asset must be, so a batch that is repeated after a crash
 * writes nothing twice and has the same answer. It is refused (null) unless the sync still has its lease: the sync of a
 * deleted or changed connector has ended.
 */
export async function applySync(
  registrar: Registrar,
  { organizationId, connectorId, syncId, token, changes }: SyncBatch,
): Promise<SyncAnswer> {
  const connector = await registrar.app.records.collection(connectors, scopeOf(organizationId)).get(connectorId);
  if (connector === null || connector.sync?.syncId !== syncId || connector.sync.token !== token)
    return { outcomes: null };
  const settings = await settingsOf(registrar.app, organizationId);
  const applying: Applying = {
    registrar,
    connector,
    connectorId,
    syncId,
    settings,
    now: registrar.app.runtime.now(),
    others: new Map(),
  };
  const outcomes: SyncOutcome[] = [];
  const rest = await registerNew(applying, changes, outcomes);
  for (let start = 0; start < rest.length; start += concurrency) {
    await Promise.all(
      rest.slice(start, start + concurrency).map(async (index) => {
        const change = changes[index];
        if (change !== undefined) outcomes[index] = await applyOne(applying, change).catch(failedOutcome(change));
      }),
    );
  }
  if (
    changes.some(({ change }) => change === 'waiting') ||
    outcomes.some(({ outcome }) => outcome === 'new' || outcome === 'changed')
  )
    registrar.changed(organizationId);
  return { outcomes };
}

/** The registration of a listed file, or why it cannot be registered. */
function registrationOf(
  { registrar, connector, settings }: Applying,
  file: SyncedFile,
): { input: AssetCreate } | { refused: SyncOutcome } {
  const kind = kindOf(file.filename);
  if (kind === null || registrar.absenceOf(kind) !== null)
    return { refused: { externalId: file.externalId, outcome: 'skipped', code: null } };
  const { externalId, filename, sourceUrl, sourceVersion, extractContentFromVideoFrames, principals } = file;
  try {
    const input = assetCreate.check({
      externalId,
      filename,
      kind,
      sourceUrl,
      sourceVersion,
      extractContentFromVideoFrames,
      principals,
    });
    check(registrar, connector.organizationId, input, settings, null);
    return { input };
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === null) throw error;
    return { refused: { externalId, outcome: 'failed', code: refusal.type } };
  }
}

/** Registers unknown files, all with one write; answers the indexes of all other changes. */
async function registerNew(
  applying: Applying,
  changes: readonly SyncChange[],
  outcomes: SyncOutcome[],
): Promise<number[]> {
  const { registrar, connector, syncId, settings, now } = applying;
  const { assets } = registrar.of(connector.organizationId);
  const externalIds = changes.flatMap((change) => (change.change === 'present' ? [change.file.externalId] : []));
  const known = new Set(
    externalIds.length === 0
      ? []
      : (
          await assets.pick({ filter: { externalKey: { $in: externalIds } }, limit: externalIds.length }, [
            'externalKey',
          ])
        ).map(([key]) => key),
  );
  const rest: number[] = [];
  const fresh: { index: number; asset: Asset }[] = [];
  const exceeded = await exceededQuotas(registrar.app, connector.accountId);
  changes.forEach((change, index) => {
    if (change.change !== 'present' || known.has(change.file.externalId)) {
      rest.push(index);
      return;
    }
    const { file, marks } = change;
    const registration = registrationOf(applying, file);
    if ('refused' in registration) {
      outcomes[index] = registration.refused;
      return;
    }
    if (exceeded.has(quotaOfKind(registration.input.kind))) {
      outcomes[index] = { externalId: file.externalId, outcome: 'failed', code: 'quota_exceeded' };
      return;
    }
    fresh.push({
      index,
      asset: {
        ...newAsset(connector, registration.input, [], settings, elsewhere, registrationIds(registrar, undefined), now),
        connectorId: connector._id,
        ...grantsOf(file),
        synced: { place: sortKeyOf(file.externalId), ...marks, contentId: file.contentId, by: byOf(syncId, 'new') },
      },
    });
  });
  const refused = new Map<string, ErrorCode>();
  const inserted = new Set(
    await registrar.ceiling.insertNew(
      assets,
      connector.accountId,
      fresh.map(({ asset }) => asset),
      refused,
    ),
  );
  for (const { index, asset } of fresh) {
    const code = refused.get(asset._id);
    if (code !== undefined) outcomes[index] = { externalId: asset.externalId, outcome: 'failed', code };
    else if (inserted.has(asset._id)) outcomes[index] = { externalId: asset.externalId, outcome: 'new', code: null };
    else rest.push(index);
  }
  return rest;
}

/** The outcome of a change that the registrar refuses: the sync continues with the other files. */
function failedOutcome(change: SyncChange): (error: unknown) => SyncOutcome {
  return (error) => {
    const refusal = refusalOf(error);
    if (refusal === null) throw error;
    const { externalId } = 'file' in change ? change.file : change;
    return { externalId, outcome: 'failed', code: refusal.type };
  };
}

async function applyOne(applying: Applying, change: SyncChange): Promise<SyncOutcome> {
  switch (change.change) {
    case 'present':
      return present(applying, change.file, change.marks);
    case 'moved':
      return moved(applying, change);
    case 'missing': {
      const { outcome } = await decideAndWrite(applying, change.assetId, (asset) =>
        asset.externalId === change.externalId ? decideMissing(asset, applying) : null,
      );
      return { externalId: change.externalId, outcome: outcome ?? 'unchanged', code: null };
    }
    case 'waiting':
      await retry(applying, change.assetId);
      return { externalId: change.externalId, outcome: 'unchanged', code: null };
  }
}

/**
 * Resumes the job of a file that waits for source access, as if access had been given; starts another job for a file
 * that failed for a reason outside the file.
 */
async function retry({ registrar, connector, connectorId, now }: Applying, assetId: string): Promise<void> {
  const { assets, archive } = registrar.of(connector.organizationId);
  for (;;) {
    const asset = await assets.get(assetId);
    if (asset === null || asset.deletedAt !== null || asset.connectorId !== connectorId) return;
    const { run } = asset;
    const failedElsewhere =
      run.state === 'failed' &&
      run.errorCode !== null &&
      (sourceErrorCodes.includes(run.errorCode) || transientErrorCodes.includes(run.errorCode));
    if (!awaitsAccess(run) && !failedElsewhere) return;
    const written = failedElsewhere
      ? await startRun(registrar, assets, archive, asset, timeOrderedUuid(registrar.app.runtime), {}, now)
      : await registrar.replace(assets, asset, {
          ...asset,
          run: withAccess(run, registrar.app.records.time()),
          updatedAt: now,
        });
    if (written === null) continue;
    await registrar.drainSoon(written);
    return;
  }
}

/** Applies a listed file that was known when the batch began. */
async function present(applying: Applying, file: SyncedFile, marks: SyncMarks): Promise<SyncOutcome> {
  const { registrar, connector } = applying;
  const { externalId } = file;
  const registration = registrationOf(applying, file);
  if ('refused' in registration) return registration.refused;
  const { assets } = registrar.of(connector.organizationId);
  for (;;) {
    const [known] = await assets.find({ filter: { externalKey: externalId }, limit: 1 });
    if (known === undefined) {
      // It was deleted in the meantime: now it is a new file.
      const outcomes: SyncOutcome[] = [];
      await registerNew(applying, [{ change: 'present', file, marks }], outcomes);
      const [outcome] = outcomes;
      if (outcome !== undefined) return outcome;
      continue;
    }
    if (await isOfAnother(applying, known)) return { externalId, outcome: 'unchanged', code: null };
    const { outcome } = await decideAndWrite(applying, known._id, (asset) =>
      asset.externalId === externalId ? decide(asset, file, marks, applying, false) : null,
    );
    if (outcome !== null) return { externalId, outcome, code: null };
  }
}

/**
 * Whether a file belongs to another connector. The connector adopts files of a deleted connector, and files that a
 * client registered.
 */
async function isOfAnother({ registrar, connector, others }: Applying, asset: Asset): Promise<boolean> {
  const owner = asset.connectorId;
  if (owner === null || owner === connector._id) return false;
  const asked =
    others.get(owner) ??
    registrar.app.records
      .collection(connectors, scopeOf(connector.organizationId))
      .get(owner)
      .then((other) => other !== null);
  others.set(owner, asked);
  return asked;
}

async function moved(
  applying: Applying,
  { assetId, file, marks }: SyncChange & { change: 'moved' },
): Promise<SyncOutcome> {
  const { externalId } = file;
  const registration = registrationOf(applying, file);
  if ('refused' in registration) return { externalId, outcome: 'apart', code: null };
  const { outcome } = await decideAndWrite(applying, assetId, (asset) => {
    if (asset.connectorId !== applying.connectorId) return null;
    if (asset.externalId === externalId) return decide(asset, file, marks, applying, false);
    return asset.synced?.contentId === file.contentId && isSameFormat(asset, file.filename)
      ? decide(asset, file, marks, applying, true)
      : null;
  });
  return { externalId, outcome: outcome ?? 'apart', code: null };
}

/** Reads an asset and writes the decision about it, repeated after concurrent writes. Null if there is no decision. */
async function decideAndWrite(
  { registrar, connector, now }: Applying,
  assetId: string,
  decideOn: (asset: Asset) => SyncDecision | null,
): Promise<{ outcome: SyncDecision['outcome'] | null }> {
  const { assets, archive } = registrar.of(connector.organizationId);
  for (;;) {
    const asset = await assets.get(assetId);
    const decision = asset === null || asset.deletedAt !== null ? null : decideOn(asset);
    if (asset === null || decision === null) return { outcome: null };
    const { fields, run, outcome } = decision;
    if (fields === null) return { outcome };
    try {
      if (run) await requireQuota(registrar.app, connector.accountId, [quotaOfKind(fields.kind ?? asset.kind)]);
      const written = run
        ? await startRun(registrar, assets, archive, asset, timeOrderedUuid(registrar.app.runtime), fields, now)
        : await registrar.replace(assets, asset, {
            ...asset,
            ...fields,
            updatedAt: now,
            outbox:
              fields.attributesVersion === undefined
                ? asset.outbox
                : withAttributesEntry(asset.outbox, fields.attributesVersion),
          });
      if (written === null) continue;
      await registrar.drainSoon(written);
      return { outcome };
    } catch (error) {
      // The external id to which it was to be moved is another asset's by now.
      if (isDuplicate(error)) return { outcome: null };
      throw error;
    }
  }
}
