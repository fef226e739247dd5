import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import type { Price, PriceList } from '../../../models/prices.ts';
import { projectRoot } from '../../../scripts/setup/paths.mjs';
import type { Sums } from '../sums.ts';
import { fraction, rounded, toNumber } from './fraction.ts';
import { accountLines, organizationLines, type LateUse } from './month.ts';
import type { Terms } from './lines.ts';

const million = 1_000_000;
const billion = 1_000_000_000;

/** A price in units and currency units. */
function price(
  metric: Price['metric'],
  included: number,
  tiers: [upTo: number | null, unitPrice: number][],
  dimensions?: Price['dimensions'],
): Price {
  return {
    metric,
    included: included * million,
    tiers: tiers.map(([upTo, unitPrice]) => ({
      upTo: upTo === null ? null : upTo * million,
      unitPrice: Math.round(unitPrice * billion),
    })),
    ...(dimensions === undefined ? {} : { dimensions }),
  };
}

function terms(prices: Price[] | null, minimum = 0, days = { active: 30, inMonth: 30 }): Terms {
  const list: PriceList | null = prices === null ? null : { currency: 'EUR', prices };
  return { prices: list, minimum, days };
}

function used(quantities: { [key: string]: number | bigint }): Sums {
  return new Map(
    Object.entries(quantities).map(([key, quantity]) => [
      key,
      { quantity: BigInt(quantity), events: 1, duplicates: 0 },
    ]),
  );
}

const searches = price('searches', 1000, [
  [5000, 0.002],
  [null, 0.001],
]);

it('charges a prorated month as the document shows it', () => {
  const { lines, total } = accountLines(
    terms([searches], 5000, { active: 20, inMonth: 30 }),
    used({ searches: 1200 }),
    [],
    [],
  );
  expect(lines).toEqual([
    {
      metric: 'searches',
      dimension: 'searches',
      label: 'Searches',
      unit: 'search',
      quantity: 1200,
      included: 666.666667,
      billable: 533.333333,
      unitPrice: 0.002,
      amount: 1.07,
      listAmount: 2.4,
      priced: true,
      duplicatesNotCharged: 0,
      proration: { activeDays: 20, daysInMonth: 30 },
    },
    {
      metric: 'monthly_minimum',
      dimension: 'monthly_minimum',
      label: 'Monthly minimum',
      unit: 'month',
      quantity: 1,
      included: 0,
      billable: 1,
      unitPrice: 32.26,
      amount: 32.26,
      listAmount: null,
      priced: true,
      duplicatesNotCharged: 0,
      proration: { activeDays: 20, daysInMonth: 30 },
    },
  ]);
  expect(total).toBe(3333n);
});

it('tiers count the billable quantity; no unit price where several applied', () => {
  const charged = (quantity: number) => accountLines(terms([searches]), used({ searches: quantity }), [], []).lines[0];
  expect(charged(0)).toMatchObject({ billable: 0, unitPrice: 0.002, amount: 0, listAmount: 0 });
  expect(charged(1000)).toMatchObject({ billable: 0, unitPrice: 0.002, amount: 0, listAmount: 2 });
  expect(charged(6000)).toMatchObject({ billable: 5000, unitPrice: 0.002, amount: 10, listAmount: 11 });
  expect(charged(6001)).toMatchObject({ billable: 5001, unitPrice: null, amount: 10, listAmount: 11 });
  expect(charged(16_000)).toMatchObject({ billable: 15_000, unitPrice: null, amount: 20, listAmount: 21 });
});

it('a dimension with a price is a line of its own, and other use of the metric one line', () => {
  const delivery = price('delivery_gb', 1, [[null, 0.03]], {
    'latin-america': { included: 0, tiers: [{ upTo: null, unitPrice: 45_000_000 }] },
  });
  const gb = 2 ** 30;
  const { lines } = accountLines(
    terms([delivery]),
    used({ 'delivery_gb/latin-america': 2 * gb, 'delivery_gb/india-asia': gb, 'delivery_gb/europe-north-america': gb }),
    [],
    [],
  );
  expect(lines.map(({ dimension, quantity, amount }) => [dimension, quantity, amount])).toEqual([
    ['delivery_gb', 2, 0.03],
    ['delivery_gb/latin-america', 2, 0.09],
  ]);
});

it('without prices there are quantities, and neither amounts nor a total', () => {
  const { lines, total } = accountLines(
    terms(null, 5000),
    used({ searches: 3, audio_hours: 5, ocr_frames: 2 }),
    [],
    [],
  );
  expect(lines).toEqual([
    expect.objectContaining({
      metric: 'searches',
      quantity: 3,
      included: 0,
      billable: 3,
      unitPrice: null,
      amount: null,
    }),
  ]);
  expect(lines[0]).toMatchObject({ listAmount: null, priced: false });
  expect(total).toBeNull();
});

it('adjustments and late lines count in the total, and not toward the minimum', () => {
  const late: LateUse = [
    {
      month: '2031-02',
      closed: { terms: terms([searches]), charged: used({ searches: 900 }) },
      sums: used({ searches: 300 }),
    },
  ];
  const { lines, total } = accountLines(terms([searches], 1000), used({}), late, [
    { amount: -250, description: 'Credit' },
  ]);
  expect(lines.map(({ dimension, label, amount }) => [dimension, label, amount])).toEqual([
    ['searches', 'Searches', 0],
    ['searches/late-2031-02', 'Searches (2031-02)', 0.4],
    ['adjustment', 'Credit', -2.5],
    ['monthly_minimum', 'Monthly minimum', 10],
  ]);
  expect(lines[1]).toMatchObject({
    lateFor: '2031-02',
    quantity: 300,
    included: 100,
    billable: 200,
    unitPrice: 0.002,
    listAmount: 0.6,
  });
  expect(total).toBe(790n);
});

