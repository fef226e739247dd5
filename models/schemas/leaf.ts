import { createRequire } from 'node:module';
import type { default as validatorModule, RuleArray, RuleBoolean, RuleEnum, RuleNumber, RuleString } from 'fastest-validator';
import { invalid } from '../errors.ts';

// The package exports its class as the module itself, which its types do not say: a default import would not compile.
const Validator: unknown = createRequire(import.meta.url)('fastest-validator');
if (!isValidatorClass(Validator)) throw new Error('fastest-validator does not export its class');

function isValidatorClass(value: unknown): value is typeof validatorModule.default {
  return typeof value === 'function';
}

/*
 * fastest-validator checks the leaves: types, bounds and words, each rule compiled once. Containers are walked by
 * schema.ts, because the library reports places as one dotted text (ambiguous where a key holds a dot), looks for
 * unknown fields without naming the first, lets `__proto__` keys through, and counts a string's UTF-16 units.
 */
const validator = new Validator({
  haltOnFirstError: true,
  messages: {
    required: 'must not be null',
    string: 'must be a text',
    number: 'must be a number',
    numberInteger: 'must be a whole number',
    numberMin: 'must be at least {expected}',
    numberMax: 'must be at most {expected}',
    boolean: 'must be true or false',
    array: 'must be a list',
    arrayMin: 'must have at least {expected} entries',
    arrayMax: 'must have at most {expected} entries',
    enumValue: 'must be one of {expected}',
  },
});

/**
 * Stands for an object or list where a leaf belongs. The library would turn the value into text for its message, which
 * recurses into lists and calls what the client named `toString`.
 */
const notALeaf = (): undefined => undefined;

function isOther(value: unknown, type: string): boolean {
  return typeof value === 'object' && value !== null && !(type === 'array' && Array.isArray(value));
}

/** Compiles one rule to a check that refuses with a phrase that follows the field's name. */
export function leaf(rule: RuleString | RuleNumber | RuleBoolean | RuleEnum | RuleArray): (value: unknown) => void {
  const check = validator.compile({ $$root: true, ...rule });
  return (value) => {
    const faults = check(isOther(value, rule.type) ? notALeaf : value);
    if (faults === true) return;
    const phrase = Array.isArray(faults) ? (faults[0]?.message ?? 'is not valid') : 'is not valid';
    throw invalid([], phrase.replace(/ 1 entries$/, ' 1 entry'));
  };
}
