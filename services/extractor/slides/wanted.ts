import type { AppContext } from '../../../mixins/app-context.ts';
import { planIncludes } from '../../../mixins/settings/plan-features.ts';
import { settingsOf } from '../../../mixins/settings/settings.ts';
import type { Asset } from '../../../models/asset.ts';

/**
 * Whether a recording's pictures are looked at for slides: as its registration says, else as its organization's
 * settings say; and never where the account's plan leaves them out.
 * @throws StoreUnavailable
 */
export async function wantsSlides(app: Pick<AppContext, 'records' | 'runtime'>, asset: Asset): Promise<boolean> {
  const wanted =
    asset.extractContentFromVideoFrames ?? (await settingsOf(app, asset.organizationId)).extractContentFromVideoFrames;
  return wanted && (await planIncludes(app, asset.accountId, 'slides'));
}
