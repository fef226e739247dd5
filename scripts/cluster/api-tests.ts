import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startCluster } from './cluster.ts';
import { projectRoot } from '../setup/paths.mjs';
import { countJest, type Counts } from '../test/counts.ts';

/** API tests that do not control the program's process, so a cluster must pass them as well. */
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
  'objects',
  'uploads',
];

/** This test expects the default limit on document size, others a smaller one. */
const excludedTitle = 'lists formats and limits';

/** The settings that these tests expect. */
const environment = {
  PLY_EMBEDDING_THREADS: '0',
  PLY_RETRY_BASE_MS: '40',
  PLY_LEASE_SECONDS: '2',
  PLY_MAX_DOCUMENT_BYTES: '3000000',
  PLY_LOG_LEVEL: 'warn',
};

/** Runs the API tests against a cluster, or returns why the cluster cannot run here. */
export async function testApiOverCluster(log: (line: string) => void): Promise<Counts | { unavailable: string }> {
  const cluster = await startCluster({ environment, log });
  if ('unavailable' in cluster) return cluster;
  const folder = mkdtempSync(join(tmpdir(), 'ply-test-cluster-'));
  const results = join(folder, 'results.json');
  try {
    const { apiUrl, organizationId, adminKey, standardKey } = cluster;
    const metricsUrl = cluster.processesOf('searcher')[0]?.healthUrl.replace('/health/ready', '') ?? '';
    const clusterJson = JSON.stringify({
      apiUrl,
      organizationId,
      adminKey,
      standardKey,
      folder: cluster.folder,
      metricsUrl,
    });
    const patterns = files.map((name) => join(projectRoot, 'test', 'api', `${name}.test.ts`));
    const args = [
      '--experimental-vm-modules',
      '--disable-warning=ExperimentalWarning',
      join(projectRoot, 'node_modules/jest/bin/jest.js'),
      '--runInBand',
      '--json',
      `--outputFile=${results}`,
      `--testNamePattern=^(?!.*${excludedTitle}).*$`,
      '--runTestsByPath',
      ...patterns,
    ];
    const child = spawn(process.execPath, args, {
      cwd: projectRoot,
      env: { ...process.env, PLY_TEST_CLUSTER: clusterJson },
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
