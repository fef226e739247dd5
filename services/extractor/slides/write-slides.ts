import type { AppContext } from '../../../mixins/app-context.ts';
import { planIncludes } from '../../../mixins/settings/plan-features.ts';
import { settingsOf } from '../../../mixins/settings/settings.ts';
import { writeBlocks } from '../../../mixins/blocks/blocks.ts';
import type { Blobs } from '../../../adapters/blobs/port.ts';
import type { Asset, Warning } from '../../../models/asset.ts';
import type { Block } from '../../../models/block.ts';
import { derivedNames } from '../../../models/transcript.ts';
import { keyOf } from '../recordings/sound-writer.ts';
import { KeptReadings } from './kept-readings.ts';
import { languagesFor } from './languages.ts';
import { readSlides, type SlideCount } from './read-slides.ts';
import type { Picture } from './picture.ts';
import type { Slide } from './slide-finder.ts';
import { readPicture } from './tesseract.ts';
import type { SlideToolbox, SlideTools } from './toolbox.ts';

/**
 * Whether the slides of a recording are read: by its registration, otherwise by the organization's settings; never if
 * the account's plan excludes them.
 * @throws StoreUnavailable
 */
export async function wantsSlides(app: Pick<AppContext, 'records' | 'runtime'>, asset: Asset): Promise<boolean> {
  const wanted =
    asset.extractContentFromVideoFrames ?? (await settingsOf(app, asset.organizationId)).extractContentFromVideoFrames;
  return wanted && (await planIncludes(app, asset.accountId, 'slides'));
}

/** The recording and the means to read its slides. */
export interface SlideTarget {
  blobs: Blobs;
  asset: Asset;
  toolbox: SlideToolbox;
  tools: SlideTools;
  /** Timeout of a picture, in milliseconds. */
  milliseconds: number;
  signal: AbortSignal;
}

/** The result of reading slides. */
export interface WrittenSlides extends SlideCount {
  /** Pictures with a cached text. */
  shared: number;
  /** Slides with text. */
  slides: number;
}

/**
 * Reads the slides in a decoder's pictures and stores all or none of them. Repeating it stores the same, without
 * reading pictures again.
 */
export async function writeSlides(
  { blobs, asset, toolbox, tools, milliseconds, signal }: SlideTarget,
  pictures: AsyncIterable<Uint8Array>,
): Promise<WrittenSlides> {
  const counted: WrittenSlides = { frames: 0, unread: 0, shared: 0, slides: 0 };
  const languages = languagesFor(asset.language, tools.languages);
  const readings = new KeptReadings(blobs, (name) => keyOf(asset, name), languages);
  async function* blocks(): AsyncGenerator<Block> {
    const readNow = async (picture: Picture): Promise<string[] | null> => {
      await toolbox.slots.acquire(signal, asset.organizationId);
      try {
        return await readPicture(
          { program: tools.program, confinement: tools.confinement, languages, milliseconds, signal },
          picture,
        );
      } finally {
        toolbox.slots.release();
      }
    };
    const read = ({ picture }: Slide): Promise<string[] | null> =>
      readings.read(picture, async (digest) => {
        const { lines, isShared } = await toolbox.shared.read(asset.accountId, digest, signal, () => readNow(picture));
        if (isShared) counted.shared++;
        return lines;
      });
    for await (const block of readSlides(pictures, { read, concurrency: toolbox.slotCount }, counted)) {
      counted.slides++;
      yield block;
    }
  }
  await writeBlocks(blobs, keyOf(asset, derivedNames.slides), blocks());
  await readings.remove();
  return counted;
}

/** The warning about slides that could not be read. */
export function slideWarnings({ frames, unread }: SlideCount): Warning[] {
  return unread === 0
    ? []
    : [
        {
          code: 'slides_unread',
          detail: `${unread} of ${frames} pictures could not be read in their time and memory.`,
        },
      ];
}

/** The warning about slides that cannot be read without a key. */
export const protectedPictures: Warning = { code: 'slides_unread', detail: 'The pictures are protected (DRM).' };
