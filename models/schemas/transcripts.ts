import type { Segment, SpokenWord, TranscriptView } from '../transcript.ts';
import { answer, count, listOf, orNull, text as anyText, warning, words } from './answers.ts';
import { list, object, required } from './schema.ts';
import { mapped, text } from './values.ts';

/** Most segments that one correction changes. */
const mostEdits = 10_000;

/** Body of PATCH .../transcript: segments by their ids, each with the whole text that it is to have. An empty text empties it. */
export const transcriptEdits = object({ segments: required(list(object({ id: required(text(1, 512)), text: required(text(0, 20_000)) }), mostEdits)) });

/**
 * The revision that a correction is made to, as `If-Match` names it: the ETag as it was sent, or the bare number. (RFC 9110,
 * 13.1.1, knows `*` and lists of ETags as well: neither says which revision was read.)
 */
export const ifMatch = mapped(text(1, 20, { source: '^(?:[0-9]{1,15}|(?:W/)?"[0-9]{1,15}")$', expected: 'the ETag of the transcript, or its revision' }), (given) => Number(given.replaceAll(/[^0-9]/g, '')));

const seconds = { type: 'number', minimum: 0, description: 'Seconds from the start of the recording.' } as const;
const confidence = orNull({ type: 'number', minimum: 0, maximum: 1 });
const word = answer<SpokenWord>('SpokenWord', { text: anyText, start: seconds, end: seconds, confidence });
const segment = answer<Segment>('Segment', { id: anyText, text: anyText, start: seconds, end: seconds, speaker: orNull(anyText), language: orNull(anyText), words: listOf(word), timingPrecision: words('segment', 'word') });

/** A transcript. */
export const transcriptAnswer = answer<TranscriptView>('Transcript', { revision: { ...count, minimum: 1 }, warnings: listOf(warning), segments: listOf(segment) });
