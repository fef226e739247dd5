import { settingsOf } from '../../mixins/settings/settings.ts';
import { awaitsAccess, withAccess, withAttributesEntry } from '../../mixins/runs/transitions.ts';
import { timeOrderedUuid } from '../../models/ambient.ts';
import type { AssetCreate } from '../../models/api.ts';
import type { Asset } from '../../models/asset.ts';
import { connectors, type Connector } from '../../models/connector.ts';
import { refusalOf } from '../../models/errors.ts';
import { kindOf } from '../../models/formats.ts';
import { assetCreate } from '../../models/schemas/assets.ts';
import { scopeOf } from '../../models/scope.ts';
import type { EffectiveSettings } from '../../models/settings.ts';
import { byOf, faultsOfSource, passingFaults, placeOf, type SyncAnswer, type SyncBatch, type SyncChange, type SyncedFile, type SyncMarks, type SyncOutcome } from '../../models/sync.ts';
import { check, newAsset, registrationIds, startRun } from './register.ts';
import type { Registrar } from './registrar.ts';
import { decide, decideMissing, grantsOf, isSameFormat, type Teller, type Verdict } from './sync-decide.ts';

/** Assets that are written at a time. */
const atOnce = 32;

/** A batch under way. */
interface Applying extends Teller {
  registrar: Registrar;
  connector: Connector;
  settings: EffectiveSettings;
  /** Other connectors that own files of the batch, and whether they are there. */
  others: Map<string, Promise<boolean>>;
}

/**
 * Carries out what a sync has decided about some files. Each change is what the asset must be, not what is to be done with
 * it: a batch that is repeated after a crash writes nothing twice and is answered alike. It is refused (null) unless the
 * sync still holds its connector, which a deleted or changed one does not let it.
 */
export async function applySync(registrar: Registrar, { organizationId, connectorId, syncId, token, changes }: SyncBatch): Promise<SyncAnswer> {
  const connector = await registrar.house.records.collection(connectors, scopeOf(organizationId)).get(connectorId);
  if (connector === null || connector.sync?.syncId !== syncId || connector.sync.token !== token) return { outcomes: null };
  const settings = await settingsOf(registrar.house, organizationId);
  const applying: Applying = { registrar, connector, connectorId, syncId, settings, now: registrar.house.ambient.now(), others: new Map() };
  const outcomes: SyncOutcome[] = [];
  const rest = await registerNew(applying, changes, outcomes);
  for (let start = 0; start < rest.length; start += atOnce) {
    await Promise.all(rest.slice(start, start + atOnce).map(async (place) => {
      const change = changes[place];
      if (change !== undefined) outcomes[place] = await applyOne(applying, change);
    }));
  }
  if (changes.some(({ change }) => change === 'waiting') || outcomes.some(({ outcome }) => outcome === 'new' || outcome === 'changed')) registrar.changed(organizationId);
  return { outcomes };
}

/** The registration that a file is, or why it cannot be one. */
function registrationOf({ registrar, connector, settings }: Applying, file: SyncedFile): { input: AssetCreate } | { refused: SyncOutcome } {
  const kind = kindOf(file.filename);
  if (kind === null || registrar.absenceOf(kind) !== null) return { refused: { externalId: file.externalId, outcome: 'skipped', code: null } };
  const { externalId, filename, sourceUrl, sourceVersion, extractContentFromVideoFrames, principals } = file;
  try {
    const input = assetCreate.check({ externalId, filename, kind, sourceUrl, sourceVersion, extractContentFromVideoFrames, principals });
    check(registrar, connector.organizationId, input, settings);
    return { input };
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === null) throw error;
    return { refused: { externalId, outcome: 'failed', code: refusal.type } };
  }
}

/** Registers the files that nobody knows, all with one write; answers the places of all other changes. */
async function registerNew(applying: Applying, changes: readonly SyncChange[], outcomes: SyncOutcome[]): Promise<number[]> {
  const { registrar, connector, syncId, settings, now } = applying;
  const { assets } = registrar.of(connector.organizationId);
  const told = changes.flatMap((change) => (change.change === 'present' ? [change.file.externalId] : []));
  const known = new Set(told.length === 0 ? [] : (await assets.pick({ filter: { externalKey: { $in: told } }, limit: told.length }, ['externalKey'])).map(([key]) => key));
  const rest: number[] = [];
  const fresh: { place: number; asset: Asset }[] = [];
  changes.forEach((change, place) => {
    if (change.change !== 'present' || known.has(change.file.externalId)) {
      rest.push(place);
      return;
    }
    const { file, marks } = change;
    const registration = registrationOf(applying, file);
    if ('refused' in registration) {
      outcomes[place] = registration.refused;
      return;
    }
    fresh.push({
      place,
      asset: {
        ...newAsset(connector, registration.input, [], settings, null, registrationIds(registrar, undefined), now), connectorId: connector._id, ...grantsOf(file),
        synced: { place: placeOf(file.externalId), ...marks, contentId: file.contentId, by: byOf(syncId, 'new') },
      },
    });
  });
  const inserted = new Set(await assets.insertNew(fresh.map(({ asset }) => asset)));
  for (const { place, asset } of fresh) {
    if (inserted.has(asset._id)) outcomes[place] = { externalId: asset.externalId, outcome: 'new', code: null };
    else rest.push(place);
  }
  return rest;
}

