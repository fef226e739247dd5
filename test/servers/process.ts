import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorCodeOf } from '../../models/error-code.ts';

/**
 * A guard that runs a server in its own process group. Its input is a pipe from the test process: when that exits in
 * any way, `read` returns and the group is killed. When the server exits, the guard exits.
 */
const guard = `
( sh -c 'echo $$ >&3; exec "$@" 3>&- 4>&-' server "$@" </dev/null >&4 2>&4; kill -9 0 ) &
exec 3>&- 4>&-
read -r line
kill -9 0
`;

const stopMilliseconds = 15_000;

/** A running server process. */
export interface ServerProcess {
  /** Process id of the server. */
  readonly pid: number;
  /** Whether the server is running. */
  running(): boolean;
  /** Stops it (SIGTERM) and waits; kills it after 15 s. */
  stop(): Promise<void>;
  /** Kills it (SIGKILL) and waits. */
  kill(): Promise<void>;
}

/** Starts a server that ends with this process. @param logFile its output is appended there */
export async function startProcess(command: readonly string[], logFile: string): Promise<ServerProcess> {
  const log = openSync(logFile, 'a');
  const child = spawn('sh', ['-c', guard, 'guard', ...command], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore', 'pipe', log],
  });
  closeSync(log);
  // The guard exits after the server, so the port is free then.
  const gone = once(child, 'exit').then(() => undefined);
  const pid = await readPid(child);
  detach(child);
  const kill = async (): Promise<void> => {
    child.ref();
    signal(pid, 'SIGKILL');
    await gone;
    child.stdin?.destroy();
  };
  return {
    pid,
    running: () => child.exitCode === null && child.signalCode === null,
    kill,
    stop: async () => {
      child.ref();
      signal(pid, 'SIGTERM');
      await Promise.race([gone, sleep(stopMilliseconds, undefined, { ref: false })]);
      await kill();
    },
  };
}

async function readPid(child: ChildProcess): Promise<number> {
  const pipe = child.stdio[3];
  if (pipe === null || pipe === undefined || !('setEncoding' in pipe))
    throw new Error('the guard has no pipe for the process id');
  pipe.setEncoding('utf8');
  const [line]: unknown[] = await Promise.race([once(pipe, 'data'), once(child, 'exit').then(() => [''])]);
  const pid = Number(line);
  if (!Number.isInteger(pid) || pid <= 0) throw new Error('the server could not be started');
  pipe.destroy();
  return pid;
}

/** The guard must not keep the test process running. Its input is a socket, although its type differs. */
function detach(child: ChildProcess): void {
  child.unref();
  if (child.stdin instanceof Socket) child.stdin.unref();
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    // It has already exited.
    if (errorCodeOf(error) !== 'ESRCH') throw error;
  }
}
