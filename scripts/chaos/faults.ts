import { setTimeout as pause } from 'node:timers/promises';
import { systemRuntime } from '../../models/runtime.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { ProgramProcess } from '../cluster/program-process.ts';

/** The faults that were injected into a cluster. */
export interface FaultCounts {
  /** kill -9 by name of the process. */
  killed: { [name: string]: number };
  /** Workers that were paused for longer than their lease. */
  frozen: { [name: string]: number };
}

/** Options of the faults. */
export interface FaultOptions {
  faults: number;
  /** Minimum and maximum time between two faults, in milliseconds. */
  between: readonly [number, number];
  /** Time that a frozen worker is paused, in milliseconds. */
  freezeMs: number;
  /** Kinds of processes that are killed or frozen most: the workers of indexing by default. */
  workers?: readonly string[];
  /** Told before each fault. */
  injected?(): void;
  log(line: string): void;
}

/** Every nth fault affects another process than a worker, such as the gateway. */
const othersEvery = 5;

/** Kills and freezes processes in turn. Killed processes are restarted immediately, frozen ones are continued. */
export async function injectFaults(
  cluster: Cluster,
  {
    faults,
    between: [shortest, longest],
    freezeMs,
    workers: kinds = ['extractor', 'transcriber', 'embedder'],
    injected,
    log,
  }: FaultOptions,
): Promise<FaultCounts> {
  const counts: FaultCounts = { killed: {}, frozen: {} };
  const workers = kinds.flatMap((kind) => cluster.processesOf(kind));
  const others = cluster.processes.filter((program) => !workers.includes(program));
  const frozen = new Map<ProgramProcess, Promise<void>>();
  for (let count = 1; count <= faults; count++) {
    await pause(shortest + systemRuntime.random() * (longest - shortest));
    const isOther = count % othersEvery === 0;
    const victims = isOther ? others : workers.filter((worker) => !frozen.has(worker));
    const victim = victims[Math.floor(systemRuntime.random() * victims.length)];
    if (victim === undefined) {
      // All workers are frozen: try again later.
      count--;
      continue;
    }
    const isKill = isOther || systemRuntime.random() < 0.5;
    const tally = isKill ? counts.killed : counts.frozen;
    tally[victim.name] = (tally[victim.name] ?? 0) + 1;
    injected?.();
    if (isKill) {
      await victim.kill();
      victim.start();
    } else {
      victim.freeze();
      frozen.set(
        victim,
        pause(freezeMs).then(() => {
          victim.resume();
          frozen.delete(victim);
        }),
      );
    }
    if (count % 10 === 0) log(`  ${count} of ${faults} faults`);
  }
  await Promise.all(frozen.values());
  return counts;
}

/** Restarts NATS and Redis, once each, with a pause before each. */
export async function restartServers(
  cluster: Cluster,
  pauseMs: number,
  log: (line: string) => void,
): Promise<string[]> {
  const restarted: string[] = [];
  for (const name of ['nats', 'redis'] as const) {
    await pause(pauseMs);
    log(`  ${name} is restarted`);
    await cluster.servers[name].restart();
    restarted.push(name);
  }
  return restarted;
}

/** Total number of faults. */
export function countOf(counts: FaultCounts): number {
  return [...Object.values(counts.killed), ...Object.values(counts.frozen)].reduce((sum, count) => sum + count, 0);
}
