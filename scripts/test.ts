import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tools } from '../test/project/support/tools.ts';
import { installServer, serverNames } from '../test/servers/install.ts';
import { storeInstallers } from '../test/servers/stores.ts';
import { projectRoot } from './setup/paths.mjs';
import { afterSecondRun, countJest, none, plus, type Counts } from './test/counts.ts';

const modules = join(projectRoot, 'node_modules');

/** Exit code of a program that could not run here, the one that build tools use for it. */
const skippedExitCode = 77;

/** Further suites: programs that print their own findings and whose exit code is one test. */
const programs: readonly { title: string; entry: string; args: string[] }[] = [
  { title: 'contract', entry: 'scripts/test-contract.ts', args: ['--short'] },
];

/** Runs a Node program with our output and without input, and returns its exit code. */
function runNode(args: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...args], {
      cwd: projectRoot,
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    const end = (): boolean => child.kill('SIGTERM');
    process.once('SIGTERM', end);
    child.on('error', reject);
    child.on('exit', (code) => {
      process.off('SIGTERM', end);
      resolve(code ?? 1);
    });
  });
}

/** A program whose exit code is the result of one test. */
async function asOneTest(title: string, args: readonly string[]): Promise<Counts> {
  console.log(`\n── ${title}`);
  const code = await runNode(args);
  if (code === 0) return { ...none, passed: 1 };
  return code === skippedExitCode ? { ...none, skipped: 1, skips: [title] } : { ...none, failed: 1, failures: [title] };
}

/** Installs the servers before the suites, so that no test waits for a build. */
async function installServers(): Promise<void> {
  console.log('\n── servers for the tests');
  const installers = {
    ...Object.fromEntries(serverNames.map((name) => [name, () => installServer(name)])),
    ...storeInstallers,
  };
  for (const [name, install] of Object.entries(installers)) {
    const began = performance.now();
    const missing = await install();
    console.log(
      missing === null
        ? `${name}: ready (${((performance.now() - began) / 1000).toFixed(1)} s)`
        : `${name}: MISSING, its suites are skipped: ${missing}`,
    );
  }
}

/** Installs the programs that check deployment files. */
async function installTools(): Promise<void> {
  console.log('\n── tools for the tests');
  for (const [name, install] of Object.entries(tools)) {
    const tool = await install();
    console.log(
      'unavailable' in tool ? `${name}: MISSING, its tests are skipped: ${tool.unavailable}` : `${name}: ready`,
    );
  }
}

/** As many files of tests are run again; more that fail are no accident. */
const mostAgain = 3;

/**
 * Runs the tests. A few files that failed beside the others are run once more alone, because some tests start whole clusters
 * and a machine that others use can be too slow for them. What fails twice has failed; what passes alone is named in the summary.
 */
async function runTests(patterns: readonly string[]): Promise<Counts> {
  console.log('\n── tests');
  const counts = await runJest(patterns);
  const files = counts.failedFiles;
  if (patterns.length > 0 || files.length === 0 || files.length > mostAgain) return counts;
  console.log('\n── failed tests again, alone');
  return afterSecondRun(counts, await runJest(['--runInBand', '--runTestsByPath', ...files]));
}

async function runJest(patterns: readonly string[]): Promise<Counts> {
  const folder = mkdtempSync(join(tmpdir(), 'ply-test-'));
  const results = join(folder, 'results.json');
  try {
    const args = ['--json', `--outputFile=${results}`, '--passWithNoTests=false', ...patterns];
    const code = await runNode(['--experimental-vm-modules', join(modules, 'jest/bin/jest.js'), ...args]);
    if (!existsSync(results)) return { ...none, failed: 1, failures: ['jest ended without results'] };
    return countJest(readFileSync(results, 'utf8'), code);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runAll(patterns: readonly string[]): Promise<Counts> {
  const narrowed = patterns.length > 0;
  let counts = none;
  if (!narrowed) {
    counts = plus(counts, await asOneTest('types of the API', ['scripts/make-dashboard-types.ts']));
    counts = plus(counts, await asOneTest('types', [join(modules, 'typescript/bin/tsc')]));
    counts = plus(
      counts,
      await asOneTest('types of the dashboard', [join(modules, 'typescript/bin/tsc'), '-p', 'web']),
    );
    counts = plus(
      counts,
      await asOneTest('format', [
        join(modules, 'prettier/bin/prettier.cjs'),
        '--check',
        '--log-level=warn',
        '**/*.{ts,tsx,mts,js,mjs}',
      ]),
    );
    counts = plus(counts, await asOneTest('lint', [join(modules, 'eslint/bin/eslint.js'), '.']));
    await installServers();
    await installTools();
  }
  counts = plus(counts, await runTests(patterns));
  for (const { title, entry, args } of narrowed ? [] : programs) {
    if (existsSync(join(projectRoot, entry))) counts = plus(counts, await asOneTest(title, [entry, ...args]));
  }
  return counts;
}

/** Runs everything; an error counts as a failure, so that the last line is always printed. */
async function runWhole(): Promise<Counts> {
  try {
    return await runAll(process.argv.slice(2));
  } catch (error) {
    console.error(error);
    return {
      ...none,
      failed: 1,
      failures: [`the test command itself: ${error instanceof Error ? error.message : String(error)}`],
    };
  }
}

const counts = await runWhole();
for (const name of counts.skips) console.log(`SKIPPED: ${name}`);
for (const name of counts.unstable) console.log(`UNSTABLE, passed alone: ${name}`);
for (const name of counts.failures) console.log(`FAILED: ${name}`);
console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
process.exitCode = counts.failed > 0 ? 1 : 0;
