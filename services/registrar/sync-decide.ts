import { isFinished } from '../../mixins/work/transitions.ts';
import { openPrincipals, type Asset, type FileSource } from '../../models/asset.ts';
import { formatOf, kindOf } from '../../models/formats.ts';
import { byOf, outcomeBy, sortKeyOf, type SyncedFile, type SyncMarks, type SyncResult } from '../../models/sync.ts';

/** The connector and the sync that report a file, and when. */
export interface SyncContext {
  connectorId: string;
  syncId: string;
  now: number;
}

/** What a sync does with a known asset. */
export interface SyncDecision {
  outcome: SyncResult;
  /** Fields to write; null if nothing is written. */
  fields: Partial<Asset> | null;
  /** Whether the file is read again. */
  run: boolean;
}

/** Who may see a file, in the fields of an asset. */
export function grantsOf(file: Pick<SyncedFile, 'aclMode' | 'principals'>): Pick<Asset, 'aclMode' | 'principals'> {
  return {
    aclMode: file.aclMode,
    principals: file.aclMode === 'open' ? [...openPrincipals] : [...new Set(file.principals)],
  };
}

/** Whether a file keeps its kind and format under another name. */
export function isSameFormat(asset: Pick<Asset, 'kind' | 'filename'>, filename: string): boolean {
  return kindOf(filename) === asset.kind && formatOf(filename, asset.kind) === formatOf(asset.filename, asset.kind);
}

function isSameAccess(asset: Asset, grants: Pick<Asset, 'aclMode' | 'principals'>): boolean {
  if (asset.aclMode !== grants.aclMode) return false;
  if (asset.aclMode === 'open') return true;
  const had = new Set(asset.principals);
  return had.size === grants.principals.length && grants.principals.every((principal) => had.has(principal));
}

/** The source that the active revision is shown with after its file was renamed or moved. */
function shownSource(asset: Asset, file: SyncedFile): { activeSource?: FileSource } {
  if (asset.activeRevision === null) return {};
  const shown = asset.activeSource?.sourceVersion ?? asset.sourceVersion;
  return {
    activeSource: {
      filename: file.filename,
      sourceUrl: file.sourceUrl,
      sourceVersion: shown === asset.sourceVersion ? file.sourceVersion : shown,
    },
  };
}

/**
 * Decides the smallest change that makes a known asset agree with its file at the connector. The same content is read
 * again only where the last reading did not complete, or its format changed.
 * @param moves whether the file is listed under another external id
 */
export function decide(
  asset: Asset,
  file: SyncedFile,
  marks: SyncMarks,
  { connectorId, syncId }: SyncContext,
  moves: boolean,
): SyncDecision {
  const before = asset.connectorId === connectorId ? asset.synced : undefined;
  const returns = asset.sourceMissingSince !== null;
  if (before?.mark === marks.mark && !returns && !moves)
    return { outcome: outcomeBy(syncId, before.by) ?? 'unchanged', fields: null, run: false };

  const sameContent =
    moves ||
    asset.sourceVersion === file.sourceVersion ||
    (file.contentId !== null && before?.contentId === file.contentId);
  const isRenamed = asset.filename !== file.filename || asset.sourceUrl !== file.sourceUrl || moves;
  const isRepointed = isRenamed || asset.sourceVersion !== file.sourceVersion;
  const isReading = !isFinished(asset.run) && asset.run.purpose === 'index';
  const isBroken = asset.run.state === 'failed' || asset.run.state === 'awaiting_source_access';
  const sameFormat = isSameFormat(asset, file.filename);
  const run = !sameContent || !sameFormat || (isRepointed && (isReading || isBroken)) || (returns && isBroken);

  const grants = grantsOf(file);
  const isAccessReported = file.mirrored || (before !== undefined && before.access !== marks.access);
  const isGranted = isAccessReported && !isSameAccess(asset, grants);

  const outcome: SyncResult = outcomeOf({
    moves,
    run,
    isRenamed: isRenamed && before !== undefined && sameContent && sameFormat && !returns,
    isGranted,
    returns,
  });
  const kind = kindOf(file.filename) ?? asset.kind;
  const isMirrored = isGranted || returns || moves || kind !== asset.kind;
  const fields: Partial<Asset> = {
    connectorId,
    bucketId: null,
    filename: file.filename,
    kind,
    sourceUrl: file.sourceUrl,
    sourceVersion: file.sourceVersion,
    extractContentFromVideoFrames: file.extractContentFromVideoFrames,
    sourceMissingSince: null,
    synced: { place: sortKeyOf(file.externalId), ...marks, contentId: file.contentId, by: byOf(syncId, outcome) },
    ...(isRepointed || before === undefined ? { sealedAccess: null, callbackKey: null } : {}),
    ...(sameContent ? {} : { contentSha256: null }),
    ...(sameContent && isRepointed ? shownSource(asset, file) : {}),
    ...(isGranted ? grants : {}),
    ...(moves ? { externalId: file.externalId, externalKey: file.externalId } : {}),
    ...(isMirrored ? { attributesVersion: asset.attributesVersion + 1 } : {}),
  };
  return { outcome, fields, run };
}

function outcomeOf({
  moves,
  run,
  isRenamed,
  isGranted,
  returns,
}: { [fact in 'moves' | 'run' | 'isRenamed' | 'isGranted' | 'returns']: boolean }): SyncResult {
  if (moves) return 'moved';
  if (run) return isRenamed ? 'moved' : 'changed';
  if (isGranted) return 'reauthorized';
  if (isRenamed) return 'moved';
  return returns ? 'returned' : 'unchanged';
}

/** Decides about an asset whose file is no longer listed: it is hidden from searches and kept. */
export function decideMissing(asset: Asset, { connectorId, syncId, now }: SyncContext): SyncDecision {
  const { synced } = asset;
  if (asset.connectorId !== connectorId || synced === undefined)
    return { outcome: 'unchanged', fields: null, run: false };
  if (asset.sourceMissingSince !== null)
    return { outcome: outcomeBy(syncId, synced.by) ?? 'unchanged', fields: null, run: false };
  return {
    outcome: 'removed',
    fields: {
      sourceMissingSince: now,
      attributesVersion: asset.attributesVersion + 1,
      synced: { ...synced, by: byOf(syncId, 'removed') },
    },
    run: false,
  };
}
