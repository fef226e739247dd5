import { readFile, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './ports.ts';
import { startProcess, type ServerProcess } from './process.ts';

/** A server that runs and takes connections. */
export interface ListeningServer {
  process: ServerProcess;
  /** Where it listens, on the loopback. */
  port: number;
  /** Ends it and removes its data. */
  stop(): Promise<void>;
}

/** How long a start may take, in milliseconds: a busy machine takes its time for a server of Python. */
const startMilliseconds = 150_000;

/**
 * Starts a server and waits until it takes connections on a loopback port of its own; it ends with this process. One
 * that does not come up is tried again at another port, since what is not a program of these tests may have taken the
 * first.
 * @param command what is run for a port
 * @param folder its data, removed when it is stopped; its output goes to the file `log` there
 * @throws Error where it does not come up three times: it is installed, so this is no reason to leave tests out
 */
export async function startListening(
  name: string,
  command: (port: number) => readonly string[],
  folder: string,
): Promise<ListeningServer> {
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort();
    try {
      return await startOn(name, command(port), port, folder);
    } catch (error) {
      if (attempt === 3) throw error;
    }
  }
}

async function startOn(
  name: string,
  command: readonly string[],
  port: number,
  folder: string,
): Promise<ListeningServer> {
  const log = join(folder, 'log');
  const server = await startProcess(command, log);
  const deadline = performance.now() + startMilliseconds;
  while (server.running() && performance.now() < deadline) {
    // What answers is ours only while our process runs: it ends when another one has the port.
    if ((await takesConnections(port)) && server.running()) {
      return {
        process: server,
        port,
        stop: async () => {
          await server.kill();
          await rm(folder, { recursive: true, force: true });
        },
      };
    }
    await sleep(50);
  }
  await server.kill();
  throw new Error(`${name} did not come up: ${(await readFile(log, 'utf8')).slice(-2000)}`);
}

function takesConnections(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.on('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}
