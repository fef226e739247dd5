import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startCluster } from './cluster.ts';
import { projectRoot } from '../setup/places.mjs';
import { countJest, type Counts } from '../test/counts.ts';

/**
 * The tests of the API that do not depend on its process, so that a cluster must pass them like a single program.
 */
const files = [
  'registration',
  'imports',
  'jobs',
  'lists',
  'attributes',
  'revisions',
  'replacing',
  'formats',
  'search',
  'visibility',
  'source-access',
  'connector-canvas',
  'connector-s3',
];

/** It expects the usual limit on documents, and others a smaller one. */
const leftOut = 'lists formats and limits';

/** The waits and limits that these tests expect. */
const environment = {
  PLY_EMBEDDING_THREADS: '0',
  PLY_RETRY_BASE_MS: '40',
  PLY_LEASE_SECONDS: '2',
  PLY_MAX_DOCUMENT_BYTES: '3000000',
  PLY_LOG_LEVEL: 'warn',
};

/** Runs the tests of registration and search over HTTP against a cluster; or returns why it cannot run here. */
export async function testApiOverCluster(log: (line: string) => void): Promise<Counts | { unavailable: string }> {
  const cluster = await startCluster({ environment, log });
  if ('unavailable' in cluster) return cluster;
  const folder = mkdtempSync(join(tmpdir(), 'ply-test-cluster-'));
  const results = join(folder, 'results.json');
  try {
    const { apiUrl, organizationId, adminKey, standardKey } = cluster;
    const metricsUrl = cluster.processesOf('searcher')[0]?.healthUrl.replace('/health/ready', '') ?? '';
    const named = JSON.stringify({ apiUrl, organizationId, adminKey, standardKey, folder: cluster.folder, metricsUrl });
    const patterns = files.map((name) => join(projectRoot, 'test', 'api', `${name}.test.ts`));
    const args = [
      '--experimental-vm-modules',
      '--disable-warning=ExperimentalWarning',
      join(projectRoot, 'node_modules/jest/bin/jest.js'),
      '--runInBand',
      '--json',
      `--outputFile=${results}`,
      `--testNamePattern=^(?!.*${leftOut}).*$`,
      '--runTestsByPath',
      ...patterns,
    ];
    const child = spawn(process.execPath, args, {
      cwd: projectRoot,
      env: { ...process.env, PLY_TEST_CLUSTER: named },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const code = await new Promise<number>((resolve, reject) => {
      child.on('error', reject);
      child.on('exit', (exitCode) => resolve(exitCode ?? 1));
    });
    return countJest(readFileSync(results, 'utf8'), code);
  } finally {
    await rm(folder, { recursive: true, force: true });
    await cluster.stop();
  }
}
