import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { projectRoot } from './setup/paths.mjs';

/*
 * Thousands of mutations of files of every format (test/fuzz/). `npm run test:fuzz` uses a new seed in every run;
 * PLY_FUZZ_MUTATIONS and PLY_FUZZ_SEED set the number per format and the seed.
 */

const mutations = process.env['PLY_FUZZ_MUTATIONS'] ?? '2000';
const seed = process.env['PLY_FUZZ_SEED'] ?? String(Date.now() % 1_000_000_000);
console.log(`${mutations} mutations of each format, the first with seed ${seed}`);
const jest = join(projectRoot, 'node_modules/jest/bin/jest.js');
const child = spawn(
  process.execPath,
  ['--disable-warning=ExperimentalWarning', '--experimental-vm-modules', jest, 'test/fuzz', ...process.argv.slice(2)],
  {
    cwd: projectRoot,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, PLY_FUZZ_MUTATIONS: mutations, PLY_FUZZ_SEED: seed },
  },
);
process.once('SIGTERM', () => child.kill('SIGTERM'));
child.once('exit', (code) => {
  process.exitCode = code ?? 1;
});
