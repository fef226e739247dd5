import fc from 'fast-check';
import { countryCodes } from '../../../models/countries.ts';
import { regionGroupOf } from '../../../models/region-group.ts';
import { trafficValues, type TrafficValue } from '../../../models/traffic.ts';
import { systemScope } from '../../../models/scope.ts';
import { daysOfMonth, monthsOf, utcDay } from '../../../models/utc-days.ts';
import { testApp } from '../../../test/support/app.ts';
import { withNumber } from '../retention.ts';
import { textCell } from './csv.ts';
import { gigabytes } from './figures.ts';
import { largestValues } from './ranking.ts';

it('gigabytes have six decimals, rounded from whole bytes', () => {
  expect([0, 1, 536, 537, 1074, 2 ** 30, 2 ** 30 + 537].map(gigabytes)).toEqual([
    0, 0, 0, 0.000001, 0.000001, 1, 1.000001,
  ]);
  expect(gigabytes(Number.MAX_SAFE_INTEGER)).toBe(8_388_608);
});

it('each country is in one region group', () => {
  const groups = new Map<string, string[]>();
  for (const code of countryCodes) groups.set(regionGroupOf(code), [...(groups.get(regionGroupOf(code)) ?? []), code]);
  expect([...groups.values()].flat()).toHaveLength(countryCodes.length);
  expect(Object.fromEntries([...groups].map(([group, codes]) => [group, codes.length]))).toEqual({
    'india-asia': 62,
    'europe-north-america': 57,
    'latin-america': 52,
    'middle-east-africa': 79,
  });
  expect(['IN', 'CN', 'AU', 'TW', 'AQ', 'KZ'].map(regionGroupOf)).toEqual(Array(6).fill('india-asia'));
  expect(['IR', 'TR', 'EG', 'ZA', 'CY'].map(regionGroupOf)).toEqual(Array(5).fill('middle-east-africa'));
});

it.each([
  ['plain', 'plain'],
  ['a,b', '"a,b"'],
  ['a"b', '"a""b"'],
  ['=1', "'=1"],
  ['  +1', "'  +1"],
  ['-1', "'-1"],
  ['@a', "'@a"],
  ['＝1', "'＝1"],
  ['\u00a0＠', "'\u00a0＠"],
  ['\tx', '"\'\tx"'],
  ['\rx', '"\'\rx"'],
  ['1-1', '1-1'],
  ['', ''],
])('the cell %j is %j', (text, cell) => {
  expect(textCell(text)).toBe(cell);
});

it('days and months of UTC', () => {
  expect(utcDay('1970-01-02')).toBe(1);
  expect(['2031-02-29', '2031-1-01', 'x', '2031-00-01'].map(utcDay)).toEqual([null, null, null, null]);
  expect(daysOfMonth('2028-02')).toEqual({ from: utcDay('2028-02-01'), to: utcDay('2028-02-29') });
  expect(monthsOf({ from: utcDay('2030-12-31') ?? 0, to: utcDay('2031-02-01') ?? 0 })).toEqual([
    '2030-12',
    '2031-01',
    '2031-02',
  ]);
});

it('runs of numbers hold exactly what was added', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 30 })), (numbers) => {
      let runs: [number, number][] = [];
      for (const number of numbers) runs = withNumber(runs, number);
      const held = runs.flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, at) => first + at));
      expect(held).toEqual([...new Set(numbers)].sort((a, b) => a - b));
      for (const [at, [first]] of runs.entries()) expect(first).toBeGreaterThan((runs[at - 1]?.[1] ?? -1) + 1);
    }),
  );
});

it('finds the largest values also where memory holds only some of them', async () => {
  const { app, close } = await testApp();
  try {
    const documents = Array.from({ length: 300 }, (_, at): TrafficValue => {
      const value = `v${at % 100}`;
      const day = `2031-01-0${1 + Math.floor(at / 100)}`;
      const common = { organizationId: 'o', bucketId: 'b', dimension: 'd', fold: 1, first: 1, hours: {} };
      return { _id: `${day}:${value}`, day, value, bytes: (at % 100) * 10 + (at % 7), ...common };
    });
    await app.records.collection(trafficValues, systemScope).insertNew(documents);
    const view = { organizations: [{ id: 'o', name: '' }], bucketId: undefined };
    const period = { from: utcDay('2031-01-01') ?? 0, to: utcDay('2031-01-03') ?? 0 };
    const all = await largestValues(app, view, period, 'd', { top: 5, valueDays: 0 });
    expect(all).toEqual(['v99', 'v98', 'v97', 'v96', 'v95']);
    expect(await largestValues(app, view, period, 'd', { top: 5, valueDays: 21 }, 20)).toEqual(all);
    expect(await largestValues(app, view, { ...period, from: period.to + 1 }, 'd', { top: 5, valueDays: 0 })).toEqual(
      [],
    );
  } finally {
    await close();
  }
});
