import fc from 'fast-check';
import type { JsonObject } from '../../models/json.ts';
import { applyChange, checkChange, pathsOf } from './change.ts';
import { checkedPath, valueAt } from './paths.ts';

const changed = (document: JsonObject, change: Parameters<typeof applyChange>[1]): JsonObject => {
  const copy = structuredClone(document);
  applyChange(copy, change);
  return copy;
};

describe('a change', () => {
  it('creates missing parents, lists and numbers', () => {
    expect(changed({}, { set: { 'a.b.c': 1 }, increment: { n: 2, 'x.y': 1 }, push: { 'l.m': ['i'] } })).toEqual({
      a: { b: { c: 1 } },
      n: 2,
      x: { y: 1 },
      l: { m: ['i'] },
    });
    expect(changed({ a: 1 }, { unset: ['a', 'b.c'], pullById: { l: ['1'] } })).toEqual({});
    expect(
      changed({ l: [{ id: '1' }, { id: '2' }, { no: 1 }, 'text', null] }, { pullById: { l: ['1', '3'] } }),
    ).toEqual({ l: [{ id: '2' }, { no: 1 }, 'text', null] });
  });

  it('fails if a path leads through another type, instead of overwriting it', () => {
    expect(() => changed({ a: null }, { set: { 'a.b': 1 } })).toThrow('no object');
    expect(() => changed({ a: 'text' }, { set: { 'a.b': 1 } })).toThrow('no object');
    expect(() => changed({ a: [] }, { set: { 'a.b': 1 } })).toThrow('no object');
    expect(() => changed({ a: null }, { push: { a: [1] } })).toThrow('no list');
    expect(() => changed({ a: {} }, { pullById: { a: ['1'] } })).toThrow('no list');
    expect(() => changed({ a: 'x' }, { increment: { a: 1 } })).toThrow('no number');
  });

  it('is checked before it reaches a store', () => {
    expect(() => checkChange({ set: { a: 1, 'a.b': 2 } }, null)).toThrow('at once');
    expect(() => checkChange({ push: { a: [1] }, pullById: { a: ['1'] } }, null)).toThrow('at once');
    expect(() => checkChange({ set: { a: 1 }, unset: ['a'] }, null)).toThrow('at once');
    expect(() => checkChange({ unset: ['_id'] }, null)).toThrow('cannot be changed');
    expect(() => checkChange({ set: { organizationId: 'x' } }, 'organizationId')).toThrow('cannot be changed');
    expect(() => checkChange({ set: { a: 1, ab: 2, 'b.a': 3 } }, 'organizationId')).not.toThrow();
  });

  it('is checked as strictly after a similar valid one', () => {
    const good = { set: { a: 1, b: 2 }, unset: ['organizationId'] };
    for (const _time of [1, 2]) expect(() => checkChange(good, null)).not.toThrow();
    expect(() => checkChange(good, 'organizationId')).toThrow('cannot be changed');
    expect(() => checkChange({ set: { 'a b': 1 }, unset: ['c'] }, null)).toThrow('no field path');
    expect(() => checkChange({ set: { a: 1, 'b organizationId': 2 } }, null)).toThrow('no field path');
    for (const _time of [1, 2]) expect(() => checkChange({ set: { a: 1, 'a.b': 2 } }, null)).toThrow('at once');
  });

  it('sets its fields, and keeps all others', () => {
    const name = fc.constantFrom('a', 'b', 'c');
    const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join('.'));
    fc.assert(
      fc.property(path, path, fc.jsonValue(), (one, other, value) => {
        const json = JSON.parse(JSON.stringify(value ?? null));
        const before = changed({ kept: 1 }, { set: { [one]: 'old' } });
        const clash = one === other || one.startsWith(`${other}.`) || other.startsWith(`${one}.`);
        if (clash && other.startsWith(`${one}.`)) {
          expect(() => changed(before, { set: { [other]: json } })).toThrow('no object');
          return;
        }
        const after = changed(before, { set: { [other]: json } });
        expect(valueAt(after, other)).toEqual(json);
        expect(after['kept']).toBe(1);
        if (!clash) expect(valueAt(after, one)).toBe('old');
        expect(valueAt(changed(after, { unset: [other] }), other)).toBeUndefined();
        expect(pathsOf({ set: { [other]: json } })).toEqual([other]);
      }),
      { seed: 5 },
    );
  });
});

describe('a field path', () => {
  it('has letters, digits and underscores, and no names of built-in object properties', () => {
    for (const path of ['a', '_id', 'run.lease.until', 'a1.b_2']) expect(checkedPath(path)).toBe(path);
    for (const path of [
      '',
      '.',
      'a.',
      '.a',
      'a..b',
      "a'",
      'a"b',
      'a b',
      '$where',
      'a.$',
      'a-b',
      '__proto__',
      'a.constructor.b',
      'prototype',
      'a\n',
      'x'.repeat(129),
    ]) {
      expect(() => checkedPath(path)).toThrow('no field path');
    }
  });
});
