import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { access, constants, mkdir, statfs } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { openMode } from '../app/data-folder.ts';
import type { Readiness } from '../app/health.ts';
import { modelFolders, speechModelFolder } from '../app/program.ts';
import { readPreparation } from '../adapters/speech/preparation.ts';
import { knowsFormerKeys } from '../app/secret-key.ts';
import type { Configuration } from '../models/configuration/configuration.ts';
import { describeConfinement, findConfinement, networkIsolationFix, type Confinement } from '../media/confinement.ts';
import { missingPrograms, systemPrograms } from '../scripts/setup/system-programs.mjs';
import type { SecretsReport } from '../app/secrets/count.ts';
import type { Role } from '../models/configuration/table.ts';
import { askProcesses, clusterFindings } from './cluster-doctor.ts';
import { apiUrlOf, reasonOf } from './connection.ts';
import { askOperator } from './operator.ts';
import { printable } from './terminal.ts';

/** One finding: the state of something, and the command that fixes it. */
export interface Finding {
  state: 'ok' | 'degraded' | 'broken';
  what: string;
  fix?: string;
}

/** What a command prints, and whether it ends with an error code. */
export interface Report {
  text: string;
  hasFailed: boolean;
}

const minFreeBytes = 2 ** 30;
const gibibyte = 2 ** 30;
const answerMs = 5000;
/** Limits under which the confinement of parsers is tried out. */
const probeLimits = { memoryMegabytes: 256, cpuSeconds: 60 };

/** The variable that names the server behind a part, if it has one. */
const servers: { readonly [part: string]: keyof Configuration } = {
  broker: 'PLY_NATS_URL',
  queue: 'PLY_NATS_URL',
  records: 'PLY_MONGO_URL',
  passages: 'PLY_MILVUS_URL',
  counters: 'PLY_REDIS_URL',
  blobs: 'PLY_BLOBS_URL',
  embeddings: 'PLY_EMBEDDINGS_URL',
  speech: 'PLY_SPEECH_URL',
  answers: 'PLY_ANSWERS_URL',
};

/** Whether this version of Node is supported. */
export function nodeFinding(version: string): Finding {
  return Number(version.split('.')[0]) >= 24
    ? { state: 'ok', what: `Node ${version}` }
    : { state: 'broken', what: `Node ${version}; 24 is needed`, fix: 'npm ci --include=optional' };
}

/** State of the embedding model. `hasPip`: whether Python's pip, which downloads it, is installed. */
export function modelFinding(configuration: Configuration, hasPip: () => boolean): Finding {
  if (configuration.PLY_EMBEDDINGS_URL !== null)
    return { state: 'ok', what: `embeddings come from ${withoutPassword(configuration.PLY_EMBEDDINGS_URL)}` };
  const folders = modelFolders(configuration);
  const missing = folders.filter((folder) => !existsSync(join(folder, 'model.json')));
  if (missing.length === 0)
    return { state: 'ok', what: `embedding model${folders.length > 1 ? 's' : ''} in ${folders.join(' and ')}` };
  const what =
    missing.length === folders.length
      ? `no embedding model in ${missing.join(' and ')}: search uses words only`
      : `no embedding model in ${missing.join(' and ')}: in its languages, search uses words only`;
  if (configuration.PLY_EMBEDDING_MODEL !== null)
    return { state: 'degraded', what, fix: 'unset PLY_EMBEDDING_MODEL && npm start' };
  return { state: 'degraded', what, fix: hasPip() ? 'npm start' : 'apt-get install python3-pip && npm start' };
}

/** State of the transcriber on this machine. `folder`: that of the speech model. */
export function speechFinding(configuration: Configuration, folder: string, hasPip: () => boolean): Finding {
  if (configuration.PLY_SPEECH_URL !== null)
    return { state: 'ok', what: `speech is transcribed by ${withoutPassword(configuration.PLY_SPEECH_URL)}` };
  if (configuration.PLY_TRANSCRIBER_WORKERS === 0) return { state: 'ok', what: 'no speech is transcribed here' };
  if (configuration.PLY_LOCAL_TRANSCRIBER === 'pocketsphinx')
    return { state: 'ok', what: 'speech is transcribed by pocketsphinx' };
  if (existsSync(join(folder, 'model.json'))) return { state: 'ok', what: `speech model in ${folder}` };
  const preparation = readPreparation(folder);
  if (preparation?.state === 'running')
    return { state: 'degraded', what: `the speech model is on its way: ${printable(preparation.detail)}` };
  const reason = preparation === null ? '' : ` (${printable(preparation.detail)})`;
  return {
    state: 'degraded',
    what: `no speech model in ${folder}${reason}: pocketsphinx transcribes, English only and with many mistakes`,
    fix: hasPip() ? 'npm start' : 'apt-get install python3-pip && npm start',
  };
}

