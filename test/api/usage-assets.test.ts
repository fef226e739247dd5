import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { call } from '../../mixins/actions/call.ts';
import { accounts } from '../../models/organization.ts';
import { systemScope } from '../../models/scope.ts';
import type { NewUsageEvent } from '../../models/usage-event.ts';
import { usageFiles } from '../../models/usage-month.ts';
import { content, until } from './support/client.ts';
import { startTrafficStage, type TrafficStage } from './support/traffic.ts';

interface UsageAssets {
  items: { assetId: string; billed: object; duplicateOf: string | null; processing: object; deleted: boolean }[];
  total: number;
}

const now = Date.UTC(2031, 3, 20, 12);
const [film, copy] = [randomUUID(), randomUUID()];
const folder = mkdtempSync(join(tmpdir(), 'ply-usage-assets-'));
let stage: TrafficStage;
let accountId: string;
beforeAll(async () => {
  const prices = join(folder, 'prices.json');
  const price = { metric: 'ocr_frames', unit: 'frame', tiers: [{ upTo: null, unitPrice: 0.001 }] };
  writeFileSync(prices, JSON.stringify({ currency: 'EUR', prices: [price] }));
  stage = await startTrafficStage(now, { PLY_PRICES_FILE: prices });
  const { records } = stage.program.app;
  const [account] = await records.collection(accounts, systemScope).find({ filter: {}, limit: 1 });
  accountId = account?._id ?? '';
  const { organizationId } = stage.standard;
  for (const [at, _id] of [film, copy].entries())
    await records.collection(usageFiles, systemScope).insert({
      _id,
      accountId,
      organizationId,
      externalId: `film-${at}`,
      filename: 'film.mp4',
      kind: 'video',
      createdAt: now + at,
      extractContentFromVideoFrames: true,
    });
  const event = (
    assetId: string,
    metric: NewUsageEvent['metric'],
    quantity: number,
    more: Partial<NewUsageEvent> = {},
  ): NewUsageEvent => ({
    _id: `${assetId}:${metric}`,
    accountId,
    organizationId,
    assetId,
    metric,
    quantity,
    at: now,
    ...more,
  });
  await call(stage.program.broker, 'ledger.record', {
    events: [
      event(film, 'media_hours', 5_400_000, { dimension: 'ocr' }),
      event(film, 'ocr_frames', 40),
      event(film, 'audio_hours', 5_400_000),
      event(film, 'source_bytes', 1000),
      event(copy, 'media_hours', 0, { duplicateOf: film }),
    ],
  });
  await until(read, ({ total }) => total === 2);
});
afterAll(async () => {
  await stage.end();
  rmSync(folder, { recursive: true, force: true });
});

const read = (): Promise<UsageAssets> => stage.standard.get(200, 'GET', `${content}/usage/assets`);
const common = { deleted: true };

it('shows frames as work, and as billed where they have a price', async () => {
  const work = { audio_hours: 1.5, ocr_frames: 40, source_bytes: 1000 };
  const duplicate = { ...common, assetId: copy, billed: { media_hours: 0 }, duplicateOf: film, processing: {} };
  expect((await read()).items).toMatchObject([
    duplicate,
    { ...common, assetId: film, billed: { media_hours: 1.5 }, duplicateOf: null, processing: work },
  ]);
  expect((await read()).items[1]?.billed).toEqual({ media_hours: 1.5 });
  await stage.program.app.records.collection(accounts, systemScope).update(accountId, {}, { set: { currency: 'EUR' } });
  expect((await read()).items).toMatchObject([
    duplicate,
    { ...common, assetId: film, billed: { media_hours: 1.5, ocr_frames: 40 }, processing: work },
  ]);
});

it.each(['', '?from=2031-04-01&to=2031-04-30', '?from=2031-04-02&to=2031-05-31'])(
  'pages of %s follow each other, and count the files with work',
  async (query) => {
    const page = (limit: number, offset: number): Promise<UsageAssets> =>
      stage.standard.get(
        200,
        'GET',
        `${content}/usage/assets${query}${query === '' ? '?' : '&'}limit=${limit}&offset=${offset}`,
      );
    const idsOf = ({ items }: UsageAssets): string[] => items.map(({ assetId }) => assetId);
    const [first, second, behind] = [await page(1, 0), await page(1, 1), await page(200, 2)];
    expect([first, second, behind].map(idsOf)).toEqual([[copy], [film], []]);
    expect([first, second, behind].map(({ total }) => total)).toEqual([2, 2, 2]);
    expect(second.items).toEqual((await page(200, 0)).items.slice(1));
  },
);
