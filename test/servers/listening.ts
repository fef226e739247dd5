import { rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startProcess, type ServerProcess } from './process.ts';

/** A server that runs and takes connections. */
export interface ListeningServer {
  process: ServerProcess;
  /** Ends it and removes its data. */
  stop(): Promise<void>;
}

/**
 * Starts a server and waits until it takes connections on its loopback port; it ends with this process. Answers as text
 * why it did not come up.
 * @param folder its data, removed when it is stopped; its output goes to the file `log` there
 */
export async function startListening(name: string, command: readonly string[], port: number, folder: string): Promise<ListeningServer | string> {
  const log = join(folder, 'log');
  const server = await startProcess(command, log);
  const stop = async (): Promise<void> => {
    await server.kill();
    await rm(folder, { recursive: true, force: true });
  };
  for (let i = 0; i < 600; i += 1) {
    if (!server.running()) return `${name} ended at its start (see ${log})`;
    if (await takesConnections(port)) return { process: server, stop };
    await sleep(100);
  }
  await stop();
  return `${name} did not come up within a minute`;
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