/** State of the system programs that recordings need. */
export function toolFindings(environment: Record<string, string | undefined>): Finding[] {
  const missing = new Set(missingPrograms(environment).map(({ program }) => program));
  return systemPrograms.map(({ program, packages, purpose, settings }): Finding => {
    if (missing.has(program))
      return { state: 'degraded', what: `no ${program}: ${purpose}`, fix: `apt-get install ${packages.join(' ')}` };
    return { state: 'ok', what: settings.some((name) => environment[name]) ? `${program} is not needed` : program };
  });
}

/** Whether parsers of files are kept off the network where they are started by this user. */
export function confinementFinding(confinement: Pick<Confinement, 'network' | 'used'>): Finding {
  const what = describeConfinement(confinement);
  return confinement.network === 'none' ? { state: 'degraded', what, fix: networkIsolationFix } : { state: 'ok', what };
}

/** Whether the data folder is writable, closed to other users, and has free space. */
export async function folderFinding(configuration: Configuration): Promise<Finding> {
  const folder = resolve(configuration.PLY_DATA_DIR);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await access(folder, constants.W_OK);
    const { bavail, bsize } = await statfs(folder);
    const mode = await openMode(folder);
    if (mode !== null)
      return {
        // An emptyDir of Kubernetes is open to everybody in the pod, which is only us; a cluster's data is elsewhere.
        state: configuration.PLY_MONGO_URL === null ? 'broken' : 'degraded',
        what: `data folder ${folder}: other users of this machine can read it (mode ${mode})`,
        fix: `chmod -R go= ${folder}`,
      };
    const room = `${((bavail * bsize) / gibibyte).toFixed(1)} GiB free`;
    return bavail * bsize < minFreeBytes
      ? { state: 'degraded', what: `data folder ${folder}: only ${room}`, fix: `du -xh -d1 ${folder}` }
      : { state: 'ok', what: `data folder ${folder}: ${room}` };
  } catch (error) {
    return {
      state: 'broken',
      what: `data folder ${folder} cannot be written: ${reasonOf(error)}`,
      fix: `chown -R $(id -u) ${folder}`,
    };
  }
}

/** Findings from the program's own report: each part, and the server or command to look at if it is not up. */
export function readinessFindings(configuration: Configuration, url: string, { ready, parts }: Readiness): Finding[] {
  const program: Finding = ready
    ? { state: 'ok', what: `the program at ${url} is ready` }
    : { state: 'broken', what: `the program at ${url} is not ready`, fix: `curl ${url}/health/ready` };
  return [
    program,
    ...Object.entries(parts).map(([name, part]): Finding => {
      const what = `${name}: ${part.state}${part.detail === undefined ? '' : ` (${printable(part.detail)})`}`;
      if (part.state === 'up') return { state: 'ok', what };
      const variable = servers[name];
      const server = variable === undefined ? null : configuration[variable];
      // A part that is off was skipped at start: a restart looks for it again.
      const fix =
        typeof server === 'string' && variable !== undefined
          ? `check that ${variable}=${withoutPassword(server)} answers`
          : part.state !== 'off'
            ? undefined
            : name === 'confinement'
              ? networkIsolationFix
              : 'npm start';
      // What does not respond is wrong, even where the program does without it for now.
      const isBroken = !ready || part.state === 'down';
      return { state: isBroken ? 'broken' : 'degraded', what, ...(fix === undefined ? {} : { fix }) };
    }),
  ];
}

