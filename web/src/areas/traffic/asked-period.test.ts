import { askedPeriod, periodOf } from './asked-period.ts';

it('a period without ends is the thirty days up to today', () => {
  const now = Date.parse('2026-03-01T12:00:00Z');
  expect(periodOf({}, now)).toEqual({ from: '2026-01-31', to: '2026-03-01' });
  expect(periodOf({ to: '2025-01-30' }, now)).toEqual({ from: '2025-01-01', to: '2025-01-30' });
});

it('ends that are no days are not taken from an address', () => {
  expect(askedPeriod({ from: '2026-01-05', to: '2026-13-40' })).toEqual({ from: '2026-01-05', to: undefined });
  expect(askedPeriod({ from: 7 })).toEqual({ from: undefined, to: undefined });
});
