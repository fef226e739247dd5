import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { projectRoot } from './setup/paths.mjs';

/*
 * Hundreds of random runs of files, permissions and readers (test/permissions/). `npm run test:permissions` uses a new
 * seed in every run; PLY_PERMISSION_RUNS, PLY_PERMISSION_MILVUS_RUNS and PLY_PERMISSION_SEED set the numbers and the
 * seed.
 */

const runs = process.env['PLY_PERMISSION_RUNS'] ?? '100';
const milvusRuns = process.env['PLY_PERMISSION_MILVUS_RUNS'] ?? '10';
const seed = process.env['PLY_PERMISSION_SEED'] ?? String(Date.now() % 1_000_000_000);
console.log(`${runs} lives, and ${milvusRuns} with Milvus, with seed ${seed}`);
const jest = join(projectRoot, 'node_modules/jest/bin/jest.js');
const child = spawn(
  process.execPath,
  [
    '--disable-warning=ExperimentalWarning',
    '--experimental-vm-modules',
    jest,
    'test/permissions',
    ...process.argv.slice(2),
  ],
  {
    cwd: projectRoot,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: {
      ...process.env,
      PLY_PERMISSION_RUNS: runs,
      PLY_PERMISSION_MILVUS_RUNS: milvusRuns,
      PLY_PERMISSION_SEED: seed,
    },
  },
);
process.once('SIGTERM', () => child.kill('SIGTERM'));
child.once('exit', (code) => {
  process.exitCode = code ?? 1;
});
