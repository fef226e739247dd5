import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder, projectRoot } from '../../scripts/setup/paths.mjs';
import { ensureProgram, runProgram, type Outcome } from '../../scripts/setup/system.ts';
import { withLock } from './lock.ts';

/** The servers that tests run against. */
export type ServerName = 'nats' | 'redis' | 'mongo' | 'milvus';

/** Names of all servers. */
export const serverNames: readonly ServerName[] = ['nats', 'redis', 'mongo', 'milvus'];

const natsModule = 'github.com/nats-io/nats-server/v2@v2.15.2';
const milvusPackages = ['milvus-lite==3.2.2', 'pymilvus==3.0.2'];

/** The installation folder of a server. */
export function serverFolder(name: ServerName): string {
  return join(cacheFolder, 'servers', name);
}

/** The installed files to start a server from. */
export const serverFiles = {
  nats: join(serverFolder('nats'), 'nats-server'),
  mongoClasses: join(serverFolder('mongo'), 'classes'),
  mongoLibraries: join(serverFolder('mongo'), 'libraries'),
  // The script is handed to its Python, because its first line names the folder it was installed into, which may move.
  milvusPython: join(serverFolder('milvus'), 'bin/python3'),
  milvus: join(serverFolder('milvus'), 'bin/milvus-lite'),
};

const installed: Outcome = { ok: true, output: '' };

/** Runs steps until one fails. */
async function inOrder(...steps: (() => Promise<Outcome>)[]): Promise<Outcome> {
  for (const step of steps) {
    const outcome = await step();
    if (!outcome.ok) return outcome;
  }
  return installed;
}

/**
 * Fills a server's folder under the cache folder, once for all processes of this machine.
 * @param proof a file that exists when the folder is complete
 * @param install writes into the given folder
 */
async function intoCache(
  name: ServerName,
  proof: string,
  install: (folder: string) => Promise<Outcome>,
): Promise<Outcome> {
  const folder = serverFolder(name);
  if (existsSync(join(folder, proof))) return installed;
  return withLock(`${folder}.lock`, async () => {
    if (existsSync(join(folder, proof))) return installed;
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    return install(folder);
  });
}

function installNats(folder: string): Promise<Outcome> {
  return runProgram('go', ['install', natsModule], {
    environment: { GOBIN: folder, GOTOOLCHAIN: 'local', GOFLAGS: '-p=2' },
  });
}

function installMongo(folder: string): Promise<Outcome> {
  const source = join(projectRoot, 'test/servers/mongo');
  const libraries = join(folder, 'libraries');
  return inOrder(
    () =>
      runProgram('mvn', [
        '-q',
        '-B',
        '-f',
        join(source, 'pom.xml'),
        'dependency:copy-dependencies',
        `-DoutputDirectory=${libraries}`,
      ]),
    () =>
      runProgram('javac', [
        '-cp',
        `${libraries}/*`,
        '-d',
        join(folder, 'classes'),
        join(source, 'Main.java'),
        join(source, 'IndexedBackend.java'),
      ]),
  );
}

function installMilvus(folder: string): Promise<Outcome> {
  return inOrder(
    () => ensureProgram(['python3', '-m', 'ensurepip', '--version'], ['python3-venv']),
    () => runProgram('python3', ['-m', 'venv', folder]),
    () => runProgram(join(folder, 'bin/pip'), ['install', '-q', '--disable-pip-version-check', ...milvusPackages]),
    async () => {
      await writeFile(join(folder, 'complete'), milvusPackages.join('\n'));
      return installed;
    },
  );
}

/**
 * Installs a server, once for all processes of this machine: into the cache folder, or Redis as a package of the
 * system. Costs next to nothing when it is there.
 * @returns why it cannot be had, or null when it is ready
 */
export async function installServer(name: ServerName): Promise<string | null> {
  const outcome = await installers[name]();
  return outcome.ok ? null : outcome.reason;
}

const installers: Record<ServerName, () => Promise<Outcome>> = {
  nats: () => intoCache('nats', 'nats-server', installNats),
  redis: () =>
    withLock(`${serverFolder('redis')}.lock`, () => ensureProgram(['redis-server', '--version'], ['redis-server'])),
  mongo: () => intoCache('mongo', 'classes/IndexedBackend.class', installMongo),
  milvus: () => intoCache('milvus', 'complete', installMilvus),
};
