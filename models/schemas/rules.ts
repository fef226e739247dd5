import { createRequire } from 'node:module';
import type { CompilationRule, Context, default as validatorModule } from 'fastest-validator';
import { Refusal, type ErrorCode } from '../errors.ts';
import { textFault, unknownField } from './faults.ts';

// The package exports its class as the module itself, unlike its types: a default import does not compile.
const Validator: unknown = createRequire(import.meta.url)('fastest-validator');
if (!isValidatorClass(Validator)) throw new Error('fastest-validator does not export its class');

function isValidatorClass(value: unknown): value is typeof validatorModule.default {
  return typeof value === 'function';
}

/** A step after a rule. It returns the value or a replacement. @throws Refusal with the path inside it */
export type Step = (value: never) => unknown;

/** A check across properties, which runs after the property `after`. @throws Refusal with the path inside the object */
export interface PropertyCheck {
  after: string;
  check: (value: never, sent: { readonly [name: string]: unknown }) => void;
}

interface CommonRule {
  /** Null is accepted as it is, without `custom`. */
  nullable?: boolean;
  /** Of a property: it may be absent. Unlike in the library's own objects, null is still refused. */
  optional?: boolean;
  /** Of a property: its value if it is absent. Null is not absent. */
  default?: unknown;
  /** Steps after the rule itself. */
  custom?: readonly Step[];
  /** Messages of this rule only; `required` is the message for null. */
  messages?: { readonly [type: string]: string };
}

/** A schema of fastest-validator, limited to the types and options in use. */
export type Rule = CommonRule &
  (
    | { type: 'any' | 'boolean' }
    | { type: 'number'; integer?: boolean; min?: number; max?: number }
    | { type: 'enum'; values: readonly (string | number)[] }
    /** `min` and `max` count Unicode code points; `pattern` has the `u` flag, and `expected` ends "must be ...". */
    | { type: 'string'; min?: number; max?: number; pattern?: string; expected?: string }
    | { type: 'array'; items: Rule; min?: number; max: number }
    | { type: 'object'; props: Properties; checks?: readonly PropertyCheck[] }
  );

/** Rules by the names of an object's properties, in the documented order. */
export type Properties = { readonly [name: string]: Rule };

/*
 * fastest-validator compiles a rule, with all the rules inside it, to one function. Some of its types do not hold the
 * API's contract and are replaced:
 * - object: the library looks for unknown properties without naming the first, reads `__proto__` keys, takes null for
 *   absent, fills defaults into the caller's value, and reports locations as one dotted text;
 * - array: it reports a null entry without its index, and changes the caller's list;
 * - string: it counts UTF-16 units.
 * The first error ends the check. A value is copied as it is checked, never changed.
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
    object: 'must be an object',
    enumValue: 'must be one of {expected}',
  },
});
validator.add('root', rootSource);
validator.add('object', objectSource);
validator.add('array', arraySource);
validator.add('string', stringSource);

/** What a check does with properties that its rule does not name: it reports them, or leaves them out of the copy. */
export type UnknownProperties = 'refuse' | 'drop';

/** Compilations of checks that drop unknown properties. The library hands one context to all rules of a check. */
const dropping = new WeakSet<Context>();

/** An error of a compiled rule; `path` is the location inside the value, outermost first. */
interface Fault {
  type: string;
  message: string;
  path?: (string | number)[];
  /** The code of the refusal; `validation_error` by default. */
  code?: ErrorCode;
}

/**
 * Compiles a rule to a check that returns a copy of the value with defaults, after all steps.
 * @throws Refusal `validation_error`, or what a step throws, with the path and a message that continues the name of the field
 */
export function compile(rule: Rule, unknownProperties: UnknownProperties = 'refuse'): (value: unknown) => unknown {
  const check = validator.compile({ $$root: true, type: 'root', of: rule, unknownProperties });
  return (value) => {
    const holder = { value };
    const faults = check(holder);
    if (faults === true) return holder.value;
    const [fault]: Partial<Fault>[] = Array.isArray(faults) ? faults : [];
    throw new Refusal(fault?.code ?? 'validation_error', {
      fields: fault?.path ?? [],
      detail: fault?.message ?? 'is not valid',
    });
  };
}

/** The helpers that a rule's generated source finds at its index in `context.rules`. */
interface Helpers extends Partial<Pick<CompilationRule, 'schema' | 'messages'>> {
  /** Runs the steps of `custom`. */
  step?: (value: unknown, errors: Fault[]) => unknown;
  /** The fault of a text; null if it is valid. */
  textFault?: (text: string) => string | null;
  /** Runs a check across properties. */
  checkProperties?: (index: number, value: object, sent: object, errors: Fault[]) => void;
  unknownProperty?: (sent: object) => Fault | null;
}

/** A rule passed on by the library, narrowed to its type. */
function ofType<T extends Rule['type']>(schema: object, type: T): Extract<Rule, { type: T }> {
  if (!isOfType(schema, type)) throw new Error(`the rule is not of type ${type}`);
  return schema;
}

function isOfType<T extends Rule['type']>(schema: object, type: T): schema is Extract<Rule, { type: T }> {
  return 'type' in schema && schema.type === type;
}

function helpersOf(context: Context, index: number): Helpers {
  return Object(context.rules[index]) as Helpers;
}

/** Converts the refusal of a step to an error of the library. @throws every other error */
function faultOf(error: unknown): Fault {
  if (!(error instanceof Refusal) || error.data.fields === undefined) throw error;
  return { type: 'custom', message: error.message, path: error.data.fields, code: error.type };
}