/** Progress of the change from a former secret key to the current one. */
export function secretsFinding({ keys, unopened, formerAddresses }: SecretsReport): Finding {
  if (unopened.total > 0)
    return {
      state: 'broken',
      what: `${unopened.total} secrets open with none of the secret keys`,
      fix: 'npm run ply -- secrets',
    };
  if (!keys.some(({ key }) => key.use === 'former'))
    return {
      state: 'degraded',
      what: 'former secret keys are configured that the running program does not know: restart it',
      fix: 'npm start',
    };
  const left = keys.filter(({ key }) => key.use === 'former').reduce((sum, { total }) => sum + total, 0);
  if (left > 0)
    return {
      state: 'degraded',
      what: `${left} secrets are still sealed with a former key`,
      fix: 'npm run ply -- secrets reseal',
    };
  if (formerAddresses.length > 0)
    return {
      state: 'degraded',
      what: `sources of ${formerAddresses.length} connectors use addresses of a former key`,
      fix: 'npm run ply -- secrets',
    };
  return { state: 'ok', what: 'former secret keys are no longer needed' };
}

/** Only while keys are being changed, because it reads everything that is sealed. */
async function secretsFindings(configuration: Configuration): Promise<Finding[]> {
  if (!(await knowsFormerKeys(configuration))) return [];
  try {
    return [secretsFinding(await askOperator(configuration, 'secrets.count', {}))];
  } catch (error) {
    return [
      {
        state: 'broken',
        what: `the use of former secret keys is unknown: ${reasonOf(error)}`,
        fix: 'npm run ply -- secrets',
      },
    ];
  }
}

function withoutPassword(address: string): string {
  return address.replace(/\/\/[^/@]*@/, '//');
}

/** Where this process reports its health: a container without a gateway only has its metrics port. */
async function healthUrlOf(configuration: Configuration): Promise<string> {
  return configuration.PLY_ROLES.includes('gateway') || configuration.PLY_API_URL !== null
    ? apiUrlOf(configuration)
    : `http://127.0.0.1:${configuration.PLY_METRICS_PORT}`;
}

/** All processes of a cluster in one table, and what is wrong with them. */
async function clusterReport(configuration: Configuration): Promise<{ table: string; findings: Finding[] }> {
  if (configuration.PLY_NATS_URL === null) return { table: '', findings: [] };
  try {
    const { table, findings } = clusterFindings(await askProcesses(configuration));
    return { table: `\n\n${table}`, findings };
  } catch (error) {
    const fix = `check that ${withoutPassword(configuration.PLY_NATS_URL)} and the stores answer`;
    return { table: '', findings: [{ state: 'broken', what: `the cluster cannot be asked: ${reasonOf(error)}`, fix }] };
  }
}

async function programFindings(configuration: Configuration): Promise<Finding[]> {
  const url = await healthUrlOf(configuration);
  try {
    const response = await fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(answerMs) });
    return readinessFindings(configuration, url, (await response.json()) as Readiness);
  } catch (error) {
    return [{ state: 'broken', what: `no program answers at ${url} (${reasonOf(error)})`, fix: 'npm start' }];
  }
}

/**
 * `ply doctor`: what is installed, reachable and degraded, and the command that fixes it; in a cluster also all processes
 * and their stores. It fails if anything is wrong; what is degraded works without something optional. Models and programs are
 * looked at where a role of this process uses them.
 */
export async function doctor(configuration: Configuration): Promise<Report> {
  const hasPip = (): boolean => spawnSync('python3', ['-m', 'pip', '--version']).status === 0;
  const runs = (...roles: readonly Role[]): boolean => roles.some((role) => configuration.PLY_ROLES.includes(role));
  const cluster = await clusterReport(configuration);
  const findings = [
    nodeFinding(process.versions.node),
    ...(runs('embedder', 'searcher') ? [modelFinding(configuration, hasPip)] : []),
    ...(runs('transcriber') ? [speechFinding(configuration, speechModelFolder(), hasPip)] : []),
    ...(runs('extractor', 'transcriber') ? toolFindings(process.env) : []),
    ...(runs('extractor')
      ? [confinementFinding(await findConfinement(probeLimits, { probes: [['true']], reservedMegabytes: 0 }))]
      : []),
    await folderFinding(configuration),
    ...(await programFindings(configuration)),
    ...(await secretsFindings(configuration)),
    ...cluster.findings,
  ];
  const text = findings
    .map(
      ({ state, what, fix }) => `${state.padEnd(9)} ${what}${fix === undefined ? '' : `\n          to fix it: ${fix}`}`,
    )
    .join('\n');
  return { text: text + cluster.table, hasFailed: findings.some(({ state }) => state === 'broken') };
}
