import { exactDecimal } from './exact-decimal.ts';
import { invalid } from './errors.ts';
import { planName } from './plan.ts';
import { regionGroups } from './region-group.ts';
import { metricOf, usageMetricNames, type UsageMetric } from './usage-metric.ts';
import {
  customSchema,
  isObject,
  list,
  nullable,
  object,
  optional,
  required,
  withDefault,
  type Schema,
} from './schemas/schema.ts';
import { within } from './schemas/faults.ts';
import { mapped, oneOf, text } from './schemas/values.ts';

/** A metric that may have a price: work that is only described has none. */
export type PricedMetric = Exclude<UsageMetric, 'audio_hours' | 'source_bytes'>;

/** Whether a metric may have a price. */
function isPriced(metric: UsageMetric): metric is PricedMetric {
  return metricOf(metric).kind !== 'processing';
}

/** The metrics that may have a price. */
export const pricedMetrics: readonly PricedMetric[] = usageMetricNames.filter(isPriced);

/** A step of a graduated price. */
export interface PriceTier {
  /** Billable quantity up to which it holds, in millionths of the metric's unit; null for the last one. */
  upTo: number | null;
  /** Billionths of the currency unit for one unit of the metric. */
  unitPrice: number;
}

/** What is included and what the rest costs. */
export interface PriceTerms {
  /** Millionths of the metric's unit. */
  included: number;
  /** Ascending; the last one has no end. */
  tiers: PriceTier[];
}

/** The price of a metric, and of parts of it that are lines of their own. */
export interface Price extends PriceTerms {
  metric: PricedMetric;
  /** By region, region group or `ocr`. */
  dimensions?: { [name: string]: PriceTerms };
}

/** The prices of an account's month: at most one for each metric. */
export interface PriceList {
  /** ISO 4217. */
  currency: string;
  prices: Price[];
}

/** An entry of the operator's file of prices. */
export interface PriceEntry extends Price {
  unit: string;
  /** The plans it is for; absent: all, and accounts without one. */
  plans?: string[];
}

/** The operator's file of prices. */
export interface PricesFile {
  currency: string;
  prices: PriceEntry[];
}

/** Greatest quantity of a price file: in millionths it is still an exact integer. */
const maxQuantity = 9_000_000_000;
/** Greatest price of a unit: in billionths it is still an exact integer. */
const maxUnitPrice = 9_000_000;
const maxTiers = 50;

const quantity = exactDecimal(6, maxQuantity);
const terms = {
  included: withDefault(quantity, 0),
  tiers: required(
    mapped(
      list(
        object({ upTo: required(nullable(quantity)), unitPrice: required(exactDecimal(9, maxUnitPrice)) }),
        maxTiers,
        1,
      ),
      ascending,
    ),
  ),
};

/** Refuses tiers that do not ascend to one without an end. @throws Refusal `validation_error` */
function ascending(tiers: PriceTier[]): PriceTier[] {
  for (const [at, { upTo }] of tiers.entries()) {
    const isLast = at === tiers.length - 1;
    if (isLast !== (upTo === null))
      throw invalid([at, 'upTo'], isLast ? 'must be null in the last tier' : 'must not be null before the last tier');
    if (upTo !== null && upTo <= (tiers[at - 1]?.upTo ?? 0)) throw invalid([at, 'upTo'], 'must ascend');
  }
  return tiers;
}

const termsSchema: Schema<PriceTerms> = object(terms);
const maxDimensions = 200;

const dimensions: Schema<{ [name: string]: PriceTerms }> = customSchema(
  { type: 'object', additionalProperties: termsSchema.json, maxProperties: maxDimensions },
  (value) => {
    if (!isObject(value)) throw invalid([], 'must be an object');
    const entries = Object.entries(value);
    if (entries.length > maxDimensions) throw invalid([], `must have at most ${maxDimensions} entries`);
    return Object.fromEntries(entries.map(([name, each]) => [name, termsOf(name, each)]));
  },
);

function termsOf(name: string, given: unknown): PriceTerms {
  try {
    return termsSchema.check(given);
  } catch (error) {
    throw within(error, name);
  }
}

/** ISO 4217 codes that this Node.js knows. */
const currencies: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));

/** A currency: an ISO 4217 code in capitals. */
export const currencyCode: Schema<string> = mapped(
  text(3, 3, { source: '^[A-Z]{3}$', expected: 'an ISO 4217 code in capitals, such as EUR' }),
  (code) => {
    if (!currencies.has(code)) throw invalid([], 'must be an ISO 4217 code in capitals, such as EUR');
    return code;
  },
);

const entry: Schema<PriceEntry> = object({
  metric: required(oneOf(...pricedMetrics)),
  plans: optional(list(planName, 100, 1)),
  unit: required(text(1, 40)),
  ...terms,
  dimensions: optional(dimensions),
});

const entries = list(entry, 1000);
const file: Schema<PricesFile> = object({ currency: required(currencyCode), prices: required(entries) });

/** The schema of the operator's file of prices. @param regions codes of the regions of the deployment */
export function pricesFile(regions: readonly string[]): Schema<PricesFile> {
  const namesOf = { region: regions, region_group: regionGroups, ocr: ['ocr'] };
  return mapped(file, (given) => {
    const seen = new Set<string>();
    for (const [at, { metric, unit, plans = [''], dimensions: parts }] of given.prices.entries()) {
      const path = ['prices', at];
      const { unit: unitOfMetric, dimension } = metricOf(metric);
      if (unit !== unitOfMetric) throw invalid([...path, 'unit'], `must be ${unitOfMetric}`);
      for (const plan of plans) {
        const key = `${metric} ${plan}`;
        if (seen.has(key))
          throw invalid([...path, 'metric'], plan === '' ? 'has a price twice' : `has a price twice for plan ${plan}`);
        seen.add(key);
      }
      if (parts === undefined) continue;
      if (dimension === null) throw invalid([...path, 'dimensions'], `is not a known field: ${metric} has none`);
      const known: readonly string[] = namesOf[dimension];
      const unknown = Object.keys(parts).find((name) => !known.includes(name));
      if (unknown !== undefined)
        throw invalid([...path, 'dimensions', unknown], `is not known; ${metric} has ${known.join(', ')}`);
    }
    return given;
  });
}

/** The prices that hold for a plan, or without one: an entry that names the plan goes before the one for all. */
export function pricesFor({ currency, prices }: PricesFile, plan: string | null): PriceList {
  const chosen = new Map<PricedMetric, Price>();
  const ofAll = prices.filter(({ plans }) => plans === undefined);
  const ofPlan = prices.filter(({ plans }) => plan !== null && plans?.includes(plan) === true);
  for (const { metric, included, tiers, dimensions: parts } of [...ofAll, ...ofPlan])
    chosen.set(metric, { metric, included, tiers, ...(parts === undefined ? {} : { dimensions: parts }) });
  return { currency, prices: [...chosen.values()] };
}
