import type { Records } from '../../../adapters/records/port.ts';
import { assets } from '../../../models/asset.ts';
import { invalid, Refusal } from '../../../models/errors.ts';
import type { OrganizationScope } from '../../../models/scope.ts';
import { mostRules, tuningId, tuningRecords, type BoostRule, type PinRule, type SynonymRule, type TuningRecord, type TuningRules } from '../../../models/tuning.ts';

type Store = Pick<Records, 'collection'>;

async function recordOf<S extends keyof TuningRules>(records: Store, scope: OrganizationScope, sort: S): Promise<TuningRecord<S> | null> {
  // A document's id names the sort of its rules.
  return (await records.collection(tuningRecords, scope).get(tuningId(scope.organizationId, sort))) as TuningRecord<S> | null;
}

/** The rules of one sort. */
export async function readRules<S extends keyof TuningRules>(records: Store, scope: OrganizationScope, sort: S): Promise<TuningRules[S]> {
  return (await recordOf(records, scope, sort))?.rules ?? ([] as TuningRules[S]);
}

/** Writes what `change` makes of the rules of one sort, again and again until nobody wrote in between. */
async function changeRules<S extends keyof TuningRules>(records: Store, scope: OrganizationScope, sort: S, change: (rules: TuningRules[S]) => TuningRules[S]): Promise<void> {
  const collection = records.collection(tuningRecords, scope);
  for (;;) {
    const known = await recordOf(records, scope, sort);
    const rules = change(known?.rules ?? ([] as TuningRules[S]));
    if (known === null) {
      const [inserted] = await collection.insertNew([{ _id: tuningId(scope.organizationId, sort), organizationId: scope.organizationId, rules, version: 1 }]);
      if (inserted !== undefined) return;
    } else if ((await collection.update(known._id, { version: known.version }, { set: { rules, version: known.version + 1 } })) !== null) {
      return;
    }
  }
}

/**
 * Replaces the dictionary. Terms are compared without regard to case: each may stand there once, and must expand to
 * something else.
 * @throws Refusal validation_error
 */
export async function writeSynonyms(records: Store, scope: OrganizationScope, rules: SynonymRule[]): Promise<void> {
  const terms = new Set<string>();
  for (const [place, rule] of rules.entries()) {
    const term = rule.term.toLowerCase();
    if (terms.has(term)) throw invalid(['body', place, 'term'], `body.${place}.term stands in an earlier rule already, letter case aside.`);
    terms.add(term);
    if (rule.expansions.every((expansion) => expansion.toLowerCase() === term)) throw invalid(['body', place, 'expansions'], `body.${place}.expansions must hold something else than the term.`);
  }
  await changeRules(records, scope, 'synonyms', () => rules);
}

function byText<T>(rules: T[], textOf: (rule: T) => string): T[] {
  return rules.sort((one, other) => (textOf(one) < textOf(other) ? -1 : 1));
}

/** Makes or replaces a boost. @throws Refusal name_mismatch; validation_error where there are as many as may be */
export async function writeBoost(records: Store, scope: OrganizationScope, name: string, rule: BoostRule): Promise<void> {
  if (rule.name !== name) throw new Refusal('name_mismatch', { detail: 'The name of the body is not that of the path; send the same.' });
  await changeRules(records, scope, 'boosts', (rules) => {
    const others = rules.filter((other) => other.name !== name);
    if (others.length >= mostRules.boosts) throw invalid(['path', 'name'], `An organization has at most ${mostRules.boosts} boosts; remove one first.`);
    return byText([...others, rule], (each) => each.name);
  });
}

/** Removes a boost, if it is there. */
export async function removeBoost(records: Store, scope: OrganizationScope, name: string): Promise<void> {
  if (!(await readRules(records, scope, 'boosts')).some((rule) => rule.name === name)) return;
  await changeRules(records, scope, 'boosts', (rules) => rules.filter((rule) => rule.name !== name));
}

/** A query as pins are compared by: trimmed and in lower case. */
export function pinnedQuery(query: string): string {
  return query.trim().toLowerCase();
}

/**
 * Pins files to a query, or removes the pin where there are none.
 * @returns the rule as it is kept
 * @throws Refusal asset_not_found; validation_error where there are as many pins as may be
 */
export async function writePin(records: Store, scope: OrganizationScope, rule: PinRule): Promise<PinRule> {
  const kept: PinRule = { query: pinnedQuery(rule.query), assetIds: rule.assetIds };
  const existing = new Set((await records.collection(assets, scope).getMany(kept.assetIds)).filter(({ deletedAt }) => deletedAt === null).map(({ _id }) => _id));
  const missing = kept.assetIds.find((assetId) => !existing.has(assetId));
  if (missing !== undefined) throw new Refusal('asset_not_found', { detail: `There is no asset ${missing}.` });
  await changeRules(records, scope, 'pins', (rules) => {
    const others = rules.filter(({ query }) => query !== kept.query);
    if (kept.assetIds.length === 0) return others;
    if (others.length >= mostRules.pins) throw invalid(['body', 'query'], `An organization has at most ${mostRules.pins} pins; remove one first.`);
    return byText([...others, kept], ({ query }) => query);
  });
  return kept;
}
