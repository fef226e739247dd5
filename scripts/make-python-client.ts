import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Json, JsonObject } from '../models/json.ts';
import { wholeDescription } from '../services/gateway/description.ts';
import { installPythonPackage } from '../test/clients/python-package.ts';
import { runProgram } from './setup/system.ts';

/** The generator, and the environment that it is installed in; the client's own packages are among its packages. */
export const generator = 'openapi-python-client==0.29.1';

/** Makes the package `ply_client` for Python in a folder. @returns why it could not be made; null if it was */
export async function makePythonClient(folder: string): Promise<string | null> {
  const { program, missing } = await installPythonPackage(generator);
  if (missing !== null) return missing;
  const work = mkdtempSync(join(tmpdir(), 'ply-python-'));
  try {
    const description = join(work, 'openapi.json');
    writeFileSync(description, JSON.stringify(readable(wholeDescription())));
    const words = ['generate', '--path', description, '--meta', 'setup', '--overwrite', '--output-path', folder];
    const made = await runProgram(program('openapi-python-client'), words);
    return made.ok ? null : made.reason;
  } finally {
    rmSync(work, { recursive: true });
  }
}

/**
 * The description without the header of the organization, which is a setting of the client and not of each call, and with
 * other words for constants: the generator writes invalid code for those that are optional.
 */
function readable(description: JsonObject): JsonObject {
  const isOrganization = (value: Json): boolean =>
    isJsonObject(value) && value['$ref'] === '#/components/parameters/Organization';
  const inner = (value: Json): Json => {
    if (Array.isArray(value)) return value.filter((member) => !isOrganization(member)).map(inner);
    if (!isJsonObject(value)) return value;
    const { const: constant, ...others } = value;
    if (typeof constant === 'boolean') return { ...others, type: 'boolean' };
    if (typeof constant === 'string') return { ...others, type: 'string', enum: [constant] };
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, inner(member)]));
  };
  return Object.fromEntries(Object.entries(description).map(([name, value]) => [name, inner(value)]));
}

function isJsonObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

if (import.meta.main) {
  const folder = process.argv[2];
  if (folder === undefined) throw new Error('Usage: node scripts/make-python-client.ts <folder>');
  const failure = await makePythonClient(resolve(folder));
  if (failure !== null) {
    console.error(`The Python client was not made: ${failure}`);
    process.exitCode = 1;
  }
}
