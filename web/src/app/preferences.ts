import { useSyncExternalStore } from 'react';

/** What the page looks like. `system` follows the device. */
export type Theme = 'system' | 'light' | 'dark' | 'contrast';
/** Languages that there are messages in. */
export type Language = 'en' | 'de';

/** What a person chose in this browser. */
export interface Preferences {
  theme: Theme;
  language: Language;
}

/** All themes, in the order of their choice. */
export const themes: readonly Theme[] = ['system', 'light', 'dark', 'contrast'];
/** All languages with their own names. */
export const languages: { readonly [code in Language]: string } = { en: 'English', de: 'Deutsch' };

const key = 'ply.preferences';

function read(): Preferences {
  const given: Preferences = { theme: 'system', language: navigator.language.startsWith('de') ? 'de' : 'en' };
  try {
    const found = JSON.parse(localStorage.getItem(key) ?? '{}') as Partial<Preferences>;
    const theme = themes.find((name) => name === found.theme) ?? given.theme;
    const language = found.language === 'de' || found.language === 'en' ? found.language : given.language;
    return { theme, language };
  } catch {
    return given;
  }
}

let current = read();
const listeners = new Set<() => void>();

function apply({ theme, language }: Preferences): void {
  document.documentElement.dataset['theme'] = theme;
  document.documentElement.lang = language;
}

apply(current);

/** Changes preferences, for this page and the next visits. */
export function setPreferences(changes: Partial<Preferences>): void {
  current = { ...current, ...changes };
  localStorage.setItem(key, JSON.stringify(current));
  apply(current);
  for (const listener of listeners) listener();
}

/** The preferences; the component is drawn again when they change. */
export function usePreferences(): Preferences {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => current,
  );
}
