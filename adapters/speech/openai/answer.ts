import { detectLanguage } from '../../../models/analyser/detection.ts';
import type { SpokenWord } from '../../../models/transcript.ts';
import type { HeardSegment } from '../port.ts';
import { languageTag } from './language.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The sound that was sent. */
interface Sent {
  /** Its length in seconds. */
  seconds: number;
  /** Requested language; null for none. */
  language: string | null;
}

/** Maximum segments or words of an answer; a piece of sound has far fewer. */
const maxItems = 20_000;
/** Units of times in answers, in seconds. LocalAI uses integer nanoseconds. */
const units = [1, 1e-3, 1e-6, 1e-9];
/** Maximum seconds by which a time may exceed the sound: models process windows of half a minute. */
const maxBeyond = 30;
/** Pause in seconds that separates two segments if the server returns only words. */
const pause = 0.6;

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function objectsOf(value: unknown): Fields[] {
  if (!Array.isArray(value)) return [];
  if (value.length > maxItems) throw new Error(`answered ${value.length} items`);
  return value.filter(isObject);
}

/** Text on one line, without control characters and lone surrogates. */
function textOf(value: unknown): string {
  return typeof value === 'string'
    ? value
        .toWellFormed()
        .replace(/[\u0000-\u001f\u007f\s]+/g, ' ')
        .trim()
    : '';
}

/** The length of the sound, and the unit of an answer's times. */
interface Clock {
  seconds: number;
  unit: number;
}

/**
 * The unit of an answer's times: the largest for which the median time is within the sound. (A single time may be an
 * outlier.)
 */
function unitOf(items: readonly Fields[], seconds: number): number {
  const ends = items
    .flatMap(({ end }) => (typeof end === 'number' && Number.isFinite(end) ? [end] : []))
    .sort((one, other) => one - other);
  const middle = ends[Math.floor(ends.length / 2)] ?? 0;
  return units.find((unit) => middle * unit <= seconds + maxBeyond) ?? 1;
}

function timesOf(item: Fields, { seconds, unit }: Clock): { start: number; end: number } | null {
  const { start, end } = item;
  if (typeof start !== 'number' || typeof end !== 'number' || !Number.isFinite(start) || !Number.isFinite(end))
    return null;
  const within = (time: number): number => Math.round(Math.min(seconds, Math.max(0, time * unit)) * 1000) / 1000;
  return { start: within(start), end: Math.max(within(start), within(end)) };
}

/** Servers name a word's text `word` or `text`, and its confidence `probability`, `confidence` or `score`. */
function wordsOf(items: readonly Fields[], clock: Clock): SpokenWord[] {
  const words = items.flatMap((item): SpokenWord[] => {
    const text = textOf(item['word'] ?? item['text']);
    const times = timesOf(item, clock);
    const confidence = [item['probability'], item['confidence'], item['score']].find(
      (number) => typeof number === 'number' && Number.isFinite(number),
    );
    return text === '' || times === null
      ? []
      : [
          {
            text,
            ...times,
            confidence:
              typeof confidence === 'number' ? Math.round(Math.min(1, Math.max(0, confidence)) * 1000) / 1000 : null,
          },
        ];
  });
  return words.sort((one, other) => one.start - other.start);
}

function segmentOf(
  text: string,
  start: number,
  end: number,
  words: SpokenWord[],
  speaker: string | null,
  language: string | null,
): HeardSegment {
  if (words.length === 0) return { text, start, end, speaker, language, words, timingPrecision: 'segment' };
  return {
    text,
    start: Math.min(start, words[0]?.start ?? start),
    end: words.reduce((latest, word) => Math.max(latest, word.end), end),
    speaker,
    language,
    words,
    timingPrecision: 'word',
  };
}

/** Groups words into segments, split at pauses. */
function segmentsOfWords(words: readonly SpokenWord[], language: string | null): HeardSegment[] {
  const runs: SpokenWord[][] = [];
  for (const word of words) {
    const last = runs.at(-1)?.at(-1);
    if (last === undefined || word.start - last.end >= pause) runs.push([word]);
    else runs.at(-1)?.push(word);
  }
  return runs.map((run) =>
    segmentOf(run.map(({ text }) => text).join(' '), run[0]?.start ?? 0, run.at(-1)?.end ?? 0, run, null, language),
  );
}

/** Assigns separate words to segments by their middle; a word between two segments belongs to the later one. */
function assignWords(words: readonly SpokenWord[], segments: readonly { end: number }[]): SpokenWord[][] {
  const shares = segments.map((): SpokenWord[] => []);
  let at = 0;
  for (const word of words) {
    while (at < segments.length - 1 && (word.start + word.end) / 2 > (segments[at]?.end ?? Infinity)) at++;
    shares[at]?.push(word);
  }
  return shares;
}

/**
 * The segments of an answer of `/v1/audio/transcriptions`, in order of time
 * (https://platform.openai.com/docs/api-reference/audio/verbose-json-object). Servers differ: words may be in the
 * segments, in a separate list, or missing; there may be only words, or only the text, which then spans the whole
 * sound. Items without usable times are omitted, unless no item has any.
 * @throws Error with the reason if the answer is malformed.
 */
export function segmentsOfAnswer(body: string, { seconds, language: asked }: Sent): HeardSegment[] {
  const parsed: unknown = JSON.parse(body);
  if (!isObject(parsed)) throw new Error('answered no object');
  const text = textOf(parsed['text']);
  const items = objectsOf(parsed['segments']).map((item) => ({ item, ownWords: objectsOf(item['words']) }));
  const separate = objectsOf(parsed['words']);
  const clock: Clock = {
    seconds,
    unit: unitOf([...items.flatMap(({ item, ownWords }) => [item, ...ownWords]), ...separate], seconds),
  };
  const timed = items
    .flatMap(({ item, ownWords }) => {
      const said = textOf(item['text']);
      const times = timesOf(item, clock);
      return said === '' || times === null ? [] : [{ item, text: said, ...times, words: wordsOf(ownWords, clock) }];
    })
    .sort((one, other) => one.start - other.start);
  const separateWords = wordsOf(separate, clock);
  if (
    timed.length === 0 &&
    separateWords.length === 0 &&
    text === '' &&
    typeof parsed['text'] !== 'string' &&
    !Array.isArray(parsed['segments'])
  )
    throw new Error('answered neither text nor segments');
  const whole = text === '' ? timed.map((segment) => segment.text).join(' ') : text;
  const spoken = languageTag(parsed['language']) ?? asked ?? languageTag(detectLanguage(whole));
  if (timed.length === 0) {
    if (separateWords.length > 0) return segmentsOfWords(separateWords, spoken);
    return text === '' ? [] : [segmentOf(text, 0, seconds, [], null, spoken)];
  }
  const shares = timed.some(({ words }) => words.length > 0)
    ? timed.map(({ words }) => words)
    : assignWords(separateWords, timed);
  return timed.map((segment, index) => {
    const speaker = textOf(segment.item['speaker']).slice(0, 200);
    return segmentOf(
      segment.text,
      segment.start,
      segment.end,
      shares[index] ?? [],
      speaker === '' ? null : speaker.toWellFormed(),
      languageTag(segment.item['language']) ?? spoken,
    );
  });
}
