import type { Records } from '../../../adapters/records/port.ts';
import type { ActionInput, ActionName, ActionOutput } from '../../../mixins/actions/table.ts';
import { scopeOf } from '../../../models/scope.ts';
import { readRules, removeBoost, writeBoost, writePin, writeSynonyms } from './rule-store.ts';

type TuningAction =
  'readSynonyms' | 'writeSynonyms' | 'readBoosts' | 'writeBoost' | 'removeBoost' | 'readPins' | 'writePin';
type TuningActions = {
  [A in TuningAction]: `searcher.${A}` extends infer N extends ActionName
    ? (input: ActionInput<N>) => Promise<ActionOutput<N>>
    : never;
};

/** The actions on an organization's tuning. */
export function tuningActions(records: Pick<Records, 'collection'>): TuningActions {
  return {
    readSynonyms: async ({ caller }) => ({
      items: await readRules(records, scopeOf(caller.organizationId), 'synonyms'),
    }),
    writeSynonyms: async ({ caller, rules }) => {
      await writeSynonyms(records, scopeOf(caller.organizationId), rules);
      return { items: rules };
    },
    readBoosts: async ({ caller }) => ({ items: await readRules(records, scopeOf(caller.organizationId), 'boosts') }),
    writeBoost: async ({ caller, name, rule }) => {
      await writeBoost(records, scopeOf(caller.organizationId), name, rule);
      return rule;
    },
    removeBoost: async ({ caller, name }) => {
      await removeBoost(records, scopeOf(caller.organizationId), name);
      return null;
    },
    readPins: async ({ caller }) => ({ items: await readRules(records, scopeOf(caller.organizationId), 'pins') }),
    writePin: ({ caller, rule }) => writePin(records, scopeOf(caller.organizationId), rule),
  };
}
