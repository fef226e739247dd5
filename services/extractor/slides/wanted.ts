import type { Asset } from '../../../models/asset.ts';

/** Whether a recording's pictures are looked at for slides: as its registration says, and not where that says nothing. */
export function wantsSlides(asset: Asset): boolean {
  return asset.extractContentFromVideoFrames ?? false;
}
