import fc from 'fast-check';
import type { UsageOfAccount } from '../app/operator-usage.ts';
import { dayBars, percentBar, usagePicture } from './usage-picture.ts';

it('each day has a character: a space without use, the highest for the greatest', () => {
  expect(dayBars([0, 1, 4, 8, 1000])).toBe(' ▁▁▁█');
  expect(dayBars([1, 2, 3, 4, 5, 6, 7, 8])).toBe('▁▂▃▄▅▆▇█');
  expect(dayBars([0, 0])).toBe('  ');
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 1e300, noNaN: true }), { minLength: 1, maxLength: 31 }), (days) => {
      const bars = [...dayBars(days)];
      expect(bars.map((bar) => bar === ' ')).toEqual(days.map((day) => day === 0));
    }),
  );
});

it('a bar of a quota is full at 100 percent and beyond', () => {
  expect([0, 50, 62.5, 100, 250].map((percent) => percentBar(percent, 4))).toEqual([
    '    ',
    '██  ',
    '██▌ ',
    '████',
    '████',
  ]);
});

describe('the picture of a month', () => {
  const line = (
    metric: 'searches' | 'delivery_gb',
    label: string,
    quantity: number,
  ): UsageOfAccount['usage']['lines'][number] => ({
    ...{ metric, dimension: metric, label, unit: 'search', quantity, included: 1000, billable: quantity },
    ...{ unitPrice: 0.5, amount: 12_345.67, listAmount: 1, priced: true, duplicatesNotCharged: 0 },
  });
  const days = (quantity: number): { day: string; quantity: number }[] => [
    { day: '2031-04-01', quantity },
    { day: '2031-04-30', quantity: quantity / 2 },
  ];
  const month: UsageOfAccount = {
    name: 'Acme',
    usage: {
      ...{ plan: 'growth', currency: 'EUR', status: 'open', statementNumber: null, scope: 'account' },
      ...{ payAsYouGo: false, total: 24_691.34, priced: true, organizations: [] },
      period: { kind: 'month', from: '2031-04-01', to: '2031-04-30', timeZone: 'Europe/Berlin' },
      lines: [line('searches', 'Searches', 1234.5), line('delivery_gb', 'Delivery: Europe and North America', 1 / 3)],
      processing: [{ metric: 'source_bytes', label: 'Bytes read', unit: 'byte', quantity: 123_456_789, events: 2 }],
    },
    daily: {
      ...{ period: { from: '2031-04-01', to: '2031-04-30', kind: 'month', timeZone: 'Europe/Berlin' } },
      timeZone: 'Europe/Berlin',
      metrics: [
        { metric: 'searches', label: 'Searches', unit: 'search', points: days(823) },
        { metric: 'delivery_gb', label: 'Delivery', unit: 'GB', points: days(1) },
      ],
    },
    quotas: null,
  };

  it('has a bar beside each line where there is room', () => {
    const [searches = ''] = usagePicture(month, Infinity).match(/^Searches.*$/m) ?? [];
    expect(searches).toMatch(/^Searches {28}█ {28}▄ +1,234\.5 {2}search/);
    expect(searches).toMatch(/1,000 {2}12,345.67$/);
    expect(usagePicture(month, searches.length)).toBe(usagePicture(month, Infinity));
  });

  it.each([80, 72])('in %i columns has it below the line, and no line is longer', (columns) => {
    const lines = usagePicture(month, columns).split('\n');
    expect(lines.filter(({ length }) => length > columns)).toEqual([]);
    const at = lines.findIndex((each) => each.startsWith('Searches'));
    expect(lines[at + 1]).toBe(`  █${' '.repeat(28)}▄`);
    expect(lines[at]).toMatch(/1,000 {2}12,345.67$/);
    expect(lines.find((each) => each.startsWith('  1        10'))).toBeDefined();
  });
});
