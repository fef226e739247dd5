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
export interface FaultPlan {
  faults: number;
  /** Shortest and longest time between two faults, in milliseconds. */
  between: readonly [number, number];
  /** How long a frozen worker is paused. */
  sleepMs: number;
  log(line: string): void;
}

/** Every nth fault hits another role than a worker: gateway, registrar, scheduler or searcher. */
const othersEvery = 5;

/** Kills and freezes processes in turn. Killed processes are restarted immediately, frozen ones are continued. */
export async function makeFaults(
  cluster: Cluster,
  { faults, between: [shortest, longest], sleepMs, log }: FaultPlan,
): Promise<FaultCounts> {
  const counts: FaultCounts = { killed: {}, frozen: {} };
  const workers = [
    ...cluster.processesOf('extractor'),
    ...cluster.processesOf('transcriber'),
    ...cluster.processesOf('embedder'),
  ];
  const others = cluster.processes.filter((program) => !workers.includes(program));
  const asleep = new Map<ProgramProcess, Promise<void>>();
  for (let count = 1; count <= faults; count++) {
    await pause(shortest + systemRuntime.random() * (longest - shortest));
    const isOther = count % othersEvery === 0;
    const victims = isOther ? others : workers.filter((worker) => !asleep.has(worker));
    const victim = victims[Math.floor(systemRuntime.random() * victims.length)];
    if (victim === undefined) {
      // All are paused: the fault is injected later.
      count--;
      continue;
    }
    const isKill = isOther || systemRuntime.random() < 0.5;
    const tally = isKill ? counts.killed : counts.frozen;
    tally[victim.name] = (tally[victim.name] ?? 0) + 1;
    if (isKill) {
      await victim.kill();
      victim.start();
    } else {
      victim.freeze();
      asleep.set(
        victim,
        pause(sleepMs).then(() => {
          victim.wake();
          asleep.delete(victim);
        }),
      );
    }
    if (count % 10 === 0) log(`  ${count} of ${faults} faults`);
  }
  await Promise.all(asleep.values());
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

/** All faults of a plan together. */
export function countOf(counts: FaultCounts): number {
  return [...Object.values(counts.killed), ...Object.values(counts.frozen)].reduce((sum, count) => sum + count, 0);
}
