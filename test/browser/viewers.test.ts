import type { Page } from 'playwright-core';
import { buildDocx, paragraph } from '../../formats/testing/office.ts';
import { buildPdf } from '../../formats/testing/pdf.ts';
import type { BucketView } from '../../models/bucket.ts';
import { until } from '../api/support/client.ts';
import { clip } from '../api/support/clips.ts';
import { startTestProgram, type TestProgram } from '../api/support/program.ts';
import { serveRecordings } from '../api/support/recordings.ts';
import { ownerEnvironment } from '../api/support/session.ts';
import { createBucket, putObject } from '../api/support/storage.ts';
import { skipWithReason } from '../support/servers.ts';
import { enter, openChromium, openPage, violations } from './support/dashboard.ts';

const browser = await openChromium();
const folder = process.env['SCREENSHOTS'];
const hostile = '<img src=x onerror=document.title="owned">';

const pages = [
  ['The Lighthouse Handbook', 'The tower stands on the northern rock since 1871.'],
  ['The lamp', 'A Fresnel lens of the first order throws the beam over twenty-one miles.'],
  ['Birds', 'The keeper counts the gulls at noon and writes the', 'number into the log. Cormorants nest below.'],
];
const lines = Array.from({ length: 400 }, (_, index) => `Watch ${index + 1}: the sea is calm.`);
lines[299] = `Watch 300: the bell buoy rang in the fog. ${hostile}`;

