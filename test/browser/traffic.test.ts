import { get } from 'node:http';
import type { BucketView } from '../../models/bucket.ts';
import { content, until } from '../api/support/client.ts';
import { startTestProgram, type TestProgram } from '../api/support/program.ts';
import { createBucket, putObject } from '../api/support/storage.ts';
import { ownerEnvironment } from '../api/support/session.ts';
import { freePort } from '../servers/ports.ts';
import { skipWithReason } from '../support/servers.ts';
import { enter, look, openChromium, openPage } from './support/dashboard.ts';

const browser = await openChromium();

if (typeof browser === 'string') skipWithReason('the pages of delivery in a browser', browser);
else
  describe('the pages of delivery', () => {
    let program: TestProgram;
    let bucket: BucketView;
    let port: number;
    beforeAll(async () => {
      port = await freePort();
      program = await startTestProgram({ ...ownerEnvironment, PLY_DELIVERY_PORT: String(port) });
      bucket = await createBucket(program.admin, { visibility: 'public' });
      await putObject(program.admin, bucket.id, 'course/film.bin', Buffer.alloc(20_000), {
        contentType: 'application/octet-stream',
      });
    });
    afterAll(async () => {
      await browser.close();
      await program.end();
    });
    /** Reads the file from the edge. @returns the status */
    const read = (path: string): Promise<number> =>
      new Promise((resolve, reject) => {
        const headers = { host: bucket.defaultHostname };
        get({ host: '127.0.0.1', port, path, headers }, (answer) => {
          answer.resume().once('end', () => resolve(answer.statusCode ?? 0));
        }).once('error', reject);
      });

    it('show what was delivered, by day and part of the world, and save it as CSV', async () => {
      const { page, faults } = await openPage(browser, program.url);
      await enter(page, '/delivery');
      await page.getByRole('heading', { name: 'Nothing was delivered in these days' }).waitFor();
      await until(
        () => read('/course/film.bin'),
        (status) => status === 200,
      );
      const today = new Date().toISOString().slice(0, 10);
      await until(
        () =>
          program.admin.get<{ totals: { requests: number } }>(
            200,
            'GET',
            `${content}/delivery/analytics?from=${today}&to=${today}`,
          ),
        ({ totals }) => totals.requests > 0,
        60_000,
      );
      await page.reload();
      await page.getByRole('img', { name: /^Delivered by day: 20(\.\d)? kB in all/ }).waitFor();
      await page.getByText('India and Asia').waitFor();
      await page.getByText(bucket.name).waitFor();
      const saved = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Save as CSV' }).click();
      expect((await saved).suggestedFilename()).toMatch(/^delivery-.*\.csv$/);
      await look(page, 'delivery');
      await page.getByLabel('From').fill('2020-01-01');
      await page.getByLabel('To', { exact: true }).fill('2020-01-05');
      await page.getByRole('heading', { name: 'Nothing was delivered in these days' }).waitFor();
      expect(new URL(page.url()).searchParams.get('to')).toBe('2020-01-05');
      expect(faults).toEqual([]);
      await page.context().close();
    });

    it('count traffic by own rules, which can be tried before, and show it by answer and country', async () => {
      const { page, faults } = await openPage(browser, program.url);
      const start = Date.parse('2026-01-01T00:00:00Z') / 1000;
      const series = (key: string, scale: number): object => ({
        key,
        points: Array.from({ length: 48 }, (_, hour) => [
          start + hour * 3600,
          scale * hour,
          hour,
          hour,
          0,
          hour,
          0,
          0,
          0,
        ]),
      });
      await page.route(/\/analytics\/delivery\?/, (route) => {
        const asked = new URL(route.request().url()).searchParams;
        return route.fulfill({
          json: {
            ...{ from: '2026-01-01', to: '2026-01-02', resolution: 'hour', timezone: 'UTC', bucketId: bucket.id },
            ...{ dimension: asked.get('dimension'), groupBy: 'value', notices: [], provisional: true },
            series: asked.has('dimension') ? [series('math', 900), series('other', 100)] : [series('total', 1000)],
            totals: {
              ...{ bytes: 1_128_000, requests: 1128, cacheHits: 1000, cacheMisses: 128 },
              status: { '2xx': 1100, '3xx': 20, '4xx': 8, '5xx': 0 },
            },
            topCountries: [
              { country: 'DE', requests: 900 },
              { country: 'IN', requests: 200 },
            ],
          },
        });
      });
      await enter(page, `/buckets/${bucket.id}/traffic`);
      await page.getByRole('button', { name: 'Count traffic' }).click();
      await page.getByText('None yet.').waitFor();
      await page.getByRole('button', { name: 'Add a rule' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Name').fill('course');
      await dialog.getByRole('button', { name: 'Try it' }).click();
      await dialog.getByText(/^1 value in \d+ requests or files$/).waitFor();
      await look(page, 'traffic-rule');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await page.getByText('A part of the path: 1').waitFor();
      await page.getByRole('img', { name: 'Delivered over time: 1.1 MB in all' }).waitFor();
      await page.getByText('Germany').waitFor();
      await page.getByLabel('By', { exact: true }).selectOption('course');
      await page.getByRole('heading', { name: 'course' }).waitFor();
      await page.getByLabel('Show').selectOption('requests');
      await page.getByRole('img', { name: 'Requests over time: 1,128 in all' }).waitFor();
      await look(page, 'traffic');
      expect(faults).toEqual([]);
      await page.setViewportSize({ width: 360, height: 740 });
      await page.emulateMedia({ colorScheme: 'dark' });
      for (const path of ['/delivery', `/buckets/${bucket.id}/traffic`]) {
        await page.goto(path);
        await page.getByRole('img').first().waitFor();
        await look(page, `narrow-traffic-${path.length}`);
        expect([path, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([path, 360]);
      }
      await page.context().close();
    });
  });
