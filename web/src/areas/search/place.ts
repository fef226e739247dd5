import type { components } from '../../api/schema.d.ts';
import { clock } from '../../i18n/format.ts';
import type { Translate } from '../../i18n/translate.ts';
import type { searchMessages } from './messages.ts';

/** Where in a file a passage stands. */
export type Place = components['schemas']['Location'];

/** A place in words, such as "page 3" or "1:02:03"; null where the file has none. */
export function placeName(place: Place, t: Translate<typeof searchMessages.en>): string | null {
  const { startSeconds, playFromSeconds, slide, page, sheet, row, lineStart, heading } = place;
  const parts = [
    startSeconds === undefined ? null : clock(playFromSeconds ?? startSeconds),
    slide === undefined ? null : t('slide', { slide }),
    page === undefined ? null : t('page', { page }),
    sheet ?? null,
    row === undefined ? null : t('row', { row }),
    lineStart === undefined ? null : t('line', { line: lineStart }),
    heading ?? null,
  ];
  return parts.filter((part) => part !== null).join(' · ') || null;
}
