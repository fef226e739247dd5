import { invalid } from '../errors.ts';
import { list, schemaOf, withStep, type Schema } from './schema.ts';
import { mapped, text } from './values.ts';

const label = '[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?';

/** A host that sources may have, or a pattern of hosts. */
export const host = text(1, 253, {
  source: `^(\\*\\.)?(${label}\\.)*${label}$`,
  expected: 'a bare host name, `*.` allowed in front',
});

const addressForm = {
  source: '^[hH][tT][tT][pP][sS]?://[^@/?#\\\\\\u0000-\\u0020\\u007f]+([/?][^#\\\\\\u0000-\\u0020\\u007f]*)?$',
  expected: 'a plain HTTPS address without credentials or a fragment',
};

/** The address of a callback. Whether it may be http, another port or a private address depends on the deployment. */
export const callbackAddress = mapped(text(1, 4096, addressForm), (given) => {
  if (!URL.canParse(given)) throw invalid([], `must be ${addressForm.expected}`);
  return given;
});

const ladderHeights = [240, 360, 480, 720, 1080, 1440, 2160] as const;
const height: Schema<number> = schemaOf(
  { type: 'integer', enum: [...ladderHeights] },
  { type: 'enum', values: ladderHeights },
);
const heights = list(height, ladderHeights.length, 1);

/** Heights of renditions in lines, without duplicates; sorted ascending. */
export const ladder: Schema<number[]> = schemaOf(
  { ...heights.json, uniqueItems: true },
  withStep(heights.rule, (given: number[]) => {
    if (new Set(given).size < given.length) throw invalid([], 'must hold each height once');
    return given.toSorted((one, other) => one - other);
  }),
);
