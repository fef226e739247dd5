import { fork } from 'node:child_process';
import type { Server } from 'node:net';

/** A server in a child process. */
export interface ForkedServer {
  port: number;
  pid: number;
  stop(): void;
}

/**
 * Runs a module as a child process and waits until its `serveForked` listens.
 * @throws Error with the message `failure` if it exits before
 */
export async function forkServer(
  module: string,
  args: readonly string[] = [],
  failure = `${module} exited before it listened`,
): Promise<ForkedServer> {
  const child = fork(module, args, { execArgv: ['--disable-warning=ExperimentalWarning'] });
  const port = await new Promise<number>((resolve, reject) => {
    child.once('message', (message) => resolve(Number(message)));
    child.once('exit', () => reject(new Error(failure)));
  });
  return { port, pid: child.pid ?? 0, stop: () => void child.kill() };
}

/** Listens on a free port in the child process, and exits with the parent process. */
export function serveForked(server: Server, host = '127.0.0.1'): void {
  server.listen(0, host, () => {
    const address = server.address();
    if (typeof address === 'object' && address !== null) process.send?.(address.port);
  });
  process.on('disconnect', () => process.exit(0));
}
