import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { monthOfPhase, type Plan } from './events.ts';

const execute = promisify(execFile);

/** Compares the figures that a run has written with those of the oracle. @param folder for the plan, as the oracle reads it */
export async function compared(
  plan: Plan,
  folder: string,
  figures: string,
): Promise<{ compared: number; differing: number }> {
  const planFile = join(folder, 'plan.json');
  const closed = Array.from({ length: plan.months - 1 }, (_, phase) => monthOfPhase(plan, phase));
  writeFileSync(planFile, JSON.stringify({ ...plan, closed }));
  const { stdout } = await execute('python3', [join(import.meta.dirname, 'oracle.py'), planFile, figures]);
  const answer = JSON.parse(stdout) as { compared: number; differing: number; shown: unknown[] };
  if (answer.differing > 0) process.stdout.write(`${JSON.stringify(answer.shown)}\n`);
  return answer;
}
