import type { Passages, VectorModel } from '../../adapters/passages/port.ts';
import type { RelatedItem } from '../../models/api.ts';
import { Refusal } from '../../models/errors.ts';
import type { OrganizationScope } from '../../models/scope.ts';
import { Checker, maySee, type AssetRecord, type CheckTools, type Indexed } from './check.ts';
import { compareText } from './order.ts';
import { shownRelevance } from './present.ts';
import { nearByWords } from './related-words.ts';
import { readWhole } from './whole-documents.ts';

/** Passages of a file whose vectors represent it, evenly spaced. */
const maxVectors = 16;
/** Files retrieved beyond the limit, because the check against the records may drop some. */
const spareFiles = 20;
/** Retrievals of one request, and files of one retrieval. */
const maxRounds = 4;
const maxFiles = 1000;

/** What finding related files works with. */
export interface RelatedTools extends CheckTools {
  passages: Pick<Passages, 'nearestFiles' | 'vectorsOf' | 'frequenciesOf' | 'countOf' | 'fetch' | 'retrieve'>;
  /** The models whose vectors are compared, preferred first; none to compare words. */
  models: readonly VectorModel[];
  /** Languages of the organization's passages; none where it has no passage. */
  languages: (scope: OrganizationScope) => Promise<readonly string[]>;
}

/** A request for related files. */
export interface RelatedRequest {
  assetId: string;
  limit: number;
  /** Null: open files only. */
  principals: string[] | null;
}

/** The related files. */
export interface RelatedOutcome {
  items: RelatedItem[];
  /** True where the organization has no retrievable passage: such a request is not charged. */
  emptyLibrary: boolean;
}

/** A file from the index, with its similarity. */
export type Near = Indexed & { similarity: number };

/** The mean direction of the vectors, of length 1; null where there is none. */
function meanOf(vectors: readonly Float32Array[]): Float32Array | null {
  const mean = new Float32Array(vectors[0]?.length ?? 0);
  for (const vector of vectors) {
    const length = Math.hypot(...vector) || 1;
    for (let index = 0; index < mean.length; index += 1)
      mean[index] = (mean[index] ?? 0) + (vector[index] ?? 0) / length;
  }
  const length = Math.hypot(...mean);
  return length > 1e-6 ? mean.map((value) => value / length) : null;
}

/** Vectors of a file of the model of most of its passages. */
async function vectorsOf(
  { passages, models }: RelatedTools,
  scope: OrganizationScope,
  file: { assetId: string; revision: number },
): Promise<{ model: string | null; vectors: Float32Array[] }> {
  const found = await Promise.all(
    models.map(async (model) => ({
      model: model.id,
      vectors: await passages.vectorsOf(scope, file, model, maxVectors),
    })),
  );
  return found.reduce<{ model: string | null; vectors: Float32Array[] }>(
    (most, each) => (each.vectors.length > most.vectors.length ? each : most),
    { model: null, vectors: [] },
  );
}

/** Finds the files nearest to a file: by its vectors, or by its words where it has none. */
async function nearest(
  tools: RelatedTools,
  scope: OrganizationScope,
  { assetId, principals }: RelatedRequest,
  revision: number,
): Promise<(limit: number) => Promise<Near[]>> {
  const { passages } = tools;
  const { model, vectors } = await vectorsOf(tools, scope, { assetId, revision });
  const vector = meanOf(vectors);
  if (vector === null || model === null) return nearByWords(passages, scope, { assetId, revision, principals });
  return async (limit) => {
    const files = await passages.nearestFiles(scope, {
      principals,
      filter: {},
      vector,
      embeddingModel: model,
      exceptAsset: assetId,
      limit,
    });
    return files.map(({ cosine, ...file }) => ({ ...file, similarity: cosine }));
  };
}

function itemOf({ similarity }: Near, asset: AssetRecord): RelatedItem {
  const { filename } = asset.activeSource ?? asset;
  return {
    assetId: asset._id,
    externalId: asset.externalId,
    filename,
    kind: asset.kind,
    metadata: asset.metadata,
    similarity: shownRelevance(Math.min(1, similarity)),
  };
}

/**
 * The files most similar to a file, best first, restricted and checked as in a search.
 * @param admit looks at the quota, once the file is known to be there
 * @throws Refusal asset_not_found where the asset does not exist, or the principals may not see it; what `admit` throws
 */
export async function related(
  tools: RelatedTools,
  scope: OrganizationScope,
  request: RelatedRequest,
  admit: () => Promise<unknown> = () => Promise.resolve(),
): Promise<RelatedOutcome> {
  const granted = new Set(request.principals);
  const [[asset], languages] = await Promise.all([
    tools.readAssets(scope, [request.assetId], granted),
    tools.languages(scope),
  ]);
  if (asset === undefined || asset.deletedAt !== null || (request.principals !== null && !maySee(asset, granted)))
    throw new Refusal('asset_not_found');
  await admit();
  const emptyLibrary = languages.length === 0;
  if (asset.activeRevision === null) return { items: [], emptyLibrary };
  const retrieve = await nearest(tools, scope, request, asset.activeRevision);
  const checker = new Checker(tools, scope, granted);
  let limit = request.limit + spareFiles;
  for (;;) {
    const near = await retrieve(limit);
    const { shown, missed } = await checker.check(near);
    const found = near.flatMap((file, index) => {
      const state = shown[index];
      return state === undefined || file.similarity <= 0 ? [] : [{ file, createdAt: state.createdAt }];
    });
    const isDisplaced = found.length < request.limit && near.length >= limit && limit < maxFiles;
    if (checker.rounds < maxRounds && (missed || isDisplaced)) {
      if (isDisplaced) limit = Math.min(maxFiles, limit * 4);
      continue;
    }
    found.sort(
      (one, other) =>
        other.file.similarity - one.file.similarity ||
        one.createdAt - other.createdAt ||
        compareText(one.file.assetId, other.file.assetId),
    );
    let items: Near[] = [];
    const { assets, gone } = await readWhole(tools, scope, granted, (without) => {
      items = found
        .map(({ file }) => file)
        .filter(({ assetId }) => !without.has(assetId))
        .slice(0, request.limit);
      return items;
    });
    // A later revision of a file that has changed since may be as near.
    if (gone.size > 0 && checker.rounds < maxRounds) continue;
    return {
      items: items.flatMap((file) => {
        const asset = assets.get(file.assetId);
        return asset === undefined ? [] : [itemOf(file, asset)];
      }),
      emptyLibrary,
    };
  }
}
