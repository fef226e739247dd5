import { useMemo } from 'react';
import { useMe } from '../api/me.ts';
import { usePreferences } from '../app/preferences.ts';
import { formatOf, type Format } from './formats.ts';

/** How values are written in the language of the person, and times in the zone of the account. */
export function useFormat(): Format {
  const { language } = usePreferences();
  const timeZone = useMe()?.timeZone;
  return useMemo(() => formatOf(language, timeZone), [language, timeZone]);
}
