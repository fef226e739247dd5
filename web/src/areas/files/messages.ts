import { defineMessages } from '../../i18n/messages.ts';

/** Messages of the files area. */
export const fileMessages = defineMessages({
  en: {
    title: 'Files',
    name: 'Name',
    kind: 'Kind',
    state: 'State',
    changed: 'Changed',
    empty: 'No files yet',
    emptyText: 'Files that are registered appear here, with how far they are on their way to being searchable.',
    count: { one: '{count} file', other: '{count} files' },
  },
  de: {
    title: 'Dateien',
    name: 'Name',
    kind: 'Art',
    state: 'Zustand',
    changed: 'Geändert',
    empty: 'Noch keine Dateien',
    emptyText: 'Angemeldete Dateien erscheinen hier, mit ihrem Stand auf dem Weg in die Suche.',
    count: { one: '{count} Datei', other: '{count} Dateien' },
  },
});
