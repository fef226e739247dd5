import type { Asset } from '../../../models/asset.ts';
import type { BoostRule } from '../../../models/tuning.ts';

/** What boosts look at of a file. */
export type BoostedFile = Pick<Asset, 'kind' | 'metadata'>;

/**
 * What a file's scores are multiplied by: the factors of all boosts that match it, 1 where none does. All parts of a match
 * must hold; metadata is compared as a search's filter compares it: a value equals, or is in the file's list; of a list
 * any will do.
 */
export function boostsOf(rules: readonly BoostRule[]): (file: BoostedFile) => number {
  const boosts = rules.map(({ match, factor }) => ({
    kind: match.kind, factor,
    metadata: Object.entries(match.metadata ?? {}).map(([key, wanted]) => ({ key, wanted: new Set<string | number | boolean>(Array.isArray(wanted) ? wanted : [wanted]) })),
  }));
  // Documents of files are remembered while nothing is written: so is what they come to.
  const known = new WeakMap<BoostedFile, number>();
  const compute = ({ kind, metadata }: BoostedFile): number => {
    let product = 1;
    for (const boost of boosts) {
      if (boost.kind !== undefined && boost.kind !== kind) continue;
      const holds = boost.metadata.every(({ key, wanted }) => {
        const value = Object.hasOwn(metadata, key) ? metadata[key] : undefined;
        return Array.isArray(value) ? value.some((each) => wanted.has(each)) : value !== undefined && wanted.has(value);
      });
      if (holds) product *= boost.factor;
    }
    return product;
  };
  return (file) => {
    const before = known.get(file);
    if (before !== undefined) return before;
    const product = compute(file);
    known.set(file, product);
    return product;
  };
}
