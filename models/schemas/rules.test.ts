import { Refusal } from '../errors.ts';
import { assetMetadata } from './metadata.ts';
import { compile } from './rules.ts';
import { list, nullable, object, optional, required, withDefault } from './schema.ts';
import { dateTime, integer, mapped, oneOf, text, uuid } from './values.ts';

/** The path and message of the error that a check throws. */
function faultOf(check: () => unknown): [(string | number)[], string] {
  try {
    check();
  } catch (error) {
    if (error instanceof Refusal) return [error.data.fields ?? [], error.message];
    throw error;
  }
  throw new Error('the value was accepted');
}

const entry = object({ name: required(text(1, 3)), size: withDefault(nullable(integer(0, 9)), 5) });
const whole = object({
  entries: required(list(entry, 2, 1)),
  kind: optional(oneOf('one', 'two')),
  metadata: optional(assetMetadata),
});

describe('a rule of a whole object', () => {
  it('returns a copy with defaults and does not change the value', () => {
    const value = { entries: [{ name: 'a' }, { name: 'b', size: null }] };
    const before = structuredClone(value);
    expect(whole.check(value)).toEqual({
      entries: [
        { name: 'a', size: 5 },
        { name: 'b', size: null },
      ],
    });
    expect(value).toEqual(before);
  });

  it.each<[string, unknown, (string | number)[], string]>([
    ['no object', [], [], 'must be an object'],
    ['null for an object', null, [], 'must be an object'],
    ['a missing field', {}, ['entries'], 'is missing'],
    ['null for a list', { entries: null }, ['entries'], 'must not be null'],
    ['too few entries', { entries: [] }, ['entries'], 'must have at least 1 entry'],
    ['too many entries', { entries: [1, 2, 3] }, ['entries'], 'must have at most 2 entries'],
    ['a null entry', { entries: [{ name: 'a' }, null] }, ['entries', 1], 'must be an object'],
    ['a field inside an entry', { entries: [{ name: '' }] }, ['entries', 0, 'name'], 'must not be empty'],
    ['a number as text', { entries: [{ name: 'a', size: '1' }] }, ['entries', 0, 'size'], 'must be a number'],
    ['a fraction', { entries: [{ name: 'a', size: 1.5 }] }, ['entries', 0, 'size'], 'must be a whole number'],
    ['null for an optional field', { entries: [{ name: 'a' }], kind: null }, ['kind'], 'must not be null'],
    ['a list for a word', { entries: [{ name: 'a' }], kind: ['one'] }, ['kind'], 'must be one of one, two'],
    [
      'an unknown field, after the known ones',
      { more: 1, other: 2, entries: [{ name: 'a' }] },
      ['more'],
      'is not a known field; known are entries, kind, metadata',
    ],
    ['the first field in the documented order', { kind: 1, entries: 1 }, ['entries'], 'must be a list'],
    [
      'a name with dots',
      { entries: [{ name: 'a' }], metadata: { 'a.b': [true, null] } },
      ['metadata', 'a.b', 1],
      'must be a text, a number, true or false, or a list of these',
    ],
    [
      'a key that would set a prototype',
      JSON.parse('{"entries":[{"name":"a"}],"__proto__":1}'),
      ['__proto__'],
      'is not a known field; known are entries, kind, metadata',
    ],
  ])('refuses %s by its path', (_name, value, path, phrase) => {
    expect(faultOf(() => whole.check(value))).toEqual([path, phrase]);
  });

  it('counts code points of texts', () => {
    expect(entry.check({ name: '😀😀😀' })).toEqual({ name: '😀😀😀', size: 5 });
    expect(faultOf(() => entry.check({ name: '😀😀😀😀' }))).toEqual([['name'], 'must have at most 3 characters']);
    expect(faultOf(() => entry.check({ name: '\ud83d' }))).toEqual([
      ['name'],
      'must hold neither NUL nor half of a surrogate pair',
    ]);
  });

  it('never calls functions of the value', () => {
    const value = { entries: [{ name: 'a', size: { toString: null, valueOf: null } }] };
    expect(faultOf(() => whole.check(value))).toEqual([['entries', 0, 'size'], 'must be a number']);
    let deep: unknown[] = [];
    for (let depth = 0; depth < 100_000; depth += 1) deep = [deep];
    expect(faultOf(() => entry.check({ name: 'a', size: deep }))).toEqual([['size'], 'must be a number']);
  });

  it('runs steps after a passed rule, and reports their refusal', () => {
    const even = mapped(integer(0), (value) => {
      if (value % 2 === 1) throw new Refusal('validation_error', { fields: [], detail: 'must be even' });
      return value / 2;
    });
    const schema = object({ values: required(list(even, 3)) });
    expect(schema.check({ values: [2, 8] })).toEqual({ values: [1, 4] });
    expect(faultOf(() => schema.check({ values: [2, 3] }))).toEqual([['values', 1], 'must be even']);
    expect(faultOf(() => schema.check({ values: [2, 'x'] }))).toEqual([['values', 1], 'must be a number']);
    const broken = mapped(text(0, 9), () => {
      throw new TypeError('a fault of ours');
    });
    expect(() => broken.check('a')).toThrow(TypeError);
  });
});

describe('the rule of checked values', () => {
  it('accepts the result of the check, with the defaults of what an earlier version does not send', () => {
    const schema = object({
      id: required(uuid),
      at: required(dateTime),
      only: withDefault(oneOf('a'), null),
      size: withDefault(integer(0, 9), 5),
      more: optional(text(0, 9)),
    });
    const checked = schema.check({ id: '0189F2AC-0000-7000-8000-000000000000', at: '2026-01-31T09:30:00Z' });
    const again = compile(schema.checked);
    expect(again(checked)).toEqual(checked);
    expect(faultOf(() => again({ ...checked, at: '2026-01-31T09:30:00Z' }))).toEqual([['at'], 'must be a number']);
    const { size: _size, ...without } = checked;
    expect(again(without)).toEqual(checked);
    expect(faultOf(() => again({ ...checked, later: 1 }))[0]).toEqual(['later']);
    expect(compile(schema.checked, 'drop')({ ...checked, later: 1 })).toEqual(checked);
  });
});