if (typeof browser === 'string') skipWithReason('the viewers of the dashboard in a browser', browser);
else
  describe('a file opens at what was found in it', () => {
    let program: TestProgram;
    let bucket: BucketView;
    let film: string;
    beforeAll(async () => {
      program = await startTestProgram(ownerEnvironment);
      bucket = await createBucket(program.admin);
      const put = (key: string, bytes: Buffer<ArrayBuffer>): Promise<{ etag: string }> =>
        putObject(program.standard, bucket.id, key, bytes);
      const sourceUrl = (key: string): string => `https://${bucket.defaultHostname}/${key}`;
      const index = async (key: string, bytes: Buffer<ArrayBuffer>): Promise<void> => {
        const { etag } = await put(key, bytes);
        await program.standard.indexed({ filename: key, sourceUrl: sourceUrl(key), sourceVersion: etag });
      };
      await index('handbook.pdf', Buffer.from(buildPdf(pages.map((text) => ({ lines: text })))));
      await index('watches.txt', Buffer.from(lines.join('\n')));
      const chapters = Array.from({ length: 150 }, (_, index) => [
        paragraph(`Chapter ${index + 1}`, 'Heading1'),
        paragraph(
          index === 140
            ? 'The keel is caulked with oakum and pitch. &lt;img src=x onerror=1&gt;'
            : `Plank ${index + 1}.`,
        ),
      ]);
      await index('boat.docx', Buffer.from(buildDocx(chapters.flat().join(''))));
      await put('film.mp4', await clip({ seconds: 12 }));
      const words = { speaker: null, language: 'en', words: [], timingPrecision: 'segment' as const };
      const [placed] = await serveRecordings(program, [
        {
          segments: [
            { id: 'a', text: 'The harbour was built of granite.', start: 0, end: 4, ...words },
            { id: 'b', text: `Ships carried the lantern to the rock. ${hostile}`, start: 4, end: 8, ...words },
            { id: 'c', text: 'And then the storm came.', start: 8, end: 12, ...words },
          ],
          fields: {
            filename: 'film.mp4',
            kind: 'video',
            sourceUrl: sourceUrl('film.mp4'),
            bucketId: bucket.id,
          },
        },
      ]);
      film = placed!.assetId;
      await program.standard.reaches(placed!.jobId, 'ready');
    });
    afterAll(async () => {
      await browser.close();
      await program.end();
    });

    async function look(page: Page, name: string): Promise<void> {
      if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png` });
      expect([name, await violations(page)]).toEqual([name, []]);
      expect([await page.title(), await page.locator('img').count()]).toEqual(['Ply', 0]);
    }
    /** The texts of what the browser marks in a document, by the name of the highlight. */
    const marked = (page: Page, name: string): Promise<string> =>
      page.evaluate(`[...(CSS.highlights.get('${name}') ?? [])].map(String).join('|')`);

    it('a document at its page with the passage marked, once its bucket lets the page read it', async () => {
      const { page, faults } = await openPage(browser, program.url);
      await enter(page, '/search?q=gulls+at+noon');
      await page.getByRole('link', { name: 'handbook.pdf' }).click();
      await page.getByRole('button', { name: 'Let this page read the bucket' }).click();
      await page.locator('[data-page="3"] .document-text span').first().waitFor({ state: 'attached' });
      await until(() => page.evaluate<boolean>(`(CSS.highlights.get('words')?.size ?? 0) >= 2`), Boolean);
      expect(await marked(page, 'words')).toBe('gulls|noon');
      expect(await marked(page, 'passage')).toContain('number into the log.');
      expect(await page.getByLabel('Page').inputValue()).toBe('3');
      const view = await page.getByRole('group', { name: 'handbook.pdf' }).boundingBox();
      const third = await page.locator('[data-page="3"]').boundingBox();
      expect(third!.y).toBeLessThan(view!.y + view!.height);
      await look(page, 'document');
      await page.getByRole('button', { name: 'Previous' }).click();
      await page.waitForURL(/page=2/);
      await page.getByRole('textbox', { name: 'Search in this file' }).fill('fresnel lens');
      await page.keyboard.press('Enter');
      await page.getByRole('link', { name: /^page 2/ }).click();
      await page.waitForURL(/page=2.*fresnel|fresnel.*page=2/);
      expect(faults).toEqual([]);
      await page.context().close();
    });

    it('a text at its line, with nothing of it read as HTML', async () => {
      const { page, faults } = await openPage(browser, program.url);
      await enter(page, '/search?q=bell+buoy');
      await page.getByRole('link', { name: 'watches.txt' }).click();
      const line = page.locator('.document-lines [aria-current=location]').filter({ hasText: 'Watch 300' });
      await line.waitFor();
      expect(await line.locator('mark').allTextContents()).toEqual(['bell buoy']);
      await look(page, 'text');
      expect(faults).toEqual([]);
      await page.context().close();
    });

    it('a Word file as its text, at its paragraph with what stands around it', async () => {
      const { page, faults } = await openPage(browser, program.url);
      await enter(page, '/search?q=caulked+with+oakum');
      await page.getByRole('link', { name: 'boat.docx' }).click();
      const here = page.locator('.document-passages [aria-current=location]');
      await here.getByText('The keel is caulked').waitFor();
      expect(await here.locator('mark').allTextContents()).toEqual(expect.arrayContaining(['caulked']));
      await page.locator('.document-passages').getByText('Plank 140.').waitFor();
      const view = await page.locator('.document-passages').boundingBox();
      const found = await here.boundingBox();
      expect(found!.y).toBeGreaterThanOrEqual(view!.y);
      expect(found!.y + found!.height).toBeLessThanOrEqual(view!.y + view!.height);
      await look(page, 'word');
      expect(faults).toEqual([]);
      await page.context().close();
    });

    it('a film at its second, with a transcript that leads through it and can be corrected', async () => {
      const { page, faults } = await openPage(browser, program.url);
      await enter(page, '/search?q=lantern+to+the+rock');
      await page.getByRole('link', { name: 'film.mp4' }).click();
      await until(() => page.evaluate<boolean>(`(document.querySelector('video')?.currentTime ?? 0) >= 3.9`), Boolean);
      const second = page.getByRole('button', { name: /Ships carried the lantern/ });
      await page.locator('.transcript [aria-current]').filter({ hasText: 'Ships carried' }).waitFor();
      expect(await second.locator('mark').allTextContents()).toEqual(expect.arrayContaining(['lantern']));
      await page.getByRole('button', { name: /And then the storm/ }).click();
      await until(() => page.evaluate<boolean>(`document.querySelector('video').currentTime >= 8`), Boolean);
      await page.evaluate(`document.querySelector('video').pause()`);
      await look(page, 'film');

      await page.getByRole('button', { name: 'Correct what is said at 0:08' }).click();
      await page.getByLabel(/^What is said at 0:08/).fill('And then the great gale came.');
      await page.keyboard.press('Enter');
      await page.getByText('1 segment corrected').waitFor();
      await page.getByRole('button', { name: 'Save the corrections' }).click();
      await page.getByText('The corrections are saved').waitFor();
      await until(
        () => program.standard.search({ query: 'great gale' }),
        ({ items }) => items.some(({ assetId }) => assetId === film),
      );
      expect(faults).toEqual([]);
      await page.context().close();
    });
  });
