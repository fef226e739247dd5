import type { Passages } from '../../adapters/passages/port.ts';
import type { FilePassages, PassageView } from '../../models/api.ts';
import { Refusal } from '../../models/errors.ts';
import { passageAddressOf, passageIdOf, type Passage, type PassageAddress } from '../../models/passage.ts';
import type { OrganizationScope } from '../../models/scope.ts';
import { maySee, type AssetRecord, type CheckTools } from './check.ts';
import { withPlayFrom } from './present.ts';

/** What reading a passage works with. */
export interface PassageTools extends Pick<CheckTools, 'readAssets'> {
  passages: Pick<Passages, 'fetch'>;
}

/** A reading of a passage. */
export interface PassageRequest {
  passageId: string;
  /** How many passages before and after it are read as well. */
  before: number;
  after: number;
  /** Null: open files only. */
  principals: string[] | null;
}

/**
 * Reads a passage that a search found, with those around it. What a search of the same principals would not find is
 * not read.
 * @throws Refusal asset_not_found, passage_not_found
 */
export async function readPassage(
  tools: PassageTools,
  scope: OrganizationScope,
  { passageId, before, after, principals }: PassageRequest,
): Promise<PassageView> {
  const { assetId, revision, ordinal } = passageAddressOf(passageId);
  const granted = new Set(principals);
  const [asset] = await tools.readAssets(scope, [assetId], granted);
  if (asset === undefined || !isFound(asset) || !maySee(asset, granted)) throw new Refusal('asset_not_found');
  // Passages of other revisions may not be published, or are being removed.
  if (asset.activeRevision !== revision) throw new Refusal('passage_not_found');
  const first = Math.max(0, ordinal - before);
  const keys = Array.from({ length: ordinal + after - first + 1 }, (_, index) => ({
    assetId,
    revision,
    ordinal: first + index,
  }));
  const found = await tools.passages.fetch(scope, keys);
  if (!found.some((passage) => passage.ordinal === ordinal)) throw new Refusal('passage_not_found');
  const { filename } = asset.activeSource ?? asset;
  const { externalId, kind, metadata } = asset;
  return {
    assetId,
    externalId,
    filename,
    kind,
    revision,
    metadata,
    passages: found.map((passage) => ({
      ...shown(passage),
      asked: passage.ordinal === ordinal,
    })),
  };
}

/** Which passages of a file are listed. */
export interface PassagesRequest {
  assetId: string;
  /** Place of the first one, from 0. */
  from: number;
  limit: number;
  asReader: boolean;
  principals: string[] | null;
}

/**
 * Lists the passages of a file in its order: its text, as it is searched. As a transcript, it is read as the
 * organization that owns the file, or with `asReader` or principals as a reader.
 * @throws Refusal asset_not_found
 */
export async function listPassages(
  tools: PassageTools,
  scope: OrganizationScope,
  { assetId, from, limit, asReader, principals }: PassagesRequest,
): Promise<FilePassages> {
  const granted = new Set(principals);
  const [asset] = await tools.readAssets(scope, [assetId], granted);
  const isReader = asReader || principals !== null;
  if (asset === undefined || asset.deletedAt !== null || (isReader && !maySee(asset, granted)))
    throw new Refusal('asset_not_found');
  const revision = asset.activeRevision;
  if (revision === null) return { assetId, revision, items: [], next: null };
  const keys = Array.from({ length: limit + 1 }, (_, index) => ({ assetId, revision, ordinal: from + index }));
  const found = await tools.passages.fetch(scope, keys);
  const next = found.some(({ ordinal }) => ordinal === from + limit) ? from + limit : null;
  return { assetId, revision, items: found.filter(({ ordinal }) => ordinal < from + limit).map(shown), next };
}

function shown(passage: Passage & PassageAddress): FilePassages['items'][number] {
  const { text, speaker, language } = passage;
  return { passageId: passageIdOf(passage), text, location: withPlayFrom(passage, []), speaker, language };
}

/** Whether searches find a file. */
function isFound({ deletedAt, sourceMissingSince }: AssetRecord): boolean {
  return deletedAt === null && sourceMissingSince === null;
}
