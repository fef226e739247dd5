import { readFile } from 'node:fs/promises';
import type { Configuration } from '../../models/configuration/configuration.ts';
import { refusalOf } from '../../models/errors.ts';
import { plansFile, type Plan } from '../../models/plan.ts';

/**
 * The plans of the configured file; none without a file.
 * @throws Error that names the variable, the file and the invalid field
 */
export async function readPlans({ PLY_PLANS_FILE: path }: Pick<Configuration, 'PLY_PLANS_FILE'>): Promise<Plan[]> {
  if (path === null) return [];
  try {
    return plansFile.check(JSON.parse(await readFile(path, 'utf8')));
  } catch (error) {
    const refused = refusalOf(error)?.data;
    const reason = refused === undefined ? String(error) : [...(refused.fields ?? []), refused.detail].join(' ');
    throw new Error(`PLY_PLANS_FILE: ${path}: ${reason}`, { cause: error });
  }
}
