import type { OrganizationScope } from '../../models/scope.ts';
import { judge, type AssetRecord, type CheckTools, type Indexed } from './check.ts';

/** The whole documents of what is shown. */
export interface WholeDocuments {
  /** By id. */
  assets: Map<string, AssetRecord>;
  /** Files that must not be shown any more: they have changed since their states were read. */
  gone: ReadonlySet<string>;
}

/**
 * Reads the whole documents of what is shown, from the best downwards until the page is full: where one turns out to have
 * changed since its state was read, `choose` is asked again for the page without that file.
 * @param choose the passages to show, of all checked ones but those of the files that are gone
 */
export async function readWhole(
  tools: Pick<CheckTools, 'readAssets' | 'onLeak'>,
  scope: OrganizationScope,
  granted: ReadonlySet<string>,
  choose: (gone: ReadonlySet<string>) => readonly Indexed[],
): Promise<WholeDocuments> {
  const assets = new Map<string, AssetRecord>();
  const gone = new Set<string>();
  for (;;) {
    const chosen = choose(gone);
    const unread = [...new Set(chosen.map(({ assetId }) => assetId))].filter((id) => !assets.has(id));
    if (unread.length === 0) return { assets, gone };
    for (const asset of await tools.readAssets(scope, unread, granted)) assets.set(asset._id, asset);
    for (const passage of chosen) {
      const verdict = judge(passage, assets.get(passage.assetId), granted);
      if (verdict === 'leaked') tools.onLeak(passage);
      if (verdict !== 'shown') gone.add(passage.assetId);
    }
  }
}