/** Types whose errors contain the value. For an object the library would call a client's `toString`. */
const leafTypes: ReadonlySet<string> = new Set(['number', 'boolean', 'enum']);

/** Source of a function that checks a value by a rule, for the source of the enclosing rule. */
function nested({ custom = [], optional: _optional, default: _default, ...own }: Rule, context: Context): string {
  const { ruleFunction, ...compiled } = validator.getRuleFromSchema({ ...own });
  const index = context.index++;
  const helpers: Helpers = compiled;
  const { rules }: { rules: unknown[] } = context;
  rules[index] = helpers;
  const built: unknown = Reflect.apply(ruleFunction, validator, [{ ...compiled, index }, '', context]);
  if (typeof built !== 'object' || built === null || !('source' in built)) throw new Error('a rule has no source');
  if (custom.length > 0)
    helpers.step = (value, errors) => {
      try {
        return custom.reduce<unknown>((result, step) => step(result as never), value);
      } catch (error) {
        errors.push(faultOf(error));
        return value;
      }
    };
  const { required = 'must not be null' } = own.messages ?? {};
  return `((value) => {
    ${own.nullable === true ? 'if (value === null) return value;' : ''}
    if (value === null || value === undefined) {
      errors.push({ type: "required", message: ${JSON.stringify(required)} });
      return value;
    }
    ${leafTypes.has(own.type) ? 'if (typeof value === "object") value = () => undefined;' : ''}
    value = ((value) => { ${String(built.source)} })(value);
    ${custom.length > 0 ? `if (errors.length === 0) value = context.rules[${index}].step(value, errors);` : ''}
    return value;
  })`;
}

/** Wraps the value, so that the checked value can be read back. */
function rootSource({ schema }: CompilationRule, _path: string, context: Context): { source: string } {
  if (schema['unknownProperties'] === 'drop') dropping.add(context);
  return { source: `value.value = ${nested(schema['of'] as Rule, context)}(value.value); return value;` };
}

function objectSource({ schema, index }: CompilationRule, _path: string, context: Context): { source: string } {
  const { props, checks = [] } = ofType(schema, 'object');
  const names = Object.keys(props);
  const known = new Set(names);
  const helpers = helpersOf(context, index);
  helpers.checkProperties = (at, value, sent, errors) => {
    try {
      checks[at]?.check(value as never, sent as never);
    } catch (error) {
      errors.push(faultOf(error));
    }
  };
  helpers.unknownProperty = (sent) => {
    if (dropping.has(context)) return null;
    const name = Object.keys(sent).find((each) => !known.has(each));
    return name === undefined ? null : { ...faultOf(unknownField(name, names)), type: 'objectStrict' };
  };
  const property = ([name, rule]: [string, Rule]): string => {
    const key = JSON.stringify(name);
    const absent =
      'default' in rule
        ? `else result[${key}] = context.rules[${index}].schema.props[${key}].default;`
        : rule.optional === true
          ? ''
          : `else errors.push({ type: "required", message: "is missing", path: [${key}] });`;
    const afterwards = checks.flatMap(({ after }, at) =>
      after === name
        ? [`context.rules[${index}].checkProperties(${at}, result, sent, errors); if (errors.length) return sent;`]
        : [],
    );
    return `
      if (Object.hasOwn(sent, ${key})) {
        result[${key}] = ${nested(rule, context)}(sent[${key}]);
        if (errors.length) (errors[0].path ??= []).unshift(${key});
      } ${absent}
      if (errors.length) return sent;
      ${afterwards.join('\n')}`;
  };
  return {
    source: `
      if (typeof value !== "object" || Array.isArray(value)) {
        errors.push({ type: "object", message: "must be an object" });
        return value;
      }
      const [sent, result] = [value, {}];
      ${Object.entries(props).map(property).join('\n')}
      const unknown = context.rules[${index}].unknownProperty(sent);
      if (unknown !== null) errors.push(unknown);
      return result;`,
  };
}

function entries(count: number): string {
  return count === 1 ? '1 entry' : `${count} entries`;
}

function arraySource({ schema }: CompilationRule, _path: string, context: Context): { source: string } {
  const { items, min = 0, max } = ofType(schema, 'array');
  return {
    source: `
      if (!Array.isArray(value)) errors.push({ type: "array", message: "must be a list" });
      else if (value.length < ${min}) errors.push({ type: "arrayMin", message: "must have at least ${entries(min)}" });
      else if (value.length > ${max}) errors.push({ type: "arrayMax", message: "must have at most ${entries(max)}" });
      if (errors.length) return value;
      const check = ${nested(items, context)};
      const result = [];
      for (let at = 0; at < value.length; at += 1) {
        result.push(check(value[at]));
        if (errors.length) {
          (errors[0].path ??= []).unshift(at);
          return value;
        }
      }
      return result;`,
  };
}

function stringSource({ schema, index }: CompilationRule, _path: string, context: Context): { source: string } {
  const { min = 0, max, pattern, expected = 'well formed' } = ofType(schema, 'string');
  const form = pattern === undefined ? null : new RegExp(pattern, 'u');
  helpersOf(context, index).textFault = (text) =>
    (max === undefined ? null : textFault(text, min, max)) ??
    (form === null || form.test(text) ? null : `must be ${expected}`);
  return {
    source: `
      if (typeof value !== "string") {
        errors.push({ type: "string", message: "must be a text" });
        return value;
      }
      const fault = context.rules[${index}].textFault(value);
      if (fault !== null) errors.push({ type: "string", message: fault });
      return value;`,
  };
}
