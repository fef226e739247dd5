import { comparisonOf, featureOf } from './azurite-comparison.ts';
import type { Case } from './judge.ts';

const failed = (name: string, reason: string): Case => ({ name, outcome: 'failed', reason });
const passed = (name: string): Case => ({ name, outcome: 'passed', reason: '' });

describe('a case that failed', () => {
  it.each([
    [failed('read', 'Leases are not offered.'), 'Leases'],
    [failed('filter blob by tags', '501 == 400'), 'Tags'],
    [failed('setTier archive', 'x'), 'Access tiers'],
    [failed('stage a block', 'x'), null],
    [passed('lease'), null],
  ])('%j is about %s', (given, feature) => {
    expect(featureOf(given)).toBe(feature);
  });
});

it('files are compared over all cases, and over those of what is offered', () => {
  const door = [passed('a'), failed('b', 'Tags are not offered.'), failed('c', 'x')];
  const azurite = [passed('a'), passed('b'), failed('c', 'x')];
  const lines = comparisonOf([
    { file: 'one', door, azurite },
    { file: 'two', door: [passed('d')], azurite: [] },
  ]);
  expect(lines.slice(2, 4)).toEqual([
    '| one | 3 | 1 | 2 | 1 | 1 | 2 | 1 | 1 |',
    '| two | 1 | 1 | not run | 0 | 0 | 1 | 1 | not run |',
  ]);
  expect(lines.at(-1)).toBe('Failures by the feature that is not offered: tags 1.');
});
