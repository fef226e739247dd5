import type { BoostRule, PinRule, SynonymRule } from '../tuning.ts';
import { mostRules } from '../tuning.ts';
import { invalid } from '../errors.ts';
import { answer, listOf, text as anyText } from './answers.ts';
import { kind } from './assets.ts';
import { leaf } from './leaf.ts';
import { assetMetadata } from './metadata.ts';
import { left, list, object, required, type Schema } from './schema.ts';
import { mapped, text, uuid } from './values.ts';

const words = text(1, 100);

/** Body of PUT /tuning/synonyms: the whole dictionary. */
export const synonymRules: Schema<SynonymRule[]> = list(object({ term: required(words), expansions: required(list(words, 20, 1)) }), mostRules.synonyms);

const mostFactor = 10;
const isNumber = leaf({ type: 'number', max: mostFactor });

const factor: Schema<number> = {
  json: { type: 'number', exclusiveMinimum: 0, maximum: mostFactor },
  check: (value) => {
    isNumber(value);
    if (Number(value) <= 0) throw invalid([], 'must be above 0');
    return Number(value);
  },
};

const boostMatch: Schema<BoostRule['match']> = (() => {
  const fields = object({ metadata: left(assetMetadata), kind: left(kind) });
  return {
    json: { ...fields.json, anyOf: [{ required: ['kind'] }, { required: ['metadata'], properties: { metadata: { minProperties: 1 } } }] },
    check: (value) => {
      const match = fields.check(value);
      if (match.kind === undefined && Object.keys(match.metadata ?? {}).length === 0) throw invalid([], 'must hold a kind, or at least one key of metadata');
      return match;
    },
  };
})();

/** Body of PUT /tuning/boosts/{name}. */
export const boostRule: Schema<BoostRule> = object({ name: required(text(1, 100)), match: required(boostMatch), factor: required(factor) });

/** Body of PUT /tuning/pins. */
export const pinRule: Schema<PinRule> = object({
  query: required(text(1, 400, { source: '^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$', expected: 'a text with more than blanks, without NUL' })),
  assetIds: required(mapped(list(uuid, 10), (sent) => [...new Set(sent)])),
});

const synonym = answer<SynonymRule>('Synonym', { term: anyText, expansions: { type: 'array', items: anyText } });
/** The dictionary. */
export const synonymsAnswer = answer<{ items: SynonymRule[] }>('Synonyms', { items: listOf(synonym) });

/** A boost. */
export const boostAnswer = answer<BoostRule>('Boost', {
  name: anyText,
  match: { type: 'object', properties: { metadata: { type: 'object', description: 'Texts, numbers, booleans, or lists of them, by key.' }, kind: kind.json } },
  factor: factor.json,
});
/** All boosts. */
export const boostsAnswer = answer<{ items: BoostRule[] }>('Boosts', { items: listOf(boostAnswer) });

/** A pin. */
export const pinAnswer = answer<PinRule>('Pin', { query: anyText, assetIds: { type: 'array', items: uuid.json } });
/** All pins. */
export const pinsAnswer = answer<{ items: PinRule[] }>('Pins', { items: listOf(pinAnswer) });
