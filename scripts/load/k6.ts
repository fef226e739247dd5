import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { withLock } from '../../test/servers/lock.ts';
import { cacheFolder, projectRoot } from '../setup/places.mjs';
import { runProgram, type Outcome } from '../setup/system.ts';

/** The version of k6 (https://github.com/grafana/k6) that the scripts are written for. */
export const k6Version = 'v1.8.1';

const module = `go.k6.io/k6@${k6Version}`;
const folder = join(cacheFolder, 'deployment-tools', `k6-${k6Version}`);

/** Where the scripts stand. */
export const scriptsFolder = join(projectRoot, 'load-tests');

/** The scripts in the order in which they are run: those that leave most work behind come late. */
export const scriptNames = ['search-mix', 'spike', 'registration-burst', 'noisy-neighbour', 'soak'] as const;

/** A script of load-tests/. */
export type ScriptName = (typeof scriptNames)[number];

/** k6 out of the cache folder, built there with Go where it is not yet; or why it cannot be had, with the command that mends it. */
export async function k6(): Promise<{ path: string } | { unavailable: string }> {
  const path = join(folder, 'k6');
  if (existsSync(path)) return { path };
  return withLock(`${folder}.lock`, async () => {
    if (existsSync(path)) return { path };
    const outcome = await runProgram('go', ['install', module], { environment: { GOBIN: folder, GOTOOLCHAIN: 'local', GOFLAGS: '-p=2' } });
    return outcome.ok ? { path } : { unavailable: `k6 cannot be had: ${outcome.reason}; to mend it, install Go and run: GOBIN=${folder} go install ${module}` };
  });
}

/** What k6 says about a script without running it (`k6 inspect`): its options as JSON. */
export function inspectScript(path: string, name: ScriptName): Promise<Outcome> {
  return runProgram(path, ['inspect', '--execution-requirements', join(scriptsFolder, `${name}.js`)], { environment: quiet });
}

/** k6 reports its use to its makers unless it is told not to. */
const quiet = { K6_NO_USAGE_REPORT: 'true' };

/** One metric of k6's summary: https://grafana.com/docs/k6/latest/results-output/end-of-test/custom-summary/#summary-data-reference */
export interface Metric {
  type: 'counter' | 'gauge' | 'rate' | 'trend';
  contains: 'default' | 'time' | 'data';
  values: { [statistic: string]: number };
  thresholds?: { [limit: string]: { ok: boolean } };
}

/** What a run of k6 answers. */
export interface K6Summary {
  metrics: { [name: string]: Metric };
  state: { testRunDurationMs: number };
}

/** How a script is run. */
export interface K6Run {
  name: ScriptName;
  /** What it is told: API_URL and so on (load-tests/common/ply.js). */
  environment: Record<string, string>;
  signal: AbortSignal;
  /** Told the id of the process of k6. */
  onStart: (pid: number) => void;
}

/** Runs a script to its end. @throws where k6 failed otherwise than by a threshold */
export async function runScript(path: string, { name, environment, signal, onStart }: K6Run): Promise<K6Summary> {
  const own = await mkdtemp(join(tmpdir(), 'ply-k6-'));
  const summary = join(own, 'summary.json');
  try {
    // Given by its environment and not by words, which other users of the machine can read: the key is among it.
    const child = spawn(path, ['run', '--quiet', '--no-color', '--include-system-env-vars', join(scriptsFolder, `${name}.js`)], {
      env: { ...process.env, ...quiet, ...environment, SUMMARY: summary }, stdio: ['ignore', 'inherit', 'inherit'], signal,
    });
    if (child.pid !== undefined) onStart(child.pid);
    const code = await new Promise<number>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (status, ended) => resolve(status ?? 128 + (ended === null ? 0 : constants.signals[ended])));
    });
    if (!existsSync(summary)) throw new Error(`k6 ended with ${code} and left no summary of ${name}`);
    return JSON.parse(readFileSync(summary, 'utf8')) as K6Summary;
  } finally {
    await rm(own, { recursive: true, force: true });
  }
}
