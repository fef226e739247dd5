import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { access, constants, mkdir, statfs } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { modelFolder } from '../house/program.ts';
import { readOperatorFile } from '../house/operator-file.ts';
import type { Configuration } from '../models/configuration/configuration.ts';

/** One finding: how something stands, and the command that mends it where it does not. */
interface Finding {
  state: 'ok' | 'degraded' | 'broken';
  what: string;
  mend?: string;
}

const leastFreeBytes = 2 ** 30;

function node(): Finding {
  const major = Number(process.versions.node.split('.')[0]);
  return major >= 24 ? { state: 'ok', what: `Node ${process.versions.node}` } : { state: 'broken', what: `Node ${process.versions.node}; 24 is needed`, mend: 'npm install' };
}

function model(configuration: Configuration): Finding {
  if (configuration.PLY_EMBEDDINGS_URL !== null) return { state: 'ok', what: `embeddings come from ${configuration.PLY_EMBEDDINGS_URL}` };
  const folder = modelFolder(configuration);
  if (existsSync(join(folder, 'model.json'))) return { state: 'ok', what: `embedding model in ${folder}` };
  const hasPip = spawnSync('python3', ['-m', 'pip', '--version']).status === 0;
  return { state: 'degraded', what: 'no embedding model: search goes by words alone', mend: hasPip ? 'npm start' : 'apt-get install python3-pip && npm start' };
}

async function dataFolder(configuration: Configuration): Promise<Finding> {
  const folder = resolve(configuration.PLY_DATA_DIR);
  try {
    await mkdir(folder, { recursive: true });
    await access(folder, constants.W_OK);
    const { bavail, bsize } = await statfs(folder);
    const free = bavail * bsize;
    const gibibytes = `${(free / 2 ** 30).toFixed(1)} GiB free`;
    return free < leastFreeBytes ? { state: 'degraded', what: `data folder ${folder}: only ${gibibytes}`, mend: `df -h ${folder}` } : { state: 'ok', what: `data folder ${folder}: ${gibibytes}` };
  } catch (error) {
    return { state: 'broken', what: `data folder ${folder} cannot be written: ${error instanceof Error ? error.message : ''}`, mend: `chown -R $(id -u) ${folder}` };
  }
}

async function program(configuration: Configuration): Promise<Finding[]> {
  const kept = await readOperatorFile(resolve(configuration.PLY_DATA_DIR));
  const url = configuration.PLY_API_URL ?? kept?.apiUrl ?? `http://${configuration.PLY_HOST}:${configuration.PLY_API_PORT}`;
  try {
    const response = await fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(5000) });
    const { ready, parts } = (await response.json()) as { ready: boolean; parts: { [name: string]: { state: string; detail?: string } } };
    const findings: Finding[] = [{ state: ready ? 'ok' : 'broken', what: `the program at ${url} is ${ready ? 'ready' : 'not ready'}`, ...(ready ? {} : { mend: `curl ${url}/health/ready` }) }];
    for (const [name, part] of Object.entries(parts)) findings.push({ state: part.state === 'up' ? 'ok' : ready ? 'degraded' : 'broken', what: `${name}: ${part.state}${part.detail === undefined ? '' : ` (${part.detail})`}` });
    return findings;
  } catch {
    return [{ state: 'degraded', what: `no program answers at ${url}`, mend: 'npm start' }];
  }
}

/** `ply doctor`: what is installed, reachable and degraded, and the command that mends it. */
export async function doctor(configuration: Configuration): Promise<string> {
  const findings = [node(), model(configuration), await dataFolder(configuration), ...(await program(configuration))];
  return findings.map(({ state, what, mend }) => `${state.padEnd(9)} ${what}${mend === undefined ? '' : `\n          mend: ${mend}`}`).join('\n');
}
