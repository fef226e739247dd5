import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { wordsOf } from '../adapters/speech/pocketsphinx/output.ts';
import type { Segment } from '../models/transcript.ts';
import type { HttpClients } from './http-clients.ts';
import { exitedChildrenCpuSeconds, treeCpuSeconds } from './process-figures.ts';
import { counterOf, startProgram } from './program.ts';
import type { Clip } from './speech-clips.ts';

const timeoutMs = 1_800_000;
/**
 * A program is idle when its processes use less than this share of a CPU for this time; it must become idle within
 * `maxStartMs`.
 */
const idleShare = 0.05;
const idleMs = 1000;
const maxStartMs = 20_000;
const root = '/api/content/v1';

/** The result of one of the compared sides. */
export interface Transcription {
  /** The recognized texts by clip. */
  texts: Map<string, string>;
  /** CPU seconds of all processes for all clips. */
  cpu: number;
  /** Seconds of transcription: elapsed for the bare side, the sum over the clips for the program. */
  seconds: number;
}

/** The result of the whole program. */
export interface ProgramTranscription extends Transcription {
  transcripts: Map<string, Segment[]>;
}

/**
 * Transcribes clips with pocketsphinx alone, `atOnce` at a time. No other process may be started meanwhile, because its
 * CPU time would count.
 */
export async function transcribeBare(clips: readonly Clip[], atOnce: number): Promise<Transcription> {
  const waiting = [...clips];
  const texts = new Map<string, string>();
  const [began, cpuBefore] = [performance.now(), exitedChildrenCpuSeconds(process.pid)];
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let clip = waiting.shift(); clip !== undefined; clip = waiting.shift())
        texts.set(clip.name, await transcribe(clip));
    }),
  );
  return { texts, cpu: exitedChildrenCpuSeconds(process.pid) - cpuBefore, seconds: (performance.now() - began) / 1000 };
}

/** The text of a clip by pocketsphinx with the program's options. @throws if it fails */
async function transcribe(clip: Clip): Promise<string> {
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

/** Waits for the end of a job. @throws if it is not ready */
async function ready(http: HttpClients, jobId: string): Promise<void> {
  const began = performance.now();
  for (;;) {
    const { state, errorCode } = JSON.parse(await http.ask({ method: 'GET', path: `${root}/jobs/${jobId}` })) as {
      state: string;
      errorCode: string | null;
    };
    if (state === 'ready') return;
    if (state === 'failed' || state === 'cancelled' || performance.now() - began > timeoutMs)
      throw new Error(`a job is ${state}: ${errorCode ?? 'no code'}`);
    await pause(500);
  }
}

/** Waits until a program has started completely: it responds before all its threads have loaded the model. */
async function awaitIdle(pid: number): Promise<void> {
  const deadline = performance.now() + maxStartMs;
  for (let before = treeCpuSeconds(pid); performance.now() < deadline;) {
    await pause(idleMs);
    const now = treeCpuSeconds(pid);
    if (now - before < (idleShare * idleMs) / 1000) return;
    before = now;
  }
}

/**
 * Registers clips with a new program with this many transcriber slots, and waits until all are ready. Its CPU time
 * counts from the first registration, including one-time work.
 */
export async function transcribeWithProgram(
  clips: readonly Clip[],
  sourceUrl: string,
  slots: number,
): Promise<ProgramTranscription> {
  const program = await startProgram({ environment: { PLY_TRANSCRIBER_WORKERS: String(slots) } });
  const http = program.clients(1);
  try {
    await awaitIdle(program.pid);
    const cpuBefore = treeCpuSeconds(program.pid);
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
    const cpu = treeCpuSeconds(program.pid) - cpuBefore;
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
