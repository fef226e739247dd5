import { clock } from '../../i18n/formats.ts';
import type { Translate } from '../../i18n/translate.ts';
import type { Place } from './address.ts';
import type { viewerMessages } from './messages.ts';

/** A place in words, such as "page 3" or "1:02:03"; null where the file has none. */
export function placeName(place: Place, t: Translate<typeof viewerMessages.en>): string | null {
  const { source, startSeconds, playFromSeconds, slide, page, sheet, row, lineStart, heading, title } = place;
  const parts = [
    startSeconds === undefined ? null : clock(source === 'slide' ? startSeconds : (playFromSeconds ?? startSeconds)),
    source === 'slide' ? t('onPicture') : null,
    title ?? null,
    slide === undefined ? null : t('slide', { slide }),
    page === undefined ? null : t('page', { page }),
    sheet ?? null,
    row === undefined ? null : t('row', { row }),
    lineStart === undefined ? null : t('line', { line: lineStart }),
    heading ?? null,
  ];
  return parts.filter((part) => part !== null).join(' · ') || null;
}