it('late use is charged only beyond what the minimum of its month paid for', () => {
  const month = { terms: terms([price('answers', 0, [[null, 1]])], 1000), charged: used({ answers: 4 }) };
  const { lines } = accountLines(
    terms([]),
    used({}),
    [{ month: '2031-02', closed: month, sums: used({ answers: 8 }) }],
    [],
  );
  // 12 answers cost 12, of which the minimum paid for 10: of the 8 late ones, 6 are paid for.
  expect(lines[0]).toMatchObject({ quantity: 8, included: 6, billable: 2, unitPrice: 1, amount: 2, listAmount: 8 });
});

it('the dashboard allowance is rounded half up to whole searches, and has no list price', () => {
  const allowance = price('dashboard_searches', 9, [[null, 0.5]]);
  const days = { active: 15, inMonth: 30 };
  const { lines } = accountLines(terms([allowance], 0, days), used({ dashboard_searches: 7 }), [], []);
  expect(lines[0]).toMatchObject({ quantity: 7, included: 5, billable: 2, amount: 1, listAmount: null });
  const own = organizationLines(terms([allowance]), used({ dashboard_searches: 7 }), []);
  expect(own.own[0]).toMatchObject({ quantity: 7, included: null, billable: null, amount: null, listAmount: null });
});

it('an organization has its quantities at list price', () => {
  const { own, inAccount, listAmount } = organizationLines(terms([searches]), used({ searches: 6000 }), []);
  expect(own[0]).toMatchObject({
    quantity: 6000,
    included: null,
    billable: 6000,
    unitPrice: null,
    amount: null,
    listAmount: 11,
  });
  expect(inAccount).toEqual([
    {
      metric: 'searches',
      dimension: 'searches',
      quantity: 6000,
      included: null,
      billable: 6000,
      listAmount: 11,
      duplicatesNotCharged: 0,
    },
  ]);
  expect(listAmount).toBe(1100n);
});

it('content kept searchable is averaged over the days of the month', () => {
  const { lines } = accountLines(
    terms([price('index_gigabyte_months', 0, [[null, 3]])]),
    used({ index_gigabyte_months: 30 * 2 ** 30 }),
    [],
    [],
  );
  expect(lines[0]).toMatchObject({ unit: 'GB-month', quantity: 1, amount: 3 });
});

it('quantities and amounts beyond 2^53 are exact', () => {
  const quantity = 2n ** 53n + 1n;
  const { total } = accountLines(terms([price('answers', 0, [[null, 1]])]), used({ answers: quantity }), [], []);
  expect(total).toBe(quantity * 100n);
});

it('rounds to the nearest, halves away from zero', () => {
  fc.assert(
    fc.property(fc.bigInt(-(10n ** 30n), 10n ** 30n), fc.bigInt(1n, 10n ** 12n), (over, under) => {
      const whole = rounded(fraction(over, under), 100n);
      const distance = 2n * (whole * under - over * 100n);
      expect(distance <= under && distance >= -under).toBe(true);
      // On a half, the one that is farther from zero.
      if (distance === under || distance === -under) expect(distance > 0n).toBe(over > 0n);
    }),
  );
  expect([rounded(fraction(5n, 1000n), 100n), rounded(fraction(-5n, 1000n), 100n)]).toEqual([1n, -1n]);
});

it('numbers in answers are the nearest to the exact ones', () => {
  expect(toNumber(fraction(2n ** 60n + 1n, 2n ** 60n))).toBe(1);
  expect(toNumber(fraction(-(10n ** 25n), 3n))).toBe(-3.3333333333333333e24);
  fc.assert(
    fc.property(fc.integer(), fc.integer({ min: 1 }), (over, under) => {
      expect(toNumber(fraction(BigInt(over), BigInt(under)))).toBe(over / under);
    }),
  );
});

it('late use costs together what it would have cost in its month, in whatever parts it arrives', () => {
  const parts = fc.array(fc.nat(4000), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(fc.nat(8000), parts, fc.nat(3000), (first, late, minimum) => {
      const month = terms([searches], minimum);
      const cost = (quantity: number): bigint => accountLines(month, used({ searches: quantity }), [], []).total ?? 0n;
      let charged = first;
      let sum = cost(first);
      for (const quantity of late) {
        const closed = { terms: month, charged: used({ searches: charged }) };
        sum +=
          accountLines(terms([]), used({}), [{ month: '2031-01', closed, sums: used({ searches: quantity }) }], [])
            .total ?? 0n;
        charged += quantity;
      }
      expect(sum).toBe(cost(charged));
    }),
  );
});

it('no floating point stands between an event and an amount', () => {
  const folder = join(projectRoot, 'services/ledger/pricing');
  const files = readdirSync(folder).filter((name) => !name.endsWith('.test.ts'));
  expect(files.length).toBeGreaterThan(3);
  for (const file of files) {
    const code = readFileSync(join(folder, file), 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$|'[^']*'|`[^`]*`/gm, '');
    // The one place where an exact number becomes one of JavaScript is for answers.
    const checked = file === 'fraction.ts' ? code.slice(0, code.indexOf('export function toNumber')) : code;
    expect(checked).not.toMatch(/\bNumber\(|parseFloat|Math\.|\d\.\d|\.toFixed/);
  }
});
