import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Segment } from '../models/transcript.ts';
import type { HttpClients } from './http-clients.ts';
import { processTreeOf, treeCpuSeconds } from './process-figures.ts';
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

/** The result of the whole program. */
export interface ProgramTranscription {
  transcripts: Map<string, Segment[]>;
  /** CPU seconds of all processes for all recordings. */
  cpu: number;
  /** Seconds of the transcribing stage, summed over the recordings. */
  seconds: number;
  /** Highest resident memory of one transcribing process, in MB. */
  childMegabytes: number;
}

/** Highest resident memory of the transcribing processes of a program so far, in MB (`VmHWM` of proc(5)). */
function childMegabytes(pid: number): number {
  const highest = processTreeOf(pid).map((id) => {
    try {
      if (!readFileSync(`/proc/${id}/cmdline`, 'utf8').includes('speech/whisper/child.ts')) return 0;
      return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${id}/status`, 'latin1'))?.[1] ?? 0) / 1024;
    } catch {
      // It has just ended.
      return 0;
    }
  });
  return Math.max(0, ...highest);
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
 * Registers recordings with a new program with this many transcriber slots, and waits until all are ready. Its CPU time
 * counts from the first registration, including one-time work such as loading the model.
 */
export async function transcribeWithProgram(
  clips: readonly Pick<Clip, 'name'>[],
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
    return { transcripts, cpu, seconds, childMegabytes: childMegabytes(program.pid) };
  } finally {
    await http.close();
    await program.stop();
  }
}
