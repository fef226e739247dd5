import type { Records } from '../../../adapters/records/port.ts';
import { assets } from '../../../models/asset.ts';
import { invalid, Refusal } from '../../../models/errors.ts';
import type { OrganizationScope } from '../../../models/scope.ts';
import {
  maxRules,
  tuningId,
  tuningRecords,
  type BoostRule,
  type PinRule,
  type SynonymRule,
  type TuningRecord,
  type TuningRules,
} from '../../../models/tuning.ts';

type Store = Pick<Records, 'collection'>;

async function recordOf<S extends keyof TuningRules>(
  records: Store,
  scope: OrganizationScope,
  kind: S,
): Promise<TuningRecord<S> | null> {
  // The document's id contains the kind of its rules.
  return (await records
    .collection(tuningRecords, scope)
    .get(tuningId(scope.organizationId, kind))) as TuningRecord<S> | null;
}

/** The rules of one kind; empty if none are stored. */
export async function readRules<S extends keyof TuningRules>(
  records: Store,
  scope: OrganizationScope,
  kind: S,
): Promise<TuningRules[S]> {
  return (await recordOf(records, scope, kind))?.rules ?? ([] as TuningRules[S]);
}

/** Applies `change` to the rules of one kind; repeats it after a concurrent write. */
async function changeRules<S extends keyof TuningRules>(
  records: Store,
  scope: OrganizationScope,
  kind: S,
  change: (rules: TuningRules[S]) => TuningRules[S],
): Promise<void> {
  const collection = records.collection(tuningRecords, scope);
  for (;;) {
    const known = await recordOf(records, scope, kind);
    const rules = change(known?.rules ?? ([] as TuningRules[S]));
    if (known === null) {
      const [inserted] = await collection.insertNew([
        { _id: tuningId(scope.organizationId, kind), organizationId: scope.organizationId, rules, version: 1 },
      ]);
      if (inserted !== undefined) return;
    } else if (
      (await collection.update(
        known._id,
        { version: known.version },
        { set: { rules, version: known.version + 1 } },
      )) !== null
    ) {
      return;
    }
  }
}

/**
 * Replaces the dictionary. Terms are compared without regard to case; each must be unique and have at least one
 * expansion other than itself.
 * @throws Refusal validation_error
 */
export async function writeSynonyms(records: Store, scope: OrganizationScope, rules: SynonymRule[]): Promise<void> {
  const terms = new Set<string>();
  for (const [index, rule] of rules.entries()) {
    const term = rule.term.toLowerCase();
    if (terms.has(term))
      throw invalid(
        ['body', index, 'term'],
        `body.${index}.term stands in an earlier rule already, letter case aside.`,
      );
    terms.add(term);
    if (rule.expansions.every((expansion) => expansion.toLowerCase() === term))
      throw invalid(['body', index, 'expansions'], `body.${index}.expansions must hold something else than the term.`);
  }
  await changeRules(records, scope, 'synonyms', () => rules);
}

function byText<T>(rules: T[], textOf: (rule: T) => string): T[] {
  return rules.sort((one, other) => (textOf(one) < textOf(other) ? -1 : 1));
}

/** Creates or replaces a boost. @throws Refusal name_mismatch; validation_error if the maximum is reached */
export async function writeBoost(
  records: Store,
  scope: OrganizationScope,
  name: string,
  rule: BoostRule,
): Promise<void> {
  if (rule.name !== name)
    throw new Refusal('name_mismatch', { detail: 'The name of the body is not that of the path; send the same.' });
  await changeRules(records, scope, 'boosts', (rules) => {
    const others = rules.filter((other) => other.name !== name);
    if (others.length >= maxRules.boosts)
      throw invalid(['path', 'name'], `An organization has at most ${maxRules.boosts} boosts; remove one first.`);
    return byText([...others, rule], (each) => each.name);
  });
}

/** Removes a boost if it exists. */
export async function removeBoost(records: Store, scope: OrganizationScope, name: string): Promise<void> {
  if (!(await readRules(records, scope, 'boosts')).some((rule) => rule.name === name)) return;
  await changeRules(records, scope, 'boosts', (rules) => rules.filter((rule) => rule.name !== name));
}

/** Normalizes a query for comparison with pins: trimmed and in lower case. */
export function pinnedQuery(query: string): string {
  return query.trim().toLowerCase();
}

/**
 * Pins files to a query, or removes the pin if the rule lists none.
 * @returns the rule as stored
 * @throws Refusal asset_not_found; validation_error if the maximum of pins is reached
 */
export async function writePin(records: Store, scope: OrganizationScope, rule: PinRule): Promise<PinRule> {
  const stored: PinRule = { query: pinnedQuery(rule.query), assetIds: rule.assetIds };
  const existing = new Set(
    (await records.collection(assets, scope).getMany(stored.assetIds))
      .filter(({ deletedAt }) => deletedAt === null)
      .map(({ _id }) => _id),
  );
  const missing = stored.assetIds.find((assetId) => !existing.has(assetId));
  if (missing !== undefined) throw new Refusal('asset_not_found', { detail: `There is no asset ${missing}.` });
  await changeRules(records, scope, 'pins', (rules) => {
    const others = rules.filter(({ query }) => query !== stored.query);
    if (stored.assetIds.length === 0) return others;
    if (others.length >= maxRules.pins)
      throw invalid(['body', 'query'], `An organization has at most ${maxRules.pins} pins; remove one first.`);
    return byText([...others, stored], ({ query }) => query);
  });
  return stored;
}
