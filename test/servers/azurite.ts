import { existsSync, mkdtempSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cacheFolder } from '../../scripts/setup/paths.mjs';
import { runProgram } from '../../scripts/setup/system.ts';
import { startListening } from './listening.ts';
import { withLock } from './lock.ts';

/** An empty Azure Blob Storage for tests. */
export interface AzuriteServer {
  /** Address of the account: path style. */
  blobService: string;
  account: string;
  /** Base64, as in Azure. */
  accountKey: string;
  stop(): Promise<void>;
}

const folder = join(cacheFolder, 'servers', 'azurite');
const program = join(folder, 'node_modules/azurite/dist/src/blob/main.js');

/** Versions of two indirect dependencies, because not every registry has the requested ones. */
const wanted = {
  private: true,
  dependencies: { azurite: '3.35.0' },
  overrides: { linkedom: '0.18.12', 'typedarray.prototype.slice': '1.0.5' },
};

/**
 * Installs Azurite into the cache folder, because its many packages are not part of the project. Returns why it is not
 * available, or null.
 */
export async function installAzurite(): Promise<string | null> {
  if (existsSync(join(folder, 'complete'))) return null;
  return withLock(`${folder}.lock`, async () => {
    if (existsSync(join(folder, 'complete'))) return null;
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'package.json'), JSON.stringify(wanted));
    const outcome = await runProgram(
      'npm',
      ['install', '--ignore-scripts', '--no-fund', '--no-audit', '--loglevel=error'],
      { folder },
    );
    if (!outcome.ok) return outcome.reason;
    await writeFile(join(folder, 'complete'), '');
    return null;
  });
}

/** Starts Azurite on a free loopback port; it ends with this process. Returns why it is not available as text. */
export async function startAzurite(): Promise<AzuriteServer | string> {
  const missing = await installAzurite();
  if (missing !== null) return `Azurite is not available: ${missing}`;
  const command = (port: number): string[] => [
    process.execPath,
    program,
    '--blobHost',
    '127.0.0.1',
    '--blobPort',
    String(port),
    '--inMemoryPersistence',
    '--skipApiVersionCheck',
    '--disableTelemetry',
    '--silent',
  ];
  const server = await startListening('azurite', command, mkdtempSync(join(tmpdir(), 'ply-azurite-')));
  return {
    blobService: `http://127.0.0.1:${server.port}/devstoreaccount1`,
    account: 'devstoreaccount1',
    // Azurite's default account and key, which are public.
    accountKey: 'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==',
    stop: server.stop,
  };
}