async function applyOne(applying: Applying, change: SyncChange): Promise<SyncOutcome> {
  switch (change.change) {
    case 'present':
      return present(applying, change.file, change.marks);
    case 'moved':
      return moved(applying, change);
    case 'missing': {
      const { outcome } = await settle(applying, change.assetId, (asset) => (asset.externalId === change.externalId ? decideMissing(asset, applying) : null));
      return { externalId: change.externalId, outcome: outcome ?? 'unchanged', code: null };
    }
    case 'waiting':
      await tryAgain(applying, change.assetId);
      return { externalId: change.externalId, outcome: 'unchanged', code: null };
  }
}

/**
 * Lets the job of a file that waits for access go on, as somebody does who gives access; begins another for one that failed
 * for a reason that does not lie in the file.
 */
async function tryAgain({ registrar, connector, connectorId, now }: Applying, assetId: string): Promise<void> {
  const { assets, archive } = registrar.of(connector.organizationId);
  for (;;) {
    const asset = await assets.get(assetId);
    if (asset === null || asset.deletedAt !== null || asset.connectorId !== connectorId) return;
    const { run } = asset;
    const failedElsewhere = run.state === 'failed' && run.errorCode !== null && (faultsOfSource.includes(run.errorCode) || passingFaults.includes(run.errorCode));
    if (!awaitsAccess(run) && !failedElsewhere) return;
    const written = failedElsewhere
      ? await startRun(registrar, assets, archive, asset, timeOrderedUuid(registrar.house.ambient), {}, now)
      : await registrar.replace(assets, asset, { ...asset, run: withAccess(run, registrar.house.records.time()), updatedAt: now });
    if (written === null) continue;
    await registrar.drainSoon(written);
    return;
  }
}

/** A file that is there, and was known when the batch began. */
async function present(applying: Applying, file: SyncedFile, marks: SyncMarks): Promise<SyncOutcome> {
  const { registrar, connector } = applying;
  const { externalId } = file;
  const registration = registrationOf(applying, file);
  if ('refused' in registration) return registration.refused;
  const { assets } = registrar.of(connector.organizationId);
  for (;;) {
    const [known] = await assets.find({ filter: { externalKey: externalId }, limit: 1 });
    if (known === undefined) {
      // Deleted by somebody this very moment: it is a new file.
      const outcomes: SyncOutcome[] = [];
      await registerNew(applying, [{ change: 'present', file, marks }], outcomes);
      const [outcome] = outcomes;
      if (outcome !== undefined) return outcome;
      continue;
    }
    if (await isOfAnother(applying, known)) return { externalId, outcome: 'unchanged', code: null };
    const { outcome } = await settle(applying, known._id, (asset) => (asset.externalId === externalId ? decide(asset, file, marks, applying, false) : null));
    if (outcome !== null) return { externalId, outcome, code: null };
  }
}

/** Whether a file belongs to another connector. What a deleted one has left, and what was registered by hand, is taken over. */
async function isOfAnother({ registrar, connector, others }: Applying, asset: Asset): Promise<boolean> {
  const owner = asset.connectorId;
  if (owner === null || owner === connector._id) return false;
  const asked = others.get(owner) ?? registrar.house.records.collection(connectors, scopeOf(connector.organizationId)).get(owner).then((other) => other !== null);
  others.set(owner, asked);
  return asked;
}

async function moved(applying: Applying, { assetId, file, marks }: SyncChange & { change: 'moved' }): Promise<SyncOutcome> {
  const { externalId } = file;
  const registration = registrationOf(applying, file);
  if ('refused' in registration) return { externalId, outcome: 'apart', code: null };
  const { outcome } = await settle(applying, assetId, (asset) => {
    if (asset.connectorId !== applying.connectorId) return null;
    if (asset.externalId === externalId) return decide(asset, file, marks, applying, false);
    return asset.synced?.contentId === file.contentId && isSameFormat(asset, file.filename) ? decide(asset, file, marks, applying, true) : null;
  });
  return { externalId, outcome: outcome ?? 'apart', code: null };
}

/** Reads an asset and writes what is decided about it, until nobody wrote in between; null where nothing can be decided about it. */
async function settle({ registrar, connector, now }: Applying, assetId: string, judge: (asset: Asset) => Verdict | null): Promise<{ outcome: Verdict['outcome'] | null }> {
  const { assets, archive } = registrar.of(connector.organizationId);
  for (;;) {
    const asset = await assets.get(assetId);
    const verdict = asset === null || asset.deletedAt !== null ? null : judge(asset);
    if (asset === null || verdict === null) return { outcome: null };
    const { fields, run, outcome } = verdict;
    if (fields === null) return { outcome };
    try {
      const written = run
        ? await startRun(registrar, assets, archive, asset, timeOrderedUuid(registrar.house.ambient), fields, now)
        : await registrar.replace(assets, asset, { ...asset, ...fields, updatedAt: now, outbox: fields.attributesVersion === undefined ? asset.outbox : withAttributesEntry(asset.outbox, fields.attributesVersion) });
      if (written === null) continue;
      await registrar.drainSoon(written);
      return { outcome };
    } catch (error) {
      // The external id to which it was to be moved is another asset's by now.
      if (error instanceof Error && error.name === 'DuplicateRecord') return { outcome: null };
      throw error;
    }
  }
}
