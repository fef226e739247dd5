import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Segment } from '../models/transcript.ts';
import type { Figure, Part } from './figures.ts';
import type { HttpClients } from './http-clients.ts';
import { familyCpuSeconds, tellsOfProcesses } from './process-figures.ts';
import { counterOf, startProgram } from './program.ts';
import { alignedWords, bare, clipsMissing, makeClips, speedOfTwoBare, wordErrors, type Clip } from './speech-clips.ts';
import { startSourceServer } from './source-server.ts';
import { median, milliseconds, ratio } from './statistics.ts';

const targets = { cpu: 1.15, errorPoints: 1, speed: 1.8, wordMs: 50 };
const patienceMs = 1_800_000;
const root = '/api/content/v1';

/** What came of clips in the whole program. */
interface Heard {
  transcripts: Map<string, Segment[]>;
  /** Processor seconds of the program and all its processes, from the registration until all clips are ready. */
  cpu: number;
  /** Seconds of the transcribing stage alone, added up over the clips. */
  transcribing: number;
}

/** Waits for the end of a job. @throws where it is not ready */
async function ready(http: HttpClients, jobId: string): Promise<void> {
  const began = performance.now();
  for (;;) {
    const { state, errorCode } = JSON.parse(await http.ask({ method: 'GET', path: `${root}/jobs/${jobId}` })) as { state: string; errorCode: string | null };
    if (state === 'ready') return;
    if (state === 'failed' || state === 'cancelled' || performance.now() - began > patienceMs) throw new Error(`a job is ${state}: ${errorCode ?? 'no code'}`);
    await pause(200);
  }
}

/** Registers clips with a new program, whose transcribers have so many places, and waits for their transcripts. */
async function hear(clips: readonly Clip[], sourceUrl: string, workers: number): Promise<Heard> {
  const program = await startProgram({ environment: { PLY_TRANSCRIBER_WORKERS: String(workers) } });
  const http = program.clients(1);
  try {
    const cpuBefore = familyCpuSeconds(program.pid);
    const accepted: { name: string; assetId: string; jobId: string }[] = [];
    for (const { name } of clips) {
      const asset = { externalId: name, filename: name, kind: 'audio', sourceUrl: `${sourceUrl}/file/${name}`, sourceVersion: `"${name}"`, language: 'en' };
      accepted.push({ name, ...(JSON.parse(await http.ask({ method: 'POST', path: `${root}/assets`, body: JSON.stringify(asset) })) as { assetId: string; jobId: string }) });
    }
    for (const { jobId } of accepted) await ready(http, jobId);
    const cpu = familyCpuSeconds(program.pid) - cpuBefore;
    const transcribing = await counterOf(program, 'ply_stage_duration_seconds_sum', 'stage="transcribing"');
    const transcripts = new Map<string, Segment[]>();
    for (const { name, assetId } of accepted) transcripts.set(name, (JSON.parse(await http.ask({ method: 'GET', path: `${root}/assets/${assetId}/transcript` })) as { segments: Segment[] }).segments);
    return { transcripts, cpu, transcribing };
  } finally {
    await http.close();
    await program.stop();
  }
}

/** Word errors of all clips in percent. */
function errorRate(clips: readonly Clip[], heard: (clip: Clip) => string): number {
  const counts = clips.map((clip) => wordErrors(clip.reference, heard(clip)));
  return (counts.reduce((sum, { errors }) => sum + errors, 0) / counts.reduce((sum, { words }) => sum + words, 0)) * 100;
}

/** Differences of the starts of words heard right from those of the aligned clip, in milliseconds. */
function startErrors(segments: readonly Segment[]): number[] {
  const heard = segments.flatMap(({ words }) => words);
  return alignedWords().words.flatMap(({ text, start }) => {
    const differences = heard.filter((word) => word.text.toLowerCase() === text).map((word) => Math.abs(word.start - start) * 1000);
    return differences.length === 0 ? [] : [Math.min(...differences)];
  });
}

async function compare(what: string, clips: readonly Clip[], sourceUrl: string): Promise<{ figures: Figure[]; heard: Heard }> {
  const alone = new Map<string, { text: string; cpu: number }>();
  const bareOnce = async (): Promise<number> => {
    let cpu = 0;
    for (const clip of clips) {
      const outcome = await bare(clip);
      alone.set(clip.name, { text: outcome.words.map(({ text }) => text).join(' '), cpu: outcome.cpu });
      cpu += outcome.cpu;
    }
    return cpu;
  };
  const before = await bareOnce();
  const heard = await hear(clips, sourceUrl, 2);
  const bareCpu = (before + (await bareOnce())) / 2;
  const [ours, theirs] = [
    errorRate(clips, ({ name }) => (heard.transcripts.get(name) ?? []).map(({ text }) => text).join(' ')),
    errorRate(clips, ({ name }) => alone.get(name)?.text ?? ''),
  ];
  return {
    heard,
    figures: [
      { name: `processor time of the whole pipeline, ${what}`, measured: `${heard.cpu.toFixed(1)} s = ${ratio(heard.cpu / bareCpu)}`, against: `pocketsphinx alone: ${bareCpu.toFixed(1)} s`, target: `at most ${targets.cpu}x`, reached: heard.cpu / bareCpu <= targets.cpu },
      { name: `word error rate, ${what}`, measured: `${ours.toFixed(1)} percent`, against: `pocketsphinx alone: ${theirs.toFixed(1)} percent`, target: `at most ${targets.errorPoints} point more`, reached: ours - theirs <= targets.errorPoints },
    ],
  };
}

/** Transcription through the whole program against the transcriber alone, on the same clips. */
export const part: Part = async ({ full }) => {
  const missing = tellsOfProcesses() ? clipsMissing() : 'processor time of processes is read from /proc';
  if (missing !== null) return { skipped: missing };
  const folder = mkdtempSync(join(tmpdir(), 'ply-bench-speech-'));
  // So many rounds give an even number of pieces: of an odd number, the last keeps one of two places waiting.
  const { clips, piece, joined } = makeClips(folder, full ? 17 : 9);
  const source = await startSourceServer({ texts: 0, wordsPerText: 1, files: Object.fromEntries([...clips, joined].map(({ name, path }) => [name, path])) });
  try {
    const short = await compare(`${clips.length} clips`, clips, source.url);
    const errors = startErrors(short.heard.transcripts.get(alignedWords().name) ?? []);
    const long = await compare('all clips, some times over, as one recording', [joined], source.url);
    const one = await hear([joined], source.url, 1);
    const speed = one.transcribing / long.heard.transcribing;
    const possible = await speedOfTwoBare(piece);
    return [
      ...short.figures, ...long.figures,
      { name: 'two transcriber places beside one, on one recording', measured: `${ratio(speed)} as fast, processor time ${ratio(long.heard.cpu / one.cpu)}`, against: `one place: ${one.transcribing.toFixed(1)} s; two of pocketsphinx alone beside one: ${ratio(possible)}`, target: `at least ${targets.speed}x`, reached: speed >= targets.speed },
      { name: `starts of ${errors.length} words heard right, against the aligned clip`, measured: `median error ${milliseconds(median(errors))}`, against: '', target: `under ${targets.wordMs} ms`, reached: median(errors) < targets.wordMs },
    ];
  } finally {
    source.stop();
    await rm(folder, { recursive: true, force: true });
  }
};
