import {
  annotated,
  answer,
  fraction,
  listOf,
  literals,
  ordinal,
  orNull,
  seconds as anySeconds,
  text as anyText,
} from './answers/answer.ts';
import { warning } from './answers/assets.ts';
import { list, object, required } from './schema.ts';
import { integer, mapped, text } from './values.ts';

/** Maximum number of segments in a correction. */
const maxEdits = 10_000;

/** Segments by id with their whole new text, which may be empty. */
export const segmentEdits = list(object({ id: required(text(1, 512)), text: required(text(0, 20_000)) }), maxEdits);

/** Body of PATCH .../transcript. */
export const transcriptEdits = object({ segments: required(segmentEdits) });

/**
 * The revision to correct, from `If-Match`: its ETag or the bare number. (RFC
 * 9110, 13.1.1, also allows `*` and lists of ETags: neither identifies the revision that was read.)
 */
export const ifMatch = mapped(
  text(1, 20, {
    source: '^(?:[0-9]{1,15}|(?:W/)?"[0-9]{1,15}")$',
    expected: 'the ETag of the transcript, or its revision',
  }),
  (given) => Number(given.replaceAll(/[^0-9]/g, '')),
  integer(0),
);

const seconds = annotated(anySeconds, { description: 'Seconds from the start of the recording.' });
const word = answer('SpokenWord', { text: anyText, start: seconds, end: seconds, confidence: orNull(fraction) });
const segment = answer('Segment', {
  id: anyText,
  text: anyText,
  start: seconds,
  end: seconds,
  speaker: orNull(anyText),
  language: orNull(anyText),
  words: listOf(word),
  timingPrecision: literals('segment', 'word'),
});

/** A transcript. */
export const transcriptAnswer = answer('Transcript', {
  revision: ordinal,
  warnings: listOf(warning),
  segments: listOf(segment),
});
