import { setTimeout as pause } from 'node:timers/promises';
import { systemAmbient } from '../../models/ambient.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { ProgramProcess } from '../cluster/program-process.ts';

/** What was done to the processes of a cluster. */
export interface FaultCounts {
  /** kill -9 by name of the process. */
  killed: { [name: string]: number };
  /** Workers stopped for longer than their lease, and woken. */
  frozen: { [name: string]: number };
}

/** How faults are made. */
export interface FaultPlan {
  faults: number;
  /** Shortest and longest time between two faults, in milliseconds. */
  between: readonly [number, number];
  /** How long a frozen worker sleeps. */
  sleepMs: number;
  tell(line: string): void;
}

/** Every so many faults hit something else than a worker: gateway, registrar, scheduler or searcher. */
const othersEvery = 5;

/** Kills and freezes processes, one after the other; killed ones are started again at once, frozen ones are woken. */
export async function makeFaults(cluster: Cluster, { faults, between: [shortest, longest], sleepMs, tell }: FaultPlan): Promise<FaultCounts> {
  const counts: FaultCounts = { killed: {}, frozen: {} };
  const workers = [...cluster.processesOf('extractor'), ...cluster.processesOf('transcriber'), ...cluster.processesOf('embedder')];
  const others = cluster.processes.filter((program) => !workers.includes(program));
  const asleep = new Map<ProgramProcess, Promise<void>>();
  for (let count = 1; count <= faults; count++) {
    await pause(shortest + systemAmbient.random() * (longest - shortest));
    const isOther = count % othersEvery === 0;
    const victims = isOther ? others : workers.filter((worker) => !asleep.has(worker));
    const victim = victims[Math.floor(systemAmbient.random() * victims.length)];
    if (victim === undefined) {
      // All of them sleep: the fault is made a little later.
      count--;
      continue;
    }
    const isKill = isOther || systemAmbient.random() < 0.5;
    const tally = isKill ? counts.killed : counts.frozen;
    tally[victim.name] = (tally[victim.name] ?? 0) + 1;
    if (isKill) {
      await victim.kill();
      victim.start();
    } else {
      victim.freeze();
      asleep.set(victim, pause(sleepMs).then(() => {
        victim.wake();
        asleep.delete(victim);
      }));
    }
    if (count % 10 === 0) tell(`  ${count} of ${faults} faults`);
  }
  await Promise.all(asleep.values());
  return counts;
}

/** Restarts NATS and Redis, once each, with a pause before each. */
export async function restartServers(cluster: Cluster, pauseMs: number, tell: (line: string) => void): Promise<string[]> {
  const restarted: string[] = [];
  for (const name of ['nats', 'redis'] as const) {
    await pause(pauseMs);
    tell(`  ${name} is restarted`);
    await cluster.servers[name].restart();
    restarted.push(name);
  }
  return restarted;
}

/** All faults of a plan together. */
export function countOf(counts: FaultCounts): number {
  return [...Object.values(counts.killed), ...Object.values(counts.frozen)].reduce((sum, count) => sum + count, 0);
}
