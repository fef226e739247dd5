import { readFileSync } from 'node:fs';

/** What the set-up is doing about a model: its file lies beside the model's folder. */
export interface Preparation {
  state: 'running' | 'failed';
  /** The step under way, or why it failed. */
  detail: string;
}

/** The file in which the set-up reports what it does about the model of a folder. */
export function preparationFile(modelFolder: string): string {
  return `${modelFolder}.preparation.json`;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    // It has ended, or it belongs to another user and is not this set-up.
    return false;
  }
}

/**
 * Reads what the set-up does about a model; null if it does nothing. A set-up that ended without a report has failed.
 */
export function readPreparation(modelFolder: string): Preparation | null {
  let text: string;
  try {
    text = readFileSync(preparationFile(modelFolder), 'utf8');
  } catch {
    // The set-up is done, or was never started.
    return null;
  }
  const parsed: unknown = JSON.parse(text);
  if (typeof parsed !== 'object' || parsed === null || !('detail' in parsed) || !('pid' in parsed)) return null;
  const { detail, pid } = parsed;
  if (typeof detail !== 'string') return null;
  if (pid === null) return { state: 'failed', detail };
  if (typeof pid === 'number' && isAlive(pid)) return { state: 'running', detail };
  return { state: 'failed', detail: `the set-up ended while ${detail}` };
}
