import * as fc from 'fast-check';
import type { Json, JsonObject } from '../../../models/json.ts';
import { at, isJsonObject } from './description.ts';

/** Small JSON values with keys that are often mishandled. */
const anything: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    -0,
    1e308,
    0.5,
    '',
    '\0',
    '0',
    'true',
    [],
    {},
    [[]],
    { toString: 1 },
    { constructor: null },
  ),
  fc.constantFrom('{"__proto__":1}', '{"__proto__":null,"a":[]}').map((text): unknown => JSON.parse(text)),
);

/**
 * Characters of one to four bytes, NUL, and punctuation. Lone surrogates are omitted, because JSON Schema cannot
 * express them.
 */
const character = fc.constantFrom('a', 'Z', '7', '.', ' ', '"', '\\', '#', '%', '\u0000', '\n', 'é', '世', '\u{1F600}');

function lengthNear(low: number, high: number): fc.Arbitrary<number> {
  return fc
    .oneof(
      fc.constantFrom(low - 1, low, low + 1, high - 1, high, high + 1),
      fc.integer({ min: low, max: Math.min(high, low + 20) }),
    )
    .map((length) => Math.max(0, length));
}

function textNear(schema: JsonObject): fc.Arbitrary<unknown> {
  const { minLength = 0, maxLength = 40, pattern, format } = schema;
  const free = fc
    .tuple(lengthNear(Number(minLength), Number(maxLength)), character, fc.array(character, { maxLength: 6 }))
    .map(([length, filler, some]) => {
      const points = [...filler.repeat(length)];
      return [...some.slice(0, length), ...points.slice(Math.min(some.length, length))].join('');
    });
  const formed: fc.Arbitrary<string>[] = [free];
  if (typeof pattern === 'string') formed.push(fc.stringMatching(new RegExp(pattern, 'u'), { size: 'small' }));
  if (format === 'uuid')
    formed.push(
      fc.uuid(),
      fc.uuid().map((id) => id.toUpperCase()),
      fc.uuid().map((id) => `${id} `),
      fc.uuid().map((id) => `{${id}}`),
    );
  if (format === 'date-time') formed.push(dateTimeNear);
  if (format === 'date') formed.push(dateNear);
  return fc.oneof(...formed);
}

const dateNear = fc.oneof(
  fc
    .date({ noInvalidDate: true, min: new Date('0001-01-01'), max: new Date('9999-12-31') })
    .map((date) => date.toISOString().slice(0, 10)),
  fc.constantFrom('2026-02-28', '2026-02-29', '2024-02-29', '2026-13-01', '2026-04-31', '2026-1-1', '2026-01-01T'),
);

const dateTimeNear = fc.oneof(
  fc
    .date({ noInvalidDate: true, min: new Date('0001-01-01'), max: new Date('9999-12-31') })
    .map((date) => date.toISOString()),
  fc
    .tuple(
      fc.constantFrom('2026-02-28', '2026-02-29', '2024-02-29', '2026-13-01', '2026-04-31', '2026-1-1'),
      fc.constantFrom('T', 't', ' '),
      fc.constantFrom('00:00:00', '23:59:59', '24:00:00', '12:60:00', '12:00'),
      fc.constantFrom('', '.5', '.123456789', '.'),
      fc.constantFrom('Z', 'z', '+01:00', '-23:59', '+24:00', '+1:00', ''),
    )
    .map((parts) => parts.join('')),
);

function integerNear({ minimum = -5, maximum = 5 }: JsonObject): fc.Arbitrary<unknown> {
  const [low, high] = [Number(minimum), Number(maximum)];
  return fc.oneof(
    fc.constantFrom(low - 1, low, low + 1, high - 1, high, high + 1, low + 0.5, -0),
    fc.integer({ min: Math.max(low, -1e6), max: Math.min(high, 1e6) }),
  );
}

function listNear({ items, minItems = 0, maxItems = 5 }: JsonObject): fc.Arbitrary<unknown> {
  const item = isJsonObject(items) ? near(items) : anything;
  const few = fc.array(item, { minLength: 0, maxLength: 4 });
  // Equal items: only the length varies.
  const many = fc
    .tuple(item, lengthNear(Number(minItems), Number(maxItems)))
    .map(([each, length]) => Array<unknown>(length).fill(each));
  return fc.oneof({ weight: 3, arbitrary: few }, { weight: 1, arbitrary: many });
}

