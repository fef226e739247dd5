import { defineMessages } from '../../i18n/messages.ts';

/** Messages of the page of the parts' health. */
export const healthMessages = defineMessages({
  en: {
    title: 'Health',
    lead: 'The parts of Ply as the process that answers sees them. It is looked at again every ten seconds.',
    ready: 'Everything that is needed answers.',
    notReady: 'Something that is needed does not answer.',
    version: 'Version {version}',
    part: 'Part',
    state: 'State',
    detail: 'Details',
    up: 'Up',
    down: 'Down',
    off: 'Off',
    recovering: 'Recovering',
  },
  de: {
    title: 'Zustand',
    lead: 'Die Teile von Ply aus Sicht des Prozesses, der antwortet. Alle zehn Sekunden wird neu nachgesehen.',
    ready: 'Alles, was gebraucht wird, antwortet.',
    notReady: 'Etwas, das gebraucht wird, antwortet nicht.',
    version: 'Version {version}',
    part: 'Teil',
    state: 'Zustand',
    detail: 'Einzelheiten',
    up: 'Läuft',
    down: 'Ausgefallen',
    off: 'Aus',
    recovering: 'Erholt sich',
  },
});
