import type { BoostRule, PinRule, SynonymRule } from '../tuning.ts';
import { maxRules } from '../tuning.ts';
import { invalid } from '../errors.ts';
import { answer, described, listOf, metadata, text as anyText, texts } from './answers/answer.ts';
import { kind } from './assets.ts';
import { assetMetadata } from './metadata.ts';
import { optional, list, object, required, schemaOf, withStep, type Described, type Schema } from './schema.ts';
import { mapped, text, uuid } from './values.ts';

const words = text(1, 100);

/** Body of PUT /tuning/synonyms: the whole dictionary. */
export const synonymRules: Schema<SynonymRule[]> = list(
  object({ term: required(words), expansions: required(list(words, 20, 1)) }),
  maxRules.synonyms,
);

const maxFactor = 10;

const factor: Schema<number> = schemaOf(
  { type: 'number', exclusiveMinimum: 0, maximum: maxFactor },
  {
    type: 'number',
    max: maxFactor,
    custom: [
      (given: number) => {
        if (given <= 0) throw invalid([], 'must be above 0');
        return given;
      },
    ],
  },
);

const matchFields = object({ metadata: optional(assetMetadata), kind: optional(kind) });
const boostMatch: Schema<BoostRule['match']> = schemaOf(
  {
    ...matchFields.json,
    anyOf: [{ required: ['kind'] }, { required: ['metadata'], properties: { metadata: { minProperties: 1 } } }],
  },
  withStep(matchFields.rule, (match: BoostRule['match']) => {
    if (match.kind === undefined && Object.keys(match.metadata ?? {}).length === 0)
      throw invalid([], 'must hold a kind, or at least one key of metadata');
    return match;
  }),
);

/** Body of PUT /tuning/boosts/{name}. */
export const boostRule: Schema<BoostRule> = object({
  name: required(text(1, 100)),
  match: required(boostMatch),
  factor: required(factor),
});

/** Body of PUT /tuning/pins. */
export const pinRule: Schema<PinRule> = object({
  query: required(
    text(1, 400, {
      source: '^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$',
      expected: 'a text with more than blanks, without NUL',
    }),
  ),
  assetIds: required(mapped(list(uuid, 10), (sent) => [...new Set(sent)])),
});

const synonym = answer('Synonym', { term: anyText, expansions: texts }) satisfies Described<SynonymRule>;
/** The dictionary. */
export const synonymsAnswer = answer('Synonyms', { items: listOf(synonym) });

/** A boost. */
export const boostAnswer = answer('Boost', {
  name: anyText,
  match: described<BoostRule['match']>({
    type: 'object',
    properties: { metadata: metadata.json, kind: kind.json },
  }),
  factor,
}) satisfies Described<BoostRule>;
/** All boosts. */
export const boostsAnswer = answer('Boosts', { items: listOf(boostAnswer) });

/** A pin. */
export const pinAnswer = answer('Pin', { query: anyText, assetIds: listOf(uuid) }) satisfies Described<PinRule>;
/** All pins. */
export const pinsAnswer = answer('Pins', { items: listOf(pinAnswer) });
