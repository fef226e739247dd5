import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../setup/paths.mjs';
import { checkCost, costOf, fitCost, searchPoints, type SearchPoint } from './model.ts';

const point = (passages: number, visible: number): SearchPoint => ({
  passages,
  visible,
  alone: 5 + passages * 0.0002 + visible * 0.002,
  work: 7 + passages * 0.0003 + visible * 0.003,
});
const plane = [point(5000, 50), point(5000, 1500), point(5000, 5000), point(50_000, 500), point(50_000, 50_000)];

describe('the model of a search', () => {
  it('finds the costs that made the points', () => {
    const alone = fitCost(plane, 'alone');
    expect(alone.fixed).toBeCloseTo(5);
    expect(alone.perPassage).toBeCloseTo(0.0002);
    expect(alone.perVisible).toBeCloseTo(0.002);
    expect(costOf(fitCost(plane, 'work'), 100_000, 10_000)).toBeCloseTo(7 + 30 + 30);
  });

  it('predicts a point that it was not fitted to, with its error', () => {
    for (const { error } of checkCost(plane, 'alone')) expect(error).toBeCloseTo(0);
    const [first, ...others] = plane;
    const checked = checkCost([{ ...first!, alone: first!.alone * 2 }, ...others], 'alone');
    expect(checked[0]!.error).toBeCloseTo(-0.5);
  });

  it('refuses points that do not determine the costs', () => {
    expect(() => fitCost([point(10, 10), point(10, 10), point(10, 10)], 'work')).toThrow('do not determine');
  });
});

describe('what the bench measured', () => {
  it('is read as points, in the unit of the model', () => {
    const text = [
      '## search',
      '',
      '2026-01-01, 4 cores (some), Node',
      '',
      '| 10,000 passages, principals see 30%, 1 client: p50 | 12.5 ms = 1.6x | parts | 1.3x | no |',
      '| 10,000 passages, principals see 30%: answers a second, 8 clients | 200 = 1.7x | x | y | no |',
    ].join('\n');
    expect(searchPoints(text)).toEqual([{ passages: 5000, visible: 1500, alone: 12.5, work: 20 }]);
    expect(() => searchPoints(text.replace('answers a second', 'others'))).toThrow('no answers per second');
  });

  it('is predicted by the model to within half', () => {
    const points = searchPoints(readFileSync(join(projectRoot, 'bench/results.md'), 'utf8'));
    expect(points.length).toBeGreaterThanOrEqual(6);
    for (const measured of ['alone', 'work'] as const) {
      const cost = fitCost(points, measured);
      for (const point of points)
        expect(Math.abs(costOf(cost, point.passages, point.visible) / point[measured] - 1)).toBeLessThan(0.5);
    }
  });
});
