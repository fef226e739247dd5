import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Segment } from '../models/transcript.ts';
import type { Figure, Part } from './figures.ts';
import { canMeasureProcesses } from './process-figures.ts';
import { alignedWords, clipsMissing, makeClips, wordErrors, type Clip } from './speech-clips.ts';
import {
  transcribeBare,
  transcribeWithProgram,
  type Transcription,
  type ProgramTranscription,
} from './speech-sides.ts';
import { startSourceServer } from './source-server.ts';
import { median, milliseconds, ratio } from './statistics.ts';

const targets = { cpu: 1.15, errorPoints: 1, speed: 1.8, wordMs: 50 };
/**
 * The recording is this many repetitions of the clips, which gives an even number of chunks (4 and 10), so that two
 * slots can share them evenly.
 */
const rounds = { short: 3, full: 9 };
/** Turns of each comparison: odd, so that the median is one of them. */
const turns = { clips: 5, recording: 3 };

/** Runs steps in turns, every second turn in reverse order, so that a drift of the machine favours none. */
async function inTurns(count: number, steps: readonly (() => Promise<void>)[]): Promise<void> {
  for (let turn = 0; turn < count; turn++) for (const step of turn % 2 === 0 ? steps : steps.toReversed()) await step();
}

/** The ratio of each turn. */
function ratios(
  ones: readonly Transcription[],
  others: readonly Transcription[],
  valueOf: (heard: Transcription) => number,
): number[] {
  return ones.flatMap((one, turn) => {
    const other = others[turn];
    return other === undefined ? [] : [valueOf(one) / valueOf(other)];
  });
}

const cpuOf = ({ cpu }: Transcription): number => cpu;
const secondsOf = ({ seconds }: Transcription): number => seconds;
/** The median of turns, and their range. */
const summary = (values: readonly number[]): string =>
  `${ratio(median(values))} (turns: ${ratio(Math.min(...values))} to ${ratio(Math.max(...values))})`;

/** Word errors of all clips in percent. */
function errorRate(clips: readonly Clip[], heard: Transcription | undefined): number {
  const counts = clips.map(({ name, reference }) => wordErrors(reference, heard?.texts.get(name) ?? ''));
  return (
    (counts.reduce((sum, { errors }) => sum + errors, 0) / counts.reduce((sum, { words }) => sum + words, 0)) * 100
  );
}

/** Absolute differences between the starts of correctly recognized words and the aligned clip, in milliseconds. */
function startErrors(segments: readonly Segment[]): number[] {
  const heard = segments.flatMap(({ words }) => words);
  return alignedWords().words.flatMap(({ text, start }) => {
    const differences = heard
      .filter((word) => word.text.toLowerCase() === text)
      .map((word) => Math.abs(word.start - start) * 1000);
    return differences.length === 0 ? [] : [Math.min(...differences)];
  });
}

/** The program compared with pocketsphinx alone with the same number of concurrent clips. */
function compared(
  what: string,
  clips: readonly Clip[],
  whole: readonly Transcription[],
  bare: readonly Transcription[],
): Figure[] {
  const cpu = ratios(whole, bare, cpuOf);
  const [ours, theirs] = [errorRate(clips, whole[0]), errorRate(clips, bare[0])];
  return [
    {
      name: `processor time of the whole pipeline, ${what}`,
      measured: `${median(whole.map(cpuOf)).toFixed(1)} s = ${summary(cpu)}`,
      against: `as many of pocketsphinx alone: ${median(bare.map(cpuOf)).toFixed(1)} s`,
      target: `at most ${targets.cpu}x`,
      reached: median(cpu) <= targets.cpu,
    },
    {
      name: `word error rate, ${what}`,
      measured: `${ours.toFixed(1)} percent`,
      against: `pocketsphinx alone: ${theirs.toFixed(1)} percent`,
      target: `at most ${targets.errorPoints} point more`,
      reached: ours - theirs <= targets.errorPoints,
    },
  ];
}

async function clipFigures(clips: readonly Clip[], sourceUrl: string): Promise<Figure[]> {
  const [whole, bare]: [ProgramTranscription[], Transcription[]] = [[], []];
  // Two concurrent ones slow each other on this machine, on both sides.
  await inTurns(turns.clips, [
    async () => void bare.push(await transcribeBare(clips, 2)),
    async () => void whole.push(await transcribeWithProgram(clips, sourceUrl, 2)),
  ]);
  const errors = startErrors(whole[0]?.transcripts.get(alignedWords().name) ?? []);
  return [
    ...compared(`${clips.length} clips, two at a time`, clips, whole, bare),
    {
      name: `starts of ${errors.length} words heard right, against the aligned clip`,
      measured: `median error ${milliseconds(median(errors))}`,
      against: '',
      target: `under ${targets.wordMs} ms`,
      reached: median(errors) < targets.wordMs,
    },
  ];
}

async function recordingFigures(recording: Clip, piece: Clip, sourceUrl: string): Promise<Figure[]> {
  const [bare, one, two]: [Transcription[], Transcription[], Transcription[]] = [[], [], []];
  const [oneSlot, twoSlots]: [Transcription[], Transcription[]] = [[], []];
  await inTurns(turns.recording, [
    async () => void bare.push(await transcribeBare([recording], 1)),
    async () => void one.push(await transcribeWithProgram([recording], sourceUrl, 1)),
    async () => void two.push(await transcribeWithProgram([recording], sourceUrl, 2)),
    async () => {
      oneSlot.push(await transcribeBare([piece, piece], 1));
      twoSlots.push(await transcribeBare([piece, piece], 2));
    },
  ]);
  const speed = ratios(one, two, secondsOf);
  return [
    ...compared('all clips, some times over, as one recording, one place', [recording], one, bare),
    {
      name: 'two transcriber places beside one, on one recording',
      measured: `${summary(speed)} as fast, processor time ${ratio(median(ratios(two, one, cpuOf)))}`,
      against: `two of pocketsphinx alone beside one: ${summary(ratios(oneSlot, twoSlots, secondsOf))}, processor time ${ratio(median(ratios(twoSlots, oneSlot, cpuOf)))}`,
      target: `at least ${targets.speed}x`,
      reached: median(speed) >= targets.speed,
    },
  ];
}

/** Transcription by the whole program compared with the transcriber alone, on the same clips. */
export const part: Part = async ({ full }) => {
  const missing = canMeasureProcesses() ? clipsMissing() : 'processor time of processes is read from /proc';
  if (missing !== null) return { skipped: missing };
  const folder = mkdtempSync(join(tmpdir(), 'ply-bench-speech-'));
  const { clips, piece, joined } = makeClips(folder, full ? rounds.full : rounds.short);
  const source = await startSourceServer({
    texts: 0,
    wordsPerText: 1,
    files: Object.fromEntries([...clips, joined].map(({ name, path }) => [name, path])),
  });
  try {
    return [...(await clipFigures(clips, source.url)), ...(await recordingFigures(joined, piece, source.url))];
  } finally {
    source.stop();
    await rm(folder, { recursive: true, force: true });
  }
};
