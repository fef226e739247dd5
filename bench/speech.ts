import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Segment } from '../models/transcript.ts';
import type { Figure, Part } from './figures.ts';
import { tellsOfProcesses } from './process-figures.ts';
import { alignedWords, clipsMissing, makeClips, wordErrors, type Clip } from './speech-clips.ts';
import { hearBare, hearWhole, type Heard, type HeardWhole } from './speech-sides.ts';
import { startSourceServer } from './source-server.ts';
import { median, milliseconds, ratio } from './statistics.ts';

const targets = { cpu: 1.15, errorPoints: 1, speed: 1.8, wordMs: 50 };
/**
 * The recording is so many rounds of the clips: they give an even number of pieces (4 and 10), which two places can
 * share evenly.
 */
const rounds = { short: 3, full: 9 };
/** Turns of each comparison: odd numbers, so that a median is one of them. */
const turns = { clips: 5, recording: 3 };

/**
 * Does steps in turns, every second turn in the opposite order: so a machine that grows slower or faster favours none.
 */
async function inTurns(count: number, steps: readonly (() => Promise<void>)[]): Promise<void> {
  for (let turn = 0; turn < count; turn++) for (const step of turn % 2 === 0 ? steps : steps.toReversed()) await step();
}

/** How many times one is the other, of each turn by itself. */
function ratios(ones: readonly Heard[], others: readonly Heard[], valueOf: (heard: Heard) => number): number[] {
  return ones.flatMap((one, turn) => {
    const other = others[turn];
    return other === undefined ? [] : [valueOf(one) / valueOf(other)];
  });
}

const cpuOf = ({ cpu }: Heard): number => cpu;
const secondsOf = ({ seconds }: Heard): number => seconds;
/** The median of turns, and from where to where they reach. */
const told = (values: readonly number[]): string =>
  `${ratio(median(values))} (turns: ${ratio(Math.min(...values))} to ${ratio(Math.max(...values))})`;

/** Word errors of all clips in percent. */
function errorRate(clips: readonly Clip[], heard: Heard | undefined): number {
  const counts = clips.map(({ name, reference }) => wordErrors(reference, heard?.texts.get(name) ?? ''));
  return (
    (counts.reduce((sum, { errors }) => sum + errors, 0) / counts.reduce((sum, { words }) => sum + words, 0)) * 100
  );
}

/** Differences of the starts of words heard right from those of the aligned clip, in milliseconds. */
function startErrors(segments: readonly Segment[]): number[] {
  const heard = segments.flatMap(({ words }) => words);
  return alignedWords().words.flatMap(({ text, start }) => {
    const differences = heard
      .filter((word) => word.text.toLowerCase() === text)
      .map((word) => Math.abs(word.start - start) * 1000);
    return differences.length === 0 ? [] : [Math.min(...differences)];
  });
}

/** What the whole program took and understood, beside pocketsphinx alone that did as many clips at a time. */
function compared(what: string, clips: readonly Clip[], whole: readonly Heard[], bare: readonly Heard[]): Figure[] {
  const cpu = ratios(whole, bare, cpuOf);
  const [ours, theirs] = [errorRate(clips, whole[0]), errorRate(clips, bare[0])];
  return [
    {
      name: `processor time of the whole pipeline, ${what}`,
      measured: `${median(whole.map(cpuOf)).toFixed(1)} s = ${told(cpu)}`,
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
  const [whole, bare]: [HeardWhole[], Heard[]] = [[], []];
  // Two at once hold each other up, which is the machine's doing: so they do on both sides.
  await inTurns(turns.clips, [
    async () => void bare.push(await hearBare(clips, 2)),
    async () => void whole.push(await hearWhole(clips, sourceUrl, 2)),
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
  const [bare, one, two]: [Heard[], Heard[], Heard[]] = [[], [], []];
  const [onePiece, twoPieces]: [Heard[], Heard[]] = [[], []];
  await inTurns(turns.recording, [
    async () => void bare.push(await hearBare([recording], 1)),
    async () => void one.push(await hearWhole([recording], sourceUrl, 1)),
    async () => void two.push(await hearWhole([recording], sourceUrl, 2)),
    async () => {
      onePiece.push(await hearBare([piece, piece], 1));
      twoPieces.push(await hearBare([piece, piece], 2));
    },
  ]);
  const speed = ratios(one, two, secondsOf);
  return [
    ...compared('all clips, some times over, as one recording, one place', [recording], one, bare),
    {
      name: 'two transcriber places beside one, on one recording',
      measured: `${told(speed)} as fast, processor time ${ratio(median(ratios(two, one, cpuOf)))}`,
      against: `two of pocketsphinx alone beside one: ${told(ratios(onePiece, twoPieces, secondsOf))}, processor time ${ratio(median(ratios(twoPieces, onePiece, cpuOf)))}`,
      target: `at least ${targets.speed}x`,
      reached: median(speed) >= targets.speed,
    },
  ];
}

/** Transcription through the whole program against the transcriber alone, on the same clips. */
export const part: Part = async ({ full }) => {
  const missing = tellsOfProcesses() ? clipsMissing() : 'processor time of processes is read from /proc';
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
