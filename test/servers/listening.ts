import { readFile, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './ports.ts';
import { startProcess, type ServerProcess } from './process.ts';

/** A running server that accepts connections. */
export interface ListeningServer {
  process: ServerProcess;
  /** Its loopback port. */
  port: number;
  /** Stops it and removes its data. */
  stop(): Promise<void>;
}

/** Timeout of a start in milliseconds: long enough for Python on a busy machine. */
const startMilliseconds = 150_000;

/**
 * Starts a server and waits until it accepts connections on a free loopback port; it ends with this process. A failed
 * start is repeated with another port, because another program may have taken the first.
 * @param command the command for a port
 * @param folder its data, removed when it stops, with its output in `log`
 * @throws Error after three failed starts: the server is installed, so tests must not be skipped
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
    // A connection only proves our server while its process runs: it exits if another process has the port.
    if ((await acceptsConnections(port)) && server.running()) {
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
  throw new Error(`${name} did not start: ${(await readFile(log, 'utf8')).slice(-2000)}`);
}

function acceptsConnections(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.on('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}
