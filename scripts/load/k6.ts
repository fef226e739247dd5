import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { withLock } from '../../test/servers/lock.ts';
import { cacheFolder, projectRoot } from '../setup/paths.mjs';
import { runProgram, type Outcome } from '../setup/system.ts';

/** The version of k6 (https://github.com/grafana/k6) that the scripts are written for. */
export const k6Version = 'v1.8.1';

const module = `go.k6.io/k6@${k6Version}`;
const folder = join(cacheFolder, 'deployment-tools', `k6-${k6Version}`);

/** The folder of the scripts. */
export const scriptsFolder = join(projectRoot, 'load-tests');

/** The scripts in the order of a run: those that leave the most work behind come last. */
export const scriptNames = [
  'delivery',
  'doors',
  'search-mix',
  'spike',
  'overload',
  'registration-burst',
  'noisy-neighbour',
  'soak',
] as const;

/** A script of load-tests/. */
export type ScriptName = (typeof scriptNames)[number];

/**
 * k6 from the cache folder, built there with Go if it is missing. If that fails, the reason, with the command that
 * fixes it.
 */
export async function k6(): Promise<{ path: string } | { unavailable: string }> {
  const path = join(folder, 'k6');
  if (existsSync(path)) return { path };
  return withLock(`${folder}.lock`, async () => {
    if (existsSync(path)) return { path };
    const outcome = await runProgram('go', ['install', module], {
      environment: { GOBIN: folder, GOTOOLCHAIN: 'local', GOFLAGS: '-p=2' },
    });
    return outcome.ok
      ? { path }
      : {
          unavailable: `k6 cannot be installed: ${outcome.reason}; to fix it: install Go and run: GOBIN=${folder} go install ${module}`,
        };
  });
}

/** The options of a script as JSON, without running it (`k6 inspect`). */
export function inspectScript(path: string, name: ScriptName): Promise<Outcome> {
  return runProgram(path, ['inspect', '--execution-requirements', join(scriptsFolder, `${name}.js`)], {
    environment: quiet,
  });
}

/** k6 sends usage reports unless this is set. */
const quiet = { K6_NO_USAGE_REPORT: 'true' };

/**
 * One metric of k6's summary:
 * https://grafana.com/docs/k6/latest/results-output/end-of-test/custom-summary/#summary-data-reference
 */
export interface Metric {
  type: 'counter' | 'gauge' | 'rate' | 'trend';
  contains: 'default' | 'time' | 'data';
  values: { [statistic: string]: number };
  thresholds?: { [limit: string]: { ok: boolean } };
}

/** The result of a run of k6. */
export interface K6Summary {
  metrics: { [name: string]: Metric };
  state: { testRunDurationMs: number };
}

/** Exit code of k6 where a threshold is missed: https://grafana.com/docs/k6/latest/misc/exit-codes/ */
const missedThreshold = 99;

/** How a script is run. */
export interface K6Run {
  name: ScriptName;
  /** Its parameters: API_URL and so on (load-tests/common/ply.js). */
  environment: Record<string, string>;
  signal: AbortSignal;
  /** Called with the process id of k6. */
  onStart: (pid: number) => void;
}

/** Runs a script to its end. @throws if k6 fails for another reason than a missed threshold */
export async function runScript(path: string, { name, environment, signal, onStart }: K6Run): Promise<K6Summary> {
  const own = await mkdtemp(join(tmpdir(), 'ply-k6-'));
  const summary = join(own, 'summary.json');
  try {
    // By environment, because other users of the machine can read arguments, and the key is among the parameters.
    const child = spawn(
      path,
      ['run', '--quiet', '--no-color', '--include-system-env-vars', join(scriptsFolder, `${name}.js`)],
      {
        env: { ...process.env, ...quiet, ...environment, SUMMARY: summary },
        stdio: ['ignore', 'inherit', 'inherit'],
        signal,
      },
    );
    if (child.pid !== undefined) onStart(child.pid);
    const code = await new Promise<number>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (status, ended) => resolve(status ?? 128 + (ended === null ? 0 : constants.signals[ended])));
    });
    if (!existsSync(summary)) throw new Error(`k6 exited with ${code} and wrote no summary of ${name}`);
    // A script that was cut off, in its last part for example, has a summary too, in which its checks are missing.
    if (code !== 0 && code !== missedThreshold)
      throw new Error(`k6 did not run ${name} to its end: it exited with ${code}`);
    return JSON.parse(readFileSync(summary, 'utf8')) as K6Summary;
  } finally {
    await rm(own, { recursive: true, force: true });
  }
}
