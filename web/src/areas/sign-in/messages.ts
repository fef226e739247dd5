import { defineMessages } from '../../i18n/messages.ts';

/** Messages of the sign-in page. */
export const signInMessages = defineMessages({
  en: {
    title: 'Sign in',
    lead: 'Find what was said, written and shown in everything your organization keeps.',
    email: 'E-mail address',
    password: 'Password',
    code: 'Code of your second factor',
    codeHint: 'Of the app on your phone, or a recovery code.',
    wrongCode: 'The code is not right, or was used before.',
    submit: 'Sign in',
    wrong: 'This e-mail address and password do not belong together.',
    first: 'The first address and password were printed when Ply was started for the first time.',
  },
  de: {
    title: 'Anmelden',
    lead: 'Finden, was gesagt, geschrieben und gezeigt wurde, in allem, was Ihre Organisation aufbewahrt.',
    email: 'E-Mail-Adresse',
    password: 'Passwort',
    code: 'Code des zweiten Faktors',
    codeHint: 'Aus der App auf dem Telefon, oder ein Wiederherstellungscode.',
    wrongCode: 'Der Code stimmt nicht oder wurde schon benutzt.',
    submit: 'Anmelden',
    wrong: 'E-Mail-Adresse und Passwort gehören nicht zusammen.',
    first: 'Adresse und Passwort für den Anfang standen in der Ausgabe des ersten Starts von Ply.',
  },
});
