import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { execFileSync } from 'node:child_process';
import type { Part } from './figures.ts';
import { cpuSeconds, treeMemory, canMeasureProcesses } from './process-figures.ts';
import { startProgram } from './program.ts';
import { median } from './statistics.ts';

const maxMs = 3000;
const maxMegabytes = 350;

/** Milliseconds of starting and stopping Node alone: a measure of the load of the machine. */
function bareStartMs(): number {
  const began = performance.now();
  execFileSync(process.execPath, ['-e', '0']);
  return performance.now() - began;
}

/** Starts the program with the model in an existing data folder, and measures it while idle. */
export const part: Part = async ({ full }) => {
  const folder = mkdtempSync(join(tmpdir(), 'ply-bench-start-'));
  const seen: { start: number; cpu: number; memory: number; bare: number }[] = [];
  try {
    await (await startProgram({ folder, organizationId: '00000000-0000-4000-8000-000000000001' })).stop();
    for (let round = 0; round < (full ? 7 : 5); round++) {
      const bare = bareStartMs();
      const program = await startProgram({ folder });
      const cpu = canMeasureProcesses() ? cpuSeconds(program.pid) : Number.NaN;
      // Waits for the model's threads and the first garbage collection.
      await pause(4000);
      seen.push({
        start: program.startMs,
        cpu,
        bare,
        memory: canMeasureProcesses() ? treeMemory(program.pid).all : Number.NaN,
      });
      await program.stop();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  const [start, cpu, memory, bare] = [
    median(seen.map((one) => one.start)),
    median(seen.map((one) => one.cpu)),
    median(seen.map((one) => one.memory)),
    median(seen.map((one) => one.bare)),
  ];
  return [
    {
      name: 'start with the model, warm: until ready',
      measured: `${(start / 1000).toFixed(2)} s, ${cpu.toFixed(2)} s of processor time`,
      against: `starting Node alone: ${bare.toFixed(0)} ms`,
      target: `at most ${maxMs / 1000} s`,
      reached: start <= maxMs,
    },
    ...(canMeasureProcesses()
      ? [
          {
            name: 'idle memory with the model (PSS, all processes)',
            measured: `${memory.toFixed(0)} MB`,
            against: '',
            target: `at most ${maxMegabytes} MB`,
            reached: memory <= maxMegabytes,
          },
        ]
      : []),
  ];
};
