import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { allocatorEnvironment } from './setup/allocator.mjs';
import { engineOptions } from './setup/engine.mjs';
import { ensureDashboard } from './setup/ensure-dashboard.mjs';
import { ensureModel } from './setup/ensure-model.mjs';
import { ensureSpeechModel } from './setup/ensure-speech-model.mjs';
import { findNode24 } from './setup/node24.mjs';
import { installPackages } from './setup/packages.mjs';
import { cacheFolder, projectRoot } from './setup/paths.mjs';
import { SetupError } from './setup/run.mjs';
import { ensureSystemPrograms } from './setup/system-programs.mjs';

/**
 * What `npm run <verb>` starts, and whether it works better with the built dashboard, with the local embedding model,
 * with the system's programs for recordings, and with the local speech model, which `start` fetches in the background.
 */
const verbs = {
  start: { entry: 'main.ts', dashboard: true, model: true, programs: true, speech: 'background' },
  test: { entry: 'scripts/test.ts', dashboard: true, model: true, programs: true, speech: 'wait' },
  ply: { entry: 'cli/ply.ts', model: false },
  cluster: { entry: 'scripts/cluster.ts', dashboard: true, model: true, programs: true, speech: 'background' },
  bench: { entry: 'bench/run.ts', model: true, programs: true, speech: 'wait' },
  load: { entry: 'scripts/load.ts', model: true },
  'fit-relevance': { entry: 'scripts/fit-relevance.ts', model: true },
  eval: { entry: 'scripts/eval.ts', model: true },
  release: { entry: 'scripts/release.ts', model: false },
  'test-cluster': { entry: 'scripts/test-cluster.ts', model: true, programs: true },
  'test-chaos': { entry: 'scripts/test-chaos.ts', model: true, programs: true },
  'test-contract': { entry: 'scripts/test-contract.ts', model: false },
  'test-fuzz': { entry: 'scripts/test-fuzz.ts', model: false },
  judge: { entry: 'scripts/judge.ts', model: false },
  'test-permissions': { entry: 'scripts/test-permissions.ts', model: true },
  'bench-extract': { entry: 'bench/extract.ts', model: false },
};

/**
 * Starts the entry under Node 24 and ends as it ends: same output, same signals, same exit code. A set-up step that is
 * still under way ends with it.
 */
function become(node, entry, args, endSetup) {
  // Node keeps the compiled form of every module there: a later start need not compile it again, nor each of its
  // threads hold the compiler.
  const environment = { NODE_COMPILE_CACHE: join(cacheFolder, 'compiled'), ...allocatorEnvironment, ...process.env };
  const child = spawn(node, [...engineOptions, entry, ...args], { stdio: 'inherit', env: environment });
  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT']) {
    process.on(signal, () => {
      // A terminal sends Ctrl-C to every process of the foreground group, so the child has it already.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
    });
  }
  child.on('error', (error) => {
    console.error(`ply: ${node} could not be started: ${error.message}`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => {
    endSetup();
    process.exitCode = code ?? 128 + constants.signals[signal];
    process.exit();
  });
}

function launch([verb, ...args]) {
  if (verb === undefined || !Object.hasOwn(verbs, verb))
    throw new SetupError(
      `There is no verb ${verb ?? '(none)'}.`,
      `node scripts/launch.mjs ${Object.keys(verbs).join(' | ')}`,
    );
  const { entry, dashboard, model, programs, speech } = verbs[verb];
  installPackages(projectRoot);
  const node = findNode24(projectRoot);
  if (dashboard) ensureDashboard((args) => spawnSync(node, args, { stdio: ['ignore', 2, 2] }).status);
  if (model) ensureModel(node);
  if (programs) ensureSystemPrograms(node);
  const endSetup = speech === undefined ? () => undefined : ensureSpeechModel(node, speech);
  const path = join(projectRoot, entry);
  if (!existsSync(path))
    throw new SetupError(`${entry} is missing from this copy of the project.`, 'git checkout -- .');
  become(node, path, args, endSetup);
}

try {
  launch(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  console.error(`ply: ${error.message}`);
  process.exitCode = 1;
}
