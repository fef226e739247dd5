import { detectLanguage } from '../../../models/analyser/detection.ts';
import type { SpokenWord } from '../../../models/transcript.ts';
import type { HeardSegment } from '../port.ts';
import { languageTag } from './language.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What is known of the sound that was sent. */
interface Sent {
  /** Its length in seconds. */
  seconds: number;
  /** Language that was asked for; null for none. */
  language: string | null;
}

/** Segments or words that an answer may hold; a piece of sound holds far fewer. */
const mostItems = 20_000;
/** Units in which servers tell times, in seconds: LocalAI tells nanoseconds, as whole numbers. */
const units = [1, 1e-3, 1e-6, 1e-9];
/** Models hear windows of half a minute, and may tell that speech ended after a shorter sound did. */
const mostBeyond = 30;
/** A pause that parts two segments where the server gives words alone, in seconds. */
const pause = 0.6;

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function objectsOf(value: unknown): Fields[] {
  if (!Array.isArray(value)) return [];
  if (value.length > mostItems) throw new Error(`answered ${value.length} items`);
  return value.filter(isObject);
}

/** Text on one line, without control characters and lone surrogates. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value.toWellFormed().replace(/[\u0000-\u001f\u007f\s]+/g, ' ').trim() : '';
}

/** The length of the sound, and the unit of the times that an answer tells. */
interface Clock {
  seconds: number;
  unit: number;
}

/** The unit of an answer's times: the largest in which the middle one lies within the sound. (A single one may be anything.) */
function unitOf(items: readonly Fields[], seconds: number): number {
  const ends = items.flatMap(({ end }) => (typeof end === 'number' && Number.isFinite(end) ? [end] : [])).sort((one, other) => one - other);
  const middle = ends[Math.floor(ends.length / 2)] ?? 0;
  return units.find((unit) => middle * unit <= seconds + mostBeyond) ?? 1;
}

function timesOf(item: Fields, { seconds, unit }: Clock): { start: number; end: number } | null {
  const { start, end } = item;
  if (typeof start !== 'number' || typeof end !== 'number' || !Number.isFinite(start) || !Number.isFinite(end)) return null;
  const within = (time: number): number => Math.round(Math.min(seconds, Math.max(0, time * unit)) * 1000) / 1000;
  return { start: within(start), end: Math.max(within(start), within(end)) };
}

/** Servers name a word's text `word` or `text`, and how sure they are `probability`, `confidence` or `score`. */
function wordsOf(items: readonly Fields[], clock: Clock): SpokenWord[] {
  const words = items.flatMap((item): SpokenWord[] => {
    const text = textOf(item['word'] ?? item['text']);
    const times = timesOf(item, clock);
    const sure = [item['probability'], item['confidence'], item['score']].find((number) => typeof number === 'number' && Number.isFinite(number));
    return text === '' || times === null ? [] : [{ text, ...times, confidence: typeof sure === 'number' ? Math.round(Math.min(1, Math.max(0, sure)) * 1000) / 1000 : null }];
  });
  return words.sort((one, other) => one.start - other.start);
}

function segmentOf(text: string, start: number, end: number, words: SpokenWord[], speaker: string | null, language: string | null): HeardSegment {
  if (words.length === 0) return { text, start, end, speaker, language, words, timingPrecision: 'segment' };
  return { text, start: Math.min(start, words[0]?.start ?? start), end: words.reduce((latest, word) => Math.max(latest, word.end), end), speaker, language, words, timingPrecision: 'word' };
}

/** Segments of words alone, cut where the speaker pauses. */
function segmentsOfWords(words: readonly SpokenWord[], language: string | null): HeardSegment[] {
  const runs: SpokenWord[][] = [];
  for (const word of words) {
    const last = runs.at(-1)?.at(-1);
    if (last === undefined || word.start - last.end >= pause) runs.push([word]);
    else runs.at(-1)?.push(word);
  }
  return runs.map((run) => segmentOf(run.map(({ text }) => text).join(' '), run[0]?.start ?? 0, run.at(-1)?.end ?? 0, run, null, language));
}

/** Words that stand beside the segments, each with the segment in which its middle lies, or the one before that. */
function shareOut(words: readonly SpokenWord[], segments: readonly { end: number }[]): SpokenWord[][] {
  const shares = segments.map((): SpokenWord[] => []);
  let at = 0;
  for (const word of words) {
    while (at < segments.length - 1 && (word.start + word.end) / 2 > (segments[at]?.end ?? Infinity)) at++;
    shares[at]?.push(word);
  }
  return shares;
}

/**
 * What an answer of `/v1/audio/transcriptions` says, as segments in order of time
 * (https://platform.openai.com/docs/api-reference/audio/verbose-json-object). Servers differ: words stand inside the
 * segments, beside them, or nowhere; there may be words alone, or nothing but the text, which then lasts as long as the
 * sound. What has no usable times is left out, unless nothing has.
 * @throws Error that says what is wrong with the answer.
 */
export function segmentsOfAnswer(body: string, { seconds, language: asked }: Sent): HeardSegment[] {
  const parsed: unknown = JSON.parse(body);
  if (!isObject(parsed)) throw new Error('answered no object');
  const text = textOf(parsed['text']);
  const told = objectsOf(parsed['segments']).map((item) => ({ item, inside: objectsOf(item['words']) }));
  const loose = objectsOf(parsed['words']);
  const clock: Clock = { seconds, unit: unitOf([...told.flatMap(({ item, inside }) => [item, ...inside]), ...loose], seconds) };
  const timed = told.flatMap(({ item, inside }) => {
    const said = textOf(item['text']);
    const times = timesOf(item, clock);
    return said === '' || times === null ? [] : [{ item, text: said, ...times, words: wordsOf(inside, clock) }];
  }).sort((one, other) => one.start - other.start);
  const beside = wordsOf(loose, clock);
  if (timed.length === 0 && beside.length === 0 && text === '' && typeof parsed['text'] !== 'string' && !Array.isArray(parsed['segments'])) throw new Error('answered neither text nor segments');
  const whole = text === '' ? timed.map((segment) => segment.text).join(' ') : text;
  const spoken = languageTag(parsed['language']) ?? asked ?? languageTag(detectLanguage(whole));
  if (timed.length === 0) {
    if (beside.length > 0) return segmentsOfWords(beside, spoken);
    return text === '' ? [] : [segmentOf(text, 0, seconds, [], null, spoken)];
  }
  const shares = timed.some(({ words }) => words.length > 0) ? timed.map(({ words }) => words) : shareOut(beside, timed);
  return timed.map((segment, index) => {
    const speaker = textOf(segment.item['speaker']).slice(0, 200);
    return segmentOf(segment.text, segment.start, segment.end, shares[index] ?? [], speaker === '' ? null : speaker.toWellFormed(), languageTag(segment.item['language']) ?? spoken);
  });
}
