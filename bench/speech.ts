import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Segment } from '../models/transcript.ts';
import type { Figure, Part } from './figures.ts';
import { makeNoises } from './noises.ts';
import { canMeasureProcesses } from './process-figures.ts';
import { alignedWords, clipsMissing, makeClips, wordErrors, type Clip } from './speech-clips.ts';
import { transcribeWithProgram, type ProgramTranscription } from './speech-sides.ts';
import { startSourceServer } from './source-server.ts';
import { median, milliseconds, percentile, ratio } from './statistics.ts';

/** Word errors and processor seconds for a second of sound, starts of words, memory of a process, speed of two. */
const targets = { errors: 0.1, cpu: 0.12, wordMs: 100, wordMs90: 250, megabytes: 600, speed: 1.8 };
/** Repetitions of the clips in the joined recording. */
const rounds = { short: 3, full: 9 };

const textOf = (segments: readonly Segment[] | undefined): string => (segments ?? []).map(({ text }) => text).join(' ');

/** Share of the words of recordings that were heard wrong. */
function errorRate(clips: readonly Clip[], { transcripts }: ProgramTranscription): number {
  const counts = clips.map(({ name, reference }) => wordErrors(reference, textOf(transcripts.get(name))));
  return counts.reduce((sum, { errors }) => sum + errors, 0) / counts.reduce((sum, { words }) => sum + words, 0);
}

/** Absolute differences between the starts of correctly recognized words and the aligned clip, in milliseconds. */
function startErrors({ parts }: Clip, segments: readonly Segment[]): number[] {
  const heard = segments.flatMap(({ words }) => words);
  const aligned = alignedWords();
  const end = aligned.words.at(-1)?.start ?? 0;
  return parts
    .filter(({ name }) => name === aligned.name)
    .flatMap(({ start: offset }) =>
      aligned.words.flatMap(({ text, start }) => {
        const differences = heard
          .filter((word) => word.text.toLowerCase() === text && Math.abs(word.start - offset - end / 2) < end)
          .map((word) => Math.abs(word.start - offset - start) * 1000);
        return differences.length === 0 ? [] : [Math.min(...differences)];
      }),
    );
}

function heardFigures(what: string, clips: readonly Clip[], heard: ProgramTranscription): Figure[] {
  const rate = errorRate(clips, heard);
  const seconds = clips.reduce((sum, clip) => sum + clip.seconds, 0);
  const starts = clips.flatMap((clip) => startErrors(clip, heard.transcripts.get(clip.name) ?? []));
  const [middle, high] = [median(starts), percentile(starts, 0.9)];
  return [
    {
      name: `word error rate, ${what}`,
      measured: `${(rate * 100).toFixed(1)} percent`,
      against: '',
      target: `at most ${targets.errors * 100} percent`,
      reached: rate <= targets.errors,
    },
    {
      name: `processor time of the whole pipeline for a second of sound, ${what}`,
      measured: `${(heard.cpu / seconds).toFixed(3)} s (${heard.cpu.toFixed(1)} s for ${seconds.toFixed(0)} s)`,
      against: '',
      target: `at most ${targets.cpu} s`,
      reached: heard.cpu / seconds <= targets.cpu,
    },
    {
      name: `starts of ${starts.length} words heard right, against the aligned clip, ${what}`,
      measured: `median error ${milliseconds(middle)}, 90 percent below ${milliseconds(high)}`,
      against: '',
      target: `at most ${targets.wordMs} ms, ${targets.wordMs90} ms`,
      reached: middle <= targets.wordMs && high <= targets.wordMs90,
    },
    {
      name: `memory of the transcribing process, ${what}`,
      measured: `${heard.childMegabytes.toFixed(0)} MB`,
      against: '',
      target: `at most ${targets.megabytes} MB`,
      reached: heard.childMegabytes <= targets.megabytes,
    },
  ];
}

function noiseFigure(names: readonly string[], { transcripts }: ProgramTranscription): Figure {
  const heard = names.map((name) => textOf(transcripts.get(name)).trim()).filter((text) => text !== '');
  return {
    name: `words in 30 s each of ${names.map((name) => name.replace('.wav', '')).join(', ')}`,
    measured: heard.length === 0 ? 'none' : heard.join('; '),
    against: '',
    target: 'none',
    reached: heard.length === 0,
  };
}

/** Transcription by the whole program: clips alone and joined, sound without speech, and two processes beside one. */
export const part: Part = async ({ full }) => {
  const missing = canMeasureProcesses() ? clipsMissing() : 'processor time of processes is read from /proc';
  if (missing !== null) return { skipped: missing };
  const folder = mkdtempSync(join(tmpdir(), 'ply-bench-speech-'));
  const { clips, joined } = makeClips(folder, full ? rounds.full : rounds.short);
  const noises = makeNoises(folder);
  const source = await startSourceServer({
    texts: 0,
    wordsPerText: 1,
    files: Object.fromEntries([...clips, joined, ...noises].map(({ name, path }) => [name, path])),
  });
  try {
    const alone = await transcribeWithProgram(clips, source.url, 1);
    const one = await transcribeWithProgram([joined], source.url, 1);
    const two = await transcribeWithProgram([joined], source.url, 2);
    const silent = await transcribeWithProgram(noises, source.url, 1);
    const speed = one.seconds / two.seconds;
    return [
      ...heardFigures(
        `${clips.length} clips of ${(joined.seconds / joined.parts.length).toFixed(1)} s on average`,
        clips,
        alone,
      ),
      ...heardFigures('all clips, some times over, as one recording', [joined], one),
      noiseFigure(
        noises.map(({ name }) => name),
        silent,
      ),
      {
        name: 'two transcribing processes beside one, on one recording',
        measured: `${ratio(speed)} as fast, processor time ${ratio(two.cpu / one.cpu)}`,
        against: '',
        target: `at least ${targets.speed}x`,
        reached: speed >= targets.speed,
      },
    ];
  } finally {
    source.stop();
    await rm(folder, { recursive: true, force: true });
  }
};
