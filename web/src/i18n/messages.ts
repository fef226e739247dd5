import { useMemo } from 'react';
import { usePreferences } from '../app/preferences.ts';
import { translator, type MessageFile, type Messages, type Translate } from './translate.ts';

export { defineMessages } from './translate.ts';

/** The messages of a file in the language of the person. */
export function useMessages<M extends Messages>(file: MessageFile<M>): Translate<M> {
  const { language } = usePreferences();
  return useMemo(() => translator(file, language), [file, language]);
}
