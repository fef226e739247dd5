import { readFile } from 'node:fs/promises';
import type { Configuration } from '../../models/configuration/configuration.ts';
import { refusalOf } from '../../models/errors.ts';
import { parseExactJson } from '../../models/exact-decimal.ts';
import { plansFile, type Plan } from '../../models/plan.ts';
import { pricesFile, type PricesFile } from '../../models/prices.ts';
import { readRegions } from '../../models/region.ts';
import type { Schema } from '../../models/schemas/schema.ts';

/**
 * The plans of the configured file; none without a file.
 * @throws Error that names the variable, the file and the invalid field
 */
export async function readPlans({ PLY_PLANS_FILE: path }: Pick<Configuration, 'PLY_PLANS_FILE'>): Promise<Plan[]> {
  return path === null ? [] : checkedFile('PLY_PLANS_FILE', path, plansFile);
}

/** What the file of prices, and its check, need of the configuration. */
type PricesConfiguration = Pick<
  Configuration,
  'PLY_PRICES_FILE' | 'PLY_REGIONS_FILE' | 'PLY_UPLOAD_PORT' | 'PLY_S3_PORT' | 'PLY_BLOB_PORT'
>;

/**
 * The prices of the configured file; null without a file.
 * @throws Error that names the variable, the file and the invalid field
 */
export async function readPrices(configuration: PricesConfiguration): Promise<PricesFile | null> {
  const { PLY_PRICES_FILE: path } = configuration;
  if (path === null) return null;
  const regions = await readRegions(configuration);
  return checkedFile('PLY_PRICES_FILE', path, pricesFile(regions.map(({ code }) => code)));
}

async function checkedFile<T>(variable: string, path: string, schema: Schema<T>): Promise<T> {
  try {
    return schema.check(parseExactJson(await readFile(path, 'utf8')));
  } catch (error) {
    const refused = refusalOf(error)?.data;
    const reason = refused === undefined ? String(error) : [...(refused.fields ?? []), refused.detail].join(' ');
    throw new Error(`${variable}: ${path}: ${reason}`, { cause: error });
  }
}
