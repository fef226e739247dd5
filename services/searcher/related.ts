import type { Passages } from '../../adapters/passages/port.ts';
import type { RelatedItem } from '../../models/api.ts';
import { Refusal } from '../../models/errors.ts';
import type { OrganizationScope } from '../../models/scope.ts';
import { maySee, type AssetRecord, type Indexed } from './check.ts';
import { Checker } from './checker.ts';
import { shownRelevance } from './present.ts';
import { nearByWords } from './related-words.ts';
import type { CheckTools } from './retrieve.ts';

/** Passages of a file whose vectors stand for it, spread over it. */
const vectorsRead = 16;
/** Files asked for beside those that are wanted, for those that the records no longer back. */
const spare = 20;
/** Times that the index is asked for one answer, and files at most. */
const rounds = 4;
const mostFiles = 1000;

/** What finding related files works with. */
export interface RelatedTools extends Pick<CheckTools, 'readAssets' | 'permissionDropped' | 'leftOver'> {
  passages: Pick<Passages, 'nearestFiles' | 'vectorsOf' | 'frequenciesOf' | 'countOf' | 'fetch' | 'retrieve'>;
  /** The model by whose vectors files are compared; null: by their words. */
  model: { id: string; dimensions: number } | null;
  /** Languages of the organization's passages; none where it has no passage. */
  languages: (scope: OrganizationScope) => Promise<readonly string[]>;
}

/** Whose relatives are asked for, and by whom. */
export interface RelatedRequest {
  assetId: string;
  limit: number;
  /** Null: not sent, open files only. */
  principals: string[] | null;
}

/** The related files, and whether there was anything to look through. */
export interface RelatedOutcome {
  items: RelatedItem[];
  /** True where the organization has no retrievable passage at all: that is not charged. */
  emptyLibrary: boolean;
}

/** A file that the index gave, with how much it is like the other. */
export type Near = Indexed & { similarity: number };

/** The direction in which most of the vectors point, of length 1; null for none. */
function meanOf(vectors: readonly Float32Array[]): Float32Array | null {
  const mean = new Float32Array(vectors[0]?.length ?? 0);
  for (const vector of vectors) {
    const length = Math.hypot(...vector) || 1;
    for (let place = 0; place < mean.length; place += 1) mean[place] = (mean[place] ?? 0) + (vector[place] ?? 0) / length;
  }
  const length = Math.hypot(...mean);
  return length > 1e-6 ? mean.map((value) => value / length) : null;
}

/** Asks the index for the files nearest to a file: by its vectors, or by its words where it has none. */
async function nearest(tools: RelatedTools, scope: OrganizationScope, { assetId, principals }: RelatedRequest, revision: number): Promise<(limit: number) => Promise<Near[]>> {
  const { passages, model } = tools;
  const vector = model === null ? null : meanOf(await passages.vectorsOf(scope, { assetId, revision }, model, vectorsRead));
  if (vector === null || model === null) return nearByWords(passages, scope, { assetId, revision, principals });
  return async (limit) => {
    const files = await passages.nearestFiles(scope, { principals, filter: {}, vector, embeddingModel: model.id, exceptAsset: assetId, limit });
    return files.map(({ cosine, ...file }) => ({ ...file, similarity: cosine }));
  };
}

function compareText(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

function itemOf({ similarity }: Near, asset: AssetRecord): RelatedItem {
  const { filename } = asset.activeSource ?? asset;
  return { assetId: asset._id, externalId: asset.externalId, filename, kind: asset.kind, metadata: asset.metadata, similarity: shownRelevance(Math.min(1, similarity)) };
}

/**
 * The files most like a file, one row each, best first. Files are restricted and checked as on a search.
 * @throws Refusal asset_not_found where there is no such asset, or principals were sent that may not see it
 */
export async function related(tools: RelatedTools, scope: OrganizationScope, request: RelatedRequest): Promise<RelatedOutcome> {
  const granted = new Set(request.principals);
  const [[asset], languages] = await Promise.all([tools.readAssets(scope, [request.assetId], granted), tools.languages(scope)]);
  if (asset === undefined || asset.deletedAt !== null || (request.principals !== null && !maySee(asset, granted))) throw new Refusal('asset_not_found');
  const emptyLibrary = languages.length === 0;
  if (asset.activeRevision === null) return { items: [], emptyLibrary };
  const ask = await nearest(tools, scope, request, asset.activeRevision);
  const checker = new Checker(tools, scope, granted);
  let limit = request.limit + spare;
  for (;;) {
    const near = await ask(limit);
    const { shown, missed } = await checker.check(near);
    const found = near.flatMap((file, place) => {
      const record = shown[place];
      return record === undefined || file.similarity <= 0 ? [] : [{ file, record }];
    });
    const crowdedOut = found.length < request.limit && near.length >= limit && limit < mostFiles;
    if (checker.rounds < rounds && (missed || crowdedOut)) {
      if (crowdedOut) limit = Math.min(mostFiles, limit * 4);
      continue;
    }
    found.sort((one, other) => other.file.similarity - one.file.similarity || one.record.createdAt - other.record.createdAt || compareText(one.record._id, other.record._id));
    return { items: found.slice(0, request.limit).map(({ file, record }) => itemOf(file, record)), emptyLibrary };
  }
}
