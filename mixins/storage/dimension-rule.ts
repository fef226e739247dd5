import { RE2JS } from 're2js';
import type { AnalyticsDimension } from '../../models/bucket.ts';
import { invalid } from '../../models/errors.ts';
import type { dimension } from '../../models/schemas/bucket-settings.ts';
import type { Infer } from '../../models/schemas/schema.ts';

/** Names that breakdowns have anyway. */
const reservedNames = new Set(['organization', 'bucket']);
const fieldOfType = { pathSegment: 'index', queryParam: 'param', tag: 'tag', pattern: 'pattern' } as const;

/** A rule as a client sent it. */
type GivenDimension = Infer<typeof dimension>;

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
