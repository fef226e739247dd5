import { defineMessages } from '../../i18n/messages.ts';

/** Messages of the page of an invitation. */
export const invitationMessages = defineMessages({
  en: {
    title: 'Welcome to {organization}',
    text: '{email} was invited. Choose a password to sign in with from now on.',
    password: 'New password',
    hint: 'At least 12 characters: a few words are easy to remember and hard to guess.',
    submit: 'Accept and sign in',
    gone: 'This invitation does not hold any more',
    goneText: 'It was used, replaced or withdrawn, or is older than seven days. Ask for another one.',
  },
  de: {
    title: 'Willkommen bei {organization}',
    text: '{email} wurde eingeladen. Bitte ein Passwort wählen, mit dem die Anmeldung von nun an geht.',
    password: 'Neues Passwort',
    hint: 'Mindestens 12 Zeichen: einige Wörter sind leicht zu merken und schwer zu raten.',
    submit: 'Annehmen und anmelden',
    gone: 'Diese Einladung gilt nicht mehr',
    goneText:
      'Sie wurde benutzt, ersetzt oder zurückgezogen, oder ist älter als sieben Tage. Bitte um eine neue bitten.',
  },
});
