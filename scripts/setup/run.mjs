import { spawnSync } from 'node:child_process';

/** A set-up step that could not be done, with the command that mends it. */
export class SetupError extends Error {
  /**
   * @param {string} message what failed
   * @param {string} mend the command to run
   */
  constructor(message, mend) {
    super(`${message}\n  To mend it: ${mend}`);
    this.name = 'SetupError';
  }
}

/**
 * Runs a program of the set-up. What it says goes to the error output, so that the output of the verb itself
 * stays clean for pipes.
 * @param {string} program
 * @param {string[]} args
 * @param {{ cwd: string, mend: string }} options `mend`: the command to name when it fails
 */
export function run(program, args, { cwd, mend }) {
  const { status, error } = spawnSync(program, args, { cwd, stdio: ['ignore', 2, 2] });
  if (error !== undefined) throw new SetupError(`${program} could not be started: ${error.message}`, mend);
  if (status !== 0) throw new SetupError(`${program} ${args.join(' ')} failed with status ${status}.`, mend);
}
