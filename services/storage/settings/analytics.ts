import { RE2JS } from 're2js';
import type { AnalyticsDimension, BucketSettings } from '../../../models/bucket.ts';
import { invalid } from '../../../models/errors.ts';
import type { SectionChange } from '../../../models/schemas/buckets.ts';

const hourMs = 3_600_000;
/** Names that breakdowns have anyway. */
const reservedNames = new Set(['organization', 'bucket']);
const fieldOfType = { pathSegment: 'index', queryParam: 'param', tag: 'tag', pattern: 'pattern' } as const;

type GivenDimension = NonNullable<SectionChange<'analytics'>['dimensions']>[number];

/** What is wrong with a pattern: null if RE2 takes it (linear time, no look-around, no back-references) and it captures once. */
export function patternFault(pattern: string): string | null {
  try {
    return RE2JS.compile(pattern).groupCount() === 1 ? null : 'must have exactly one capture group';
  } catch {
    // The library's messages differ by what is wrong; for the client one sentence holds for all.
    return 'must be a regular expression without look-ahead, look-behind and back-references';
  }
}

/**
 * A dimension rule with the fields of its type alone.
 * @param at path of the rule
 * @throws Refusal `validation_error`
 */
export function dimensionOf(given: GivenDimension, at: (string | number)[]): AnalyticsDimension {
  const { name, type } = given;
  if (reservedNames.has(name)) throw invalid([...at, 'name'], `The name ${name} is reserved.`);
  for (const field of Object.values(fieldOfType))
    if ((given[field] !== undefined) !== (field === fieldOfType[type]))
      throw invalid([...at, field], `A rule of the type ${type} has the field ${fieldOfType[type]} and no other.`);
  const fault = given.pattern === undefined ? null : patternFault(given.pattern);
  if (fault !== null) throw invalid([...at, 'pattern'], `pattern ${fault}.`);
  return { ...given };
}

/**
 * The analytics settings after a change. Counting begins at the full hour after it was switched on.
 * @throws Refusal `validation_error`
 */
export function changedAnalytics(
  before: BucketSettings['analytics'],
  { enabled = before.enabled, dimensions, ceiling }: SectionChange<'analytics'>,
  now: number,
): BucketSettings['analytics'] {
  const at = ['body', 'analytics', 'dimensions'];
  const names = dimensions?.map(({ name }) => name) ?? [];
  const repeated = names.findIndex((name, index) => names.indexOf(name) < index);
  const rules = dimensions?.map((given, index) => dimensionOf(given, [...at, index]));
  if (repeated >= 0) throw invalid([...at, repeated, 'name'], 'Another rule of the bucket has this name.');
  return {
    enabled,
    dimensions: rules ?? before.dimensions,
    ceiling: ceiling === undefined ? before.ceiling : ceiling,
    since: enabled && !before.enabled ? (Math.floor(now / hourMs) + 1) * hourMs : before.since,
  };
}
