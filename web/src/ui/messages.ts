import { defineMessages } from '../i18n/messages.ts';

/** Messages of the components. */
export const uiMessages = defineMessages({
  en: {
    cancel: 'Cancel',
    save: 'Save',
    time: 'Time',
    close: 'Close',
    retry: 'Try again',
    loading: 'Loading …',
    undo: 'Undo',
    typeName: 'Type {name} to confirm',
    requestId: 'Request {id}',
    copy: 'Copy',
    copied: 'Copied',
    noAnswer: 'Ply did not answer. Check that it runs and that you are connected, then try again.',
    busy: 'Ply is busy just now. Try again in a moment.',
    forbidden: 'Your account may not do this.',
    gone: 'This is not there, or not yours to see.',
    invalid: 'Please check: {field}.',
    internal: 'Something failed inside Ply. Tell the operator the number of the request; the log has the reason.',
  },
  de: {
    cancel: 'Abbrechen',
    save: 'Speichern',
    time: 'Zeit',
    close: 'Schließen',
    retry: 'Noch einmal versuchen',
    loading: 'Wird geladen …',
    undo: 'Rückgängig',
    typeName: 'Zum Bestätigen {name} eingeben',
    requestId: 'Anfrage {id}',
    copy: 'Kopieren',
    copied: 'Kopiert',
    noAnswer: 'Ply antwortet nicht. Bitte Verbindung und Programm prüfen und noch einmal versuchen.',
    busy: 'Ply ist gerade ausgelastet. Bitte gleich noch einmal versuchen.',
    forbidden: 'Das darf dieses Konto nicht.',
    gone: 'Das gibt es nicht, oder es ist für dieses Konto nicht sichtbar.',
    invalid: 'Bitte prüfen: {field}.',
    internal:
      'In Ply ist etwas schiefgegangen. Mit der Nummer der Anfrage findet der Betreiber den Grund im Protokoll.',
  },
});
