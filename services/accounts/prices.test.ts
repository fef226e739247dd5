import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pricesFor } from '../../models/prices.ts';
import { readPrices } from './plans.ts';

const folder = mkdtempSync(join(tmpdir(), 'ply-prices-'));
afterAll(() => rmSync(folder, { recursive: true }));

type Entry = { [field: string]: unknown };
interface Written {
  currency: string;
  prices: Entry[];
}

const files = { PLY_REGIONS_FILE: null, PLY_UPLOAD_PORT: 3002, PLY_S3_PORT: 3003, PLY_BLOB_PORT: 3004 };
const noEnd = [{ upTo: null, unitPrice: 1 }];

async function read(text: string): ReturnType<typeof readPrices> {
  const path = join(folder, 'prices.json');
  writeFileSync(path, text);
  return readPrices({ ...files, PLY_PRICES_FILE: path });
}

/** Reads a file with this one price and what `change` does to it. */
function withPrice(price: Entry): ReturnType<typeof readPrices> {
  return read(
    JSON.stringify({ currency: 'EUR', prices: [{ metric: 'searches', unit: 'search', tiers: noEnd, ...price }] }),
  );
}

describe('the file of prices', () => {
  it('is optional, and the example file is valid', async () => {
    expect(await readPrices({ ...files, PLY_PRICES_FILE: null })).toBeNull();
    const prices = await readPrices({ ...files, PLY_PRICES_FILE: 'plans/prices-example.json' });
    expect(prices?.currency).toBe('EUR');
    expect(prices?.prices.find(({ metric }) => metric === 'searches')).toEqual({
      metric: 'searches',
      unit: 'search',
      included: 1_000_000_000,
      tiers: [
        { upTo: 5_000_000_000, unitPrice: 2_000_000 },
        { upTo: null, unitPrice: 1_000_000 },
      ],
    });
  });

  it.each<[string, Entry, RegExp]>([
    ['an unknown metric', { metric: 'clicks' }, /prices 0 metric must be one of/],
    ['a metric without a price', { metric: 'audio_hours', unit: 'hour' }, /prices 0 metric must be one of/],
    ['the minimum', { metric: 'monthly_minimum', unit: 'month' }, /prices 0 metric must be one of/],
    ['another unit', { unit: 'searches' }, /prices 0 unit must be search$/],
    ['an unknown field', { price: 1 }, /prices 0 price is not a known field/],
    ['no tiers', { tiers: [] }, /prices 0 tiers must have/],
    ['tiers without an end', { tiers: [{ upTo: 5, unitPrice: 1 }] }, /prices 0 tiers 0 upTo must be null in the last/],
    ['two ends', { tiers: [...noEnd, ...noEnd] }, /prices 0 tiers 0 upTo must not be null before/],
    [
      'tiers that do not ascend',
      { tiers: [{ upTo: 5, unitPrice: 1 }, { upTo: 5, unitPrice: 1 }, ...noEnd] },
      /prices 0 tiers 1 upTo must ascend/,
    ],
    ['a tier up to nothing', { tiers: [{ upTo: 0, unitPrice: 1 }, ...noEnd] }, /prices 0 tiers 0 upTo must ascend/],
    [
      'ten decimals of a price',
      { tiers: [{ upTo: null, unitPrice: 0.0000000001 }] },
      /prices 0 tiers 0 unitPrice must be .* at most 9 decimals/,
    ],
    ['a negative price', { tiers: [{ upTo: null, unitPrice: -1 }] }, /prices 0 tiers 0 unitPrice must be at least 0/],
    ['seven decimals of what is included', { included: 0.0000001 }, /prices 0 included must be .* at most 6 decimals/],
    ['dimensions where there are none', { dimensions: {} }, /prices 0 dimensions is not a known field/],
    [
      'an unknown region',
      { metric: 'upload_gb', unit: 'GB', dimensions: { mars: { tiers: noEnd } } },
      /prices 0 dimensions mars is not known; upload_gb has in-west/,
    ],
    [
      'a region in the place of a group',
      { metric: 'delivery_gb', unit: 'GB', dimensions: { 'in-west': { tiers: noEnd } } },
      /delivery_gb has india-asia/,
    ],
    [
      'an unknown field of a dimension',
      { metric: 'media_hours', unit: 'hour', dimensions: { ocr: { tiers: noEnd, unit: 'hour' } } },
      /prices 0 dimensions ocr unit is not a known field/,
    ],
    ['a plan twice', { plans: ['growth', 'growth'] }, /prices 0 metric has a price twice for plan growth/],
    ['no plans', { plans: [] }, /prices 0 plans must have/],
    ['a plan called none', { plans: ['none'] }, /prices 0 plans 0 must be a plan name/],
  ])('with %s is refused with the path of the fault', async (_, price, reason) => {
    await expect(withPrice(price)).rejects.toThrow(reason);
    await expect(withPrice(price)).rejects.toThrow('PLY_PRICES_FILE: ');
  });

  it('is refused for a metric with two prices, an unknown currency, and numbers that would be rounded', async () => {
    const example = JSON.parse(readFileSync('plans/prices-example.json', 'utf8')) as Written;
    const twice = { ...example, prices: [...example.prices, { metric: 'answers', unit: 'answer', tiers: noEnd }] };
    await expect(read(JSON.stringify(twice))).rejects.toThrow(/metric has a price twice/);
    await expect(read(JSON.stringify({ ...example, currency: 'eur' }))).rejects.toThrow(/currency must be an ISO 4217/);
    await expect(read(JSON.stringify({ ...example, currency: 'QQQ' }))).rejects.toThrow(/currency must be an ISO 4217/);
    await expect(read(JSON.stringify({ ...example, plans: [] }))).rejects.toThrow(/plans is not a known field/);
    const exact =
      '{"currency":"EUR","prices":[{"metric":"answers","unit":"answer","included":0.10000000000000000001,"tiers":[]}]}';
    await expect(read(exact)).rejects.toThrow(/included: .* more digits/);
  });

  it('gives a plan its own price, and all others the one for all', async () => {
    const prices = await read(
      JSON.stringify({
        currency: 'EUR',
        prices: [
          { metric: 'searches', plans: ['growth'], unit: 'search', included: 5, tiers: noEnd },
          { metric: 'searches', unit: 'search', tiers: noEnd },
          { metric: 'answers', plans: ['growth'], unit: 'answer', tiers: noEnd },
        ],
      }),
    );
    if (prices === null) throw new Error('the file was not read');
    const includedFor = (plan: string | null): unknown =>
      pricesFor(prices, plan).prices.map(({ metric, included }) => [metric, included]);
    expect(includedFor('growth')).toEqual([
      ['searches', 5_000_000],
      ['answers', 0],
    ]);
    expect(includedFor('starter')).toEqual([['searches', 0]]);
    expect(includedFor(null)).toEqual([['searches', 0]]);
  });
});
