import { existsSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cacheFolder } from '../../scripts/setup/places.mjs';
import { ensureProgram, runProgram } from '../../scripts/setup/system.ts';
import { withLock } from './lock.ts';
import { startProcess } from './process.ts';
import { freePort } from './servers.ts';

/** An S3-compatible server for tests, with nothing in it. */
export interface S3TestServer {
  /** Host and port. */
  host: string;
  stop(): Promise<void>;
}

const packages = ['moto[server]==5.1.4'];
const folder = join(cacheFolder, 'servers', 's3');
const program = join(folder, 'bin/moto_server');

/** Installs moto, a server of the AWS interfaces, into the cache folder. Answers why not, or null. */
async function install(): Promise<string | null> {
  if (existsSync(program)) return null;
  return withLock(`${folder}.lock`, async () => {
    if (existsSync(program)) return null;
    for (const step of [
      () => ensureProgram(['python3', '-m', 'ensurepip', '--version'], ['python3-venv']),
      () => runProgram('python3', ['-m', 'venv', folder]),
      () => runProgram(join(folder, 'bin/pip'), ['install', '-q', '--disable-pip-version-check', ...packages]),
    ]) {
      const outcome = await step();
      if (outcome.ok) continue;
      await rm(folder, { recursive: true, force: true });
      return outcome.reason;
    }
    return null;
  });
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.on('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}

/** Starts a server on a free loopback port; it ends with this process. Answers why it cannot be had as text. */
export async function startS3TestServer(): Promise<S3TestServer | string> {
  const missing = await install();
  if (missing !== null) return `an S3-compatible server cannot be had: ${missing}`;
  const port = await freePort();
  const data = mkdtempSync(join(tmpdir(), 'ply-s3-'));
  const server = await startProcess([program, '-H', '127.0.0.1', '-p', String(port)], join(data, 'log'));
  for (let i = 0; i < 600 && !(await answers(port)); i += 1) {
    if (!server.running()) return `the S3-compatible server ended at its start (see ${join(data, 'log')})`;
    await sleep(100);
  }
  return {
    host: `127.0.0.1:${port}`,
    async stop() {
      await server.kill();
      await rm(data, { recursive: true, force: true });
    },
  };
}
