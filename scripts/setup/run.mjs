import { spawnSync } from 'node:child_process';

/** A set-up step that could not be done, with the command that fixes it. */
export class SetupError extends Error {
  /**
   * @param {string} message what failed
   * @param {string} fix the command to run
   */
  constructor(message, fix) {
    super(`${message}\n  To fix it: ${fix}`);
    this.name = 'SetupError';
  }
}

/**
 * Runs a program of the set-up. What it says goes to the error output, so that the output of the verb itself
 * stays clean for pipes.
 * @param {string} program
 * @param {string[]} args
 * @param {{ cwd: string, fix: string }} options `fix`: the command to name when it fails
 */
export function run(program, args, { cwd, fix }) {
  const { status, error } = spawnSync(program, args, { cwd, stdio: ['ignore', 2, 2] });
  if (error !== undefined) throw new SetupError(`${program} could not be started: ${error.message}`, fix);
  if (status !== 0) throw new SetupError(`${program} ${args.join(' ')} failed with status ${status}.`, fix);
}
