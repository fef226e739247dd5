import { execFile } from 'node:child_process';
import { projectRoot } from '../../scripts/setup/paths.mjs';

/** The output and exit code of a command. */
export interface CommandResult {
  code: number;
  output: string;
  errors: string;
}

/** Runs a command of the operator's command line. */
export type CommandLine = (words: readonly string[], stop?: AbortSignal) => Promise<CommandResult>;

/**
 * Runs the command line as npm does: in the project's folder, with the caller's folder in a variable.
 * @param environment its `PLY_*` variables; nothing else of the environment that begins with PLY_ is passed on
 */
export function commandLine(environment: Readonly<Record<string, string>>, givenIn: string = projectRoot): CommandLine {
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('PLY_')));
  const env = { ...inherited, ...environment, INIT_CWD: givenIn };
  return (words, stop) =>
    new Promise((resolve) => {
      const child = execFile(
        process.execPath,
        ['--disable-warning=ExperimentalWarning', 'cli/ply.ts', ...words],
        { cwd: projectRoot, env },
        (_error, output, errors) => {
          resolve({ code: child.exitCode ?? -1, output: output.trimEnd(), errors: errors.trimEnd() });
        },
      );
      stop?.addEventListener('abort', () => child.kill('SIGINT'));
    });
}
