import { dimensionOf } from '../../../mixins/storage/dimension-rule.ts';
import type { BucketSettings } from '../../../models/bucket.ts';
import { invalid } from '../../../models/errors.ts';
import type { SectionChange } from '../../../models/schemas/buckets.ts';

const hourMs = 3_600_000;
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
