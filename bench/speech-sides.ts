import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { wordsOf } from '../adapters/speech/pocketsphinx/output.ts';
import type { Segment } from '../models/transcript.ts';
import type { HttpClients } from './http-clients.ts';
import { endedChildrenCpuSeconds, familyCpuSeconds } from './process-figures.ts';
import { counterOf, startProgram } from './program.ts';
import type { Clip } from './speech-clips.ts';

const patienceMs = 1_800_000;
/**
 * A program whose processes take less than this share of a processor for so long is at rest; it has so long to come to
 * that.
 */
const restShare = 0.05;
const restMs = 1000;
const maxStartMs = 20_000;
const root = '/api/content/v1';

/** What came of clips on one of the sides that are compared. */
export interface Heard {
  /** What was understood, by the clip's name. */
  texts: Map<string, string>;
  /** Processor seconds of all processes that took part, until all clips were done. */
  cpu: number;
  /**
   * Seconds of the transcribing alone: of the bare side until all were done, of the program added up over the clips.
   */
  seconds: number;
}

/** What came of clips in the whole program. */
export interface HeardWhole extends Heard {
  transcripts: Map<string, Segment[]>;
}

/**
 * Has pocketsphinx by itself hear clips, so many at a time. Nothing else may be started meanwhile: its processor time
 * would count.
 */
export async function hearBare(clips: readonly Clip[], atOnce: number): Promise<Heard> {
  const waiting = [...clips];
  const texts = new Map<string, string>();
  const [began, cpuBefore] = [performance.now(), endedChildrenCpuSeconds(process.pid)];
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let clip = waiting.shift(); clip !== undefined; clip = waiting.shift())
        texts.set(clip.name, await understood(clip));
    }),
  );
  return { texts, cpu: endedChildrenCpuSeconds(process.pid) - cpuBefore, seconds: (performance.now() - began) / 1000 };
}

/** What pocketsphinx, with the options that the program gives it, understands of a clip. @throws where it fails */
async function understood(clip: Clip): Promise<string> {
  const child = spawn('pocketsphinx_continuous', ['-infile', clip.path, '-time', 'yes', '-logfn', '/dev/null'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    output += piece;
  });
  await once(child, 'close');
  if (child.exitCode !== 0) throw new Error(`pocketsphinx ended with ${child.signalCode ?? child.exitCode}`);
  return wordsOf(output, Infinity)
    .map(({ text }) => text)
    .join(' ');
}

/** Waits for the end of a job. @throws where it is not ready */
async function ready(http: HttpClients, jobId: string): Promise<void> {
  const began = performance.now();
  for (;;) {
    const { state, errorCode } = JSON.parse(await http.ask({ method: 'GET', path: `${root}/jobs/${jobId}` })) as {
      state: string;
      errorCode: string | null;
    };
    if (state === 'ready') return;
    if (state === 'failed' || state === 'cancelled' || performance.now() - began > patienceMs)
      throw new Error(`a job is ${state}: ${errorCode ?? 'no code'}`);
    await pause(500);
  }
}

/** Waits until a program is done with its start: it answers requests before all its threads have loaded the model. */
async function atRest(pid: number): Promise<void> {
  const deadline = performance.now() + maxStartMs;
  for (let before = familyCpuSeconds(pid); performance.now() < deadline;) {
    await pause(restMs);
    const now = familyCpuSeconds(pid);
    if (now - before < (restShare * restMs) / 1000) return;
    before = now;
  }
}

/**
 * Registers clips with a new program, whose transcribers have so many places, and waits until all are ready. Its
 * processor time counts from the first registration on, with all that a program does once, at its first recording.
 */
export async function hearWhole(clips: readonly Clip[], sourceUrl: string, positions: number): Promise<HeardWhole> {
  const program = await startProgram({ environment: { PLY_TRANSCRIBER_WORKERS: String(positions) } });
  const http = program.clients(1);
  try {
    await atRest(program.pid);
    const cpuBefore = familyCpuSeconds(program.pid);
    const accepted: { name: string; assetId: string; jobId: string }[] = [];
    for (const { name } of clips) {
      const asset = {
        externalId: name,
        filename: name,
        kind: 'audio',
        sourceUrl: `${sourceUrl}/file/${name}`,
        sourceVersion: `"${name}"`,
        language: 'en',
      };
      accepted.push({
        name,
        ...(JSON.parse(await http.ask({ method: 'POST', path: `${root}/assets`, body: JSON.stringify(asset) })) as {
          assetId: string;
          jobId: string;
        }),
      });
    }
    for (const { jobId } of accepted) await ready(http, jobId);
    const cpu = familyCpuSeconds(program.pid) - cpuBefore;
    const seconds = await counterOf(program, 'ply_stage_duration_seconds_sum', 'stage="transcribing"');
    const transcripts = new Map<string, Segment[]>();
    for (const { name, assetId } of accepted)
      transcripts.set(
        name,
        (
          JSON.parse(await http.ask({ method: 'GET', path: `${root}/assets/${assetId}/transcript` })) as {
            segments: Segment[];
          }
        ).segments,
      );
    const texts = new Map(
      [...transcripts].map(([name, segments]) => [name, segments.map(({ text }) => text).join(' ')]),
    );
    return { texts, transcripts, cpu, seconds };
  } finally {
    await http.close();
    await program.stop();
  }
}
