import type { House } from '../../../mixins/house.ts';
import { planIncludes } from '../../../mixins/settings/plan-features.ts';
import { settingsOf } from '../../../mixins/settings/settings.ts';
import type { Asset } from '../../../models/asset.ts';

/**
 * Whether a recording's pictures are looked at for slides: as its registration says, else as its organization's settings
 * say; and never where the account's plan leaves them out.
 * @throws StoreUnavailable
 */
export async function wantsSlides(house: Pick<House, 'records' | 'ambient'>, asset: Asset): Promise<boolean> {
  const wanted = asset.extractContentFromVideoFrames ?? (await settingsOf(house, asset.organizationId)).extractContentFromVideoFrames;
  return wanted && (await planIncludes(house, asset.accountId, 'slides'));
}
