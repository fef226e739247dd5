import { defineMessages } from '../../i18n/messages.ts';

/** Messages of the search area. */
export const searchMessages = defineMessages({
  en: {
    title: 'Search',
    placeholder: 'What are you looking for?',
    submit: 'Search',
    nothing: 'Nothing that fits well enough',
    nothingText: 'Try other words, or fewer. Files become searchable when they are ready.',
    page: 'page {page}',
    line: 'line {line}',
  },
  de: {
    title: 'Suche',
    placeholder: 'Was wird gesucht?',
    submit: 'Suchen',
    nothing: 'Nichts, das gut genug passt',
    nothingText:
      'Vielleicht mit anderen oder weniger Wörtern versuchen. Dateien werden gefunden, sobald sie bereit sind.',
    page: 'Seite {page}',
    line: 'Zeile {line}',
  },
});
