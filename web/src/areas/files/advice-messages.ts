import { defineMessages } from '../../i18n/translate.ts';

/** What to do about a job that stopped or waits, by its error code; `other` for those of later versions. */
export const adviceMessages = defineMessages({
  en: {
    other: 'Check that the file opens and its source can be reached, then index it again.',
    text_encoding_must_be_utf8: 'The text is not UTF-8. Save it as UTF-8 and add it again.',
    ocr_required: 'This PDF is pictures alone. Run text recognition (OCR) on it and add it again.',
    document_empty: 'The package has no readable text. Export the course with its texts and add it again.',
    not_a_scorm_package: 'This .zip is not a SCORM course. Add the files in it by themselves, or export it as SCORM.',
    source_version_changed: 'The file was changed after it was registered. Register the new version.',
    source_too_large: 'The file is larger than Ply reads. Split it, or ask the operator for a higher limit.',
    source_unreachable: 'The source did not answer as expected. It is tried again; check that its server runs.',
    source_access_denied:
      'The source denied access. Give a new address below, or renew the credential of its connector.',
    source_host_not_allowed:
      'The host of the source is not allowed. Allow it in the settings under "Hosts that sources may have".',
    source_callback_refused: 'Your callback did not answer with a usable address. It is asked again; check its log.',
    source_access_mismatch:
      'Your callback answered with another address than the registered one. Correct the callback.',
    ambiguous_source_credentials: 'Your callback sent a signed address and a token. Let it send one of them.',
    callback_not_configured: 'Set the callback address and its secret in the settings, or give a new address below.',
    document_unreadable: 'The file is damaged, or not what its name says. Open it, save it anew, and add it again.',
    document_encrypted: 'The file is protected with a password. Remove the password and add it again.',
    document_too_complex: 'The file is over a limit on pages, entries, memory or time. Split it and add the parts.',
    media_unreadable:
      'The recording is damaged, or of a format that is not read. Convert it to MP4 or MP3 and add it again.',
    media_encrypted: 'The sound is protected (DRM). Add a version that plays without a key.',
    audio_too_long: 'The recording is too long. Cut it into parts and add those.',
    audio_track_not_found: 'The recording has no sound track of this number. Register it with another one.',
    model_unavailable: 'A model did not answer. It is tried again; the operator finds the reason in the log.',
    speech_unavailable: 'Nothing here turns speech into text. The operator finds the reason under "Health".',
    transcription_failed: 'The recording could not be transcribed. Convert it, then index it again.',
    transcription_refused: 'The speech server refused the recording or its key. The operator has to check it.',
    store_unavailable: 'A store did not answer. It is tried again by itself.',
    worker_lost: 'The work was broken off several times. Index the file again; if it recurs, tell the operator.',
    internal_error:
      'Something failed inside Ply. Index the file again; if it recurs, tell the operator: the log has the reason.',
  },
  de: {
    other: 'Bitte prüfen, ob die Datei sich öffnen lässt und ihre Quelle erreichbar ist, dann neu indizieren.',
    text_encoding_must_be_utf8: 'Der Text ist nicht UTF-8. Bitte als UTF-8 speichern und noch einmal hinzufügen.',
    ocr_required: 'Dieses PDF besteht nur aus Bildern. Bitte Texterkennung (OCR) anwenden und noch einmal hinzufügen.',
    document_empty:
      'Das Paket hat keinen lesbaren Text. Bitte den Kurs mit seinen Texten ausgeben und noch einmal hinzufügen.',
    not_a_scorm_package:
      'Dieses .zip ist kein SCORM-Kurs. Bitte seine Dateien einzeln hinzufügen oder als SCORM ausgeben.',
    source_version_changed: 'Die Datei wurde nach dem Registrieren geändert. Bitte die neue Version registrieren.',
    source_too_large:
      'Die Datei ist größer, als Ply liest. Bitte teilen oder den Betreiber um eine höhere Grenze bitten.',
    source_unreachable: 'Die Quelle antwortete nicht wie erwartet. Es wird wieder versucht; läuft ihr Server?',
    source_access_denied:
      'Die Quelle verweigerte den Zugang. Bitte unten eine neue Adresse angeben oder den Zugang der Anbindung erneuern.',
    source_host_not_allowed:
      'Der Host der Quelle ist nicht erlaubt. Er lässt sich in den Einstellungen unter „Hosts, die Quellen haben dürfen“ erlauben.',
    source_callback_refused:
      'Der Callback antwortete nicht mit einer brauchbaren Adresse. Er wird wieder gefragt; bitte sein Protokoll ansehen.',
    source_access_mismatch:
      'Der Callback antwortete mit einer anderen als der registrierten Adresse. Bitte den Callback berichtigen.',
    ambiguous_source_credentials:
      'Der Callback sandte eine signierte Adresse und ein Token. Er soll nur eines davon senden.',
    callback_not_configured:
      'Bitte Adresse und Geheimnis des Callbacks einstellen oder unten eine neue Adresse angeben.',
    document_unreadable:
      'Die Datei ist beschädigt oder nicht, was ihr Name sagt. Bitte öffnen, neu speichern und noch einmal hinzufügen.',
    document_encrypted: 'Die Datei ist mit einem Passwort geschützt. Bitte ohne Passwort noch einmal hinzufügen.',
    document_too_complex: 'Die Datei überschreitet eine Grenze für Seiten, Einträge, Speicher oder Zeit. Bitte teilen.',
    media_unreadable:
      'Die Aufnahme ist beschädigt oder ihr Format wird nicht gelesen. Bitte in MP4 oder MP3 umwandeln.',
    media_encrypted: 'Der Ton ist geschützt (DRM). Bitte eine Fassung ohne Schutz hinzufügen.',
    audio_too_long: 'Die Aufnahme ist zu lang. Bitte in Teile schneiden.',
    audio_track_not_found: 'Die Aufnahme hat keine Tonspur dieser Nummer. Bitte mit einer anderen registrieren.',
    model_unavailable:
      'Ein Modell antwortete nicht. Es wird wieder versucht; den Grund nennt das Protokoll des Betreibers.',
    speech_unavailable: 'Hier schreibt nichts Gesprochenes mit. Den Grund findet der Betreiber unter „Zustand“.',
    transcription_failed: 'Die Aufnahme ließ sich nicht mitschreiben. Bitte umwandeln und neu indizieren.',
    transcription_refused:
      'Der Sprachserver lehnte die Aufnahme oder seinen Schlüssel ab. Das muss der Betreiber prüfen.',
    store_unavailable: 'Ein Speicher antwortete nicht. Es wird von selbst wieder versucht.',
    worker_lost: 'Die Arbeit wurde mehrmals abgebrochen. Bitte neu indizieren; hilft das nicht, dem Betreiber melden.',
    internal_error:
      'In Ply ist etwas schiefgegangen. Bitte neu indizieren; hilft das nicht, dem Betreiber melden: der Grund steht im Protokoll.',
  },
});
