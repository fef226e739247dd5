import { mkdirSync, mkdtempSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { installServer, serverFiles, type ServerName } from './install.ts';
import { freePort } from './ports.ts';
import { startProcess, type ServerProcess } from './process.ts';

/** A server for tests: our own process on a free loopback port, or a full server from the environment. */
export interface TestServer {
  readonly url: string;
  /** Whether it is a full server from the environment, which is never stopped, killed or restarted. */
  readonly external: boolean;
  /** Stops it and removes its data. */
  stop(): Promise<void>;
  /** Kills it (SIGKILL); its data stay. */
  kill(): Promise<void>;
  /** Starts it again with the same port and data; kills it first if it is running. */
  restart(): Promise<void>;
}

/** Why a server is not available on this machine. */
export interface Unavailable {
  readonly unavailable: string;
}

const host = '127.0.0.1';
/** Long enough for Java and Python on a busy machine. */
const startMilliseconds = 150_000;

/** The command of each server and its readiness check. */
const recipes: Record<
  ServerName,
  {
    url(port: number): string;
    command(port: number, data: string): string[];
    greeting?: { send: string; expect: string };
  }
> = {
  nats: {
    url: (port) => `nats://${host}:${port}`,
    command: (port, data) => [
      serverFiles.nats,
      '-c',
      join(import.meta.dirname, 'nats.conf'),
      '-a',
      host,
      '-p',
      String(port),
      '-js',
      '-sd',
      data,
    ],
    greeting: { send: '', expect: 'INFO' },
  },
  redis: {
    url: (port) => `redis://${host}:${port}`,
    command: (port, data) => [
      'redis-server',
      '--bind',
      host,
      '--port',
      String(port),
      '--dir',
      data,
      '--appendonly',
      'yes',
      '--save',
      '',
    ],
    greeting: { send: 'PING\r\n', expect: '+PONG' },
  },
  mongo: {
    url: (port) => `mongodb://${host}:${port}/?directConnection=true`,
    command: (port, data) => {
      const classPath = `${serverFiles.mongoClasses}:${serverFiles.mongoLibraries}/*`;
      return [
        'java',
        '-Xmx1g',
        '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn',
        '-cp',
        classPath,
        'Main',
        host,
        String(port),
        join(data, 'data.mv'),
      ];
    },
  },
  milvus: {
    url: (port) => `http://${host}:${port}`,
    command: (port, data) => [
      serverFiles.milvusPython,
      serverFiles.milvus,
      'server',
      '--host',
      host,
      '--port',
      String(port),
      '--data-dir',
      join(data, 'db'),
    ],
  },
};

/** Environment variables of full servers. */
const fullServers: Partial<Record<ServerName, string>> = { mongo: 'PLY_TEST_MONGO_URL', milvus: 'PLY_TEST_MILVUS_URL' };

/**
 * Installs (once per machine) and starts a server with empty data. It ends with this process. A full server from
 * `PLY_TEST_MONGO_URL` or `PLY_TEST_MILVUS_URL` is shared: use unique names in it.
 */
export async function startServer(name: ServerName): Promise<TestServer | Unavailable> {
  const named = process.env[fullServers[name] ?? ''];
  if (named) return externalServer(named);
  const missing = await installServer(name);
  if (missing !== null) return { unavailable: `${name}: ${missing}` };
  const folder = mkdtempSync(join(tmpdir(), `ply-${name}-`));
  mkdirSync(join(folder, 'data'));
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort();
    try {
      const running = await startOn(name, port, folder);
      return ownServer(name, port, folder, running);
    } catch (error) {
      // Another program may have taken the port; three times in a row has another cause.
      if (attempt === 3) throw error;
    }
  }
}

function externalServer(url: string): TestServer {
  const refuse = (): Promise<void> => Promise.reject(new Error(`${url} is an external server`));
  return { url, external: true, stop: () => Promise.resolve(), kill: refuse, restart: refuse };
}

function ownServer(name: ServerName, port: number, folder: string, first: ServerProcess): TestServer {
  let current = first;
  return {
    url: recipes[name].url(port),
    external: false,
    kill: () => current.kill(),
    stop: async () => {
      await current.stop();
      await rm(folder, { recursive: true, force: true });
    },
    restart: async () => {
      await current.kill();
      current = await startOn(name, port, folder);
    },
  };
}

async function startOn(name: ServerName, port: number, folder: string): Promise<ServerProcess> {
  const log = join(folder, 'log');
  const { command, greeting } = recipes[name];
  const started = await startProcess(command(port, join(folder, 'data')), log);
  const deadline = performance.now() + startMilliseconds;
  while (started.running() && performance.now() < deadline) {
    // A connection only proves our server while its process runs: it exits if another process has the port.
    if ((await answers(port, greeting)) && started.running()) return started;
    await sleep(50);
  }
  await started.kill();
  throw new Error(`${name} did not start: ${(await readFile(log, 'utf8')).slice(-2000)}`);
}

/** Whether the port accepts connections, with the expected greeting. */
function answers(port: number, greeting?: { send: string; expect: string }): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const settle = (ready: boolean): void => {
      socket.destroy();
      resolve(ready);
    };
    socket.setTimeout(2000, () => settle(false));
    socket.on('error', () => settle(false));
    socket.on('connect', () => (greeting === undefined ? settle(true) : socket.write(greeting.send)));
    socket.on('data', (data) => settle(greeting === undefined || data.toString().startsWith(greeting.expect)));
    socket.on('end', () => settle(false));
  });
}