function objectNear(schema: JsonObject): fc.Arbitrary<unknown> {
  const { required = [], additionalProperties, maxProperties = 4 } = schema;
  const properties = Object.entries(at({ schema }, 'schema', 'properties'));
  const needed = Array.isArray(required) ? required : [];
  const fields = properties.map(([name, inner]): fc.Arbitrary<[string, unknown][]> => {
    const value = isJsonObject(inner) ? near(inner) : anything;
    const present = value.map((given): [string, unknown][] => [[name, given]]);
    const weight = needed.includes(name) ? 30 : 1;
    return fc.oneof({ weight, arbitrary: present }, { weight: 1, arbitrary: fc.constant<[string, unknown][]>([]) });
  });
  const others = isJsonObject(additionalProperties)
    ? keyed(additionalProperties, Number(maxProperties))
    : fc.oneof({ weight: 8, arbitrary: fc.constant<[string, unknown][]>([]) }, { weight: 1, arbitrary: keyed({}, 1) });
  // fromEntries creates an ordinary `__proto__` key, as JSON.parse does.
  return fc.tuple(fc.tuple(...fields), others).map(([known, more]) => Object.fromEntries([...known.flat(), ...more]));
}

function keyed(schema: JsonObject, high: number): fc.Arbitrary<[string, unknown][]> {
  const key = fc.oneof(
    fc.constantFrom('a', 'course', '__proto__', 'toString', '', 'k\0', 'é'.repeat(128), 'x'.repeat(129)),
    fc.string({ maxLength: 10 }),
  );
  const few = fc.array(fc.tuple(key, near(schema)), { maxLength: 4 });
  const many = fc
    .tuple(near(schema), lengthNear(1, high))
    .map(([value, count]) =>
      Array.from({ length: count }, (_, position): [string, unknown] => [`k${position}`, value]),
    );
  return fc.oneof({ weight: 3, arbitrary: few }, { weight: 1, arbitrary: many });
}

function near(schema: JsonObject): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 25, arbitrary: typed(schema) }, { weight: 1, arbitrary: anything });
}

function typed(schema: JsonObject): fc.Arbitrary<unknown> {
  const { type, anyOf } = schema;
  const words: Json | undefined = schema['enum'];
  if (Array.isArray(anyOf)) return fc.oneof(...anyOf.filter(isJsonObject).map(near));
  if (Array.isArray(words))
    return fc.oneof(
      fc.constantFrom<unknown>(...words),
      fc.constantFrom<unknown>(...words.map((word) => `${JSON.stringify(word)} `)),
    );
  if (type === 'string') return textNear(schema);
  if (type === 'integer') return integerNear(schema);
  if (type === 'number') return fc.double({ noNaN: true, noDefaultInfinity: true });
  if (type === 'boolean') return fc.boolean();
  if (type === 'array') return listNear(schema);
  if (type === 'object') return objectNear(schema);
  return anything;
}

/** Values near the limits of a schema: for most schemas about half of them valid. */
export function valuesNear(schema: JsonObject): fc.Arbitrary<unknown> {
  return near(schema);
}

/** A valid object with up to two fields removed or replaced by values near their schemas. */
export function variationsOf(valid: { readonly [name: string]: unknown }, schema: JsonObject): fc.Arbitrary<unknown> {
  const properties = Object.entries(at({ schema }, 'schema', 'properties'));
  const changes = properties.map(([name, inner]): fc.Arbitrary<[string, unknown]> =>
    (isJsonObject(inner) ? near(inner) : anything).map((value) => [name, value]),
  );
  const left = fc.constantFrom(...Object.keys(valid)).map((name): [string, unknown] => [name, undefined]);
  const some = fc.array(fc.oneof({ weight: 1, arbitrary: left }, { weight: 9, arbitrary: fc.oneof(...changes) }), {
    maxLength: 2,
  });
  return some.map((changed) =>
    Object.fromEntries(
      [...Object.entries(valid), ...changed].filter(
        ([name, value], position, all) =>
          value !== undefined && !all.slice(position + 1).some(([later]) => later === name),
      ),
    ),
  );
}
