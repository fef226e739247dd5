import { content } from '../api/support/client.ts';
import { ownerEnvironment } from '../api/support/session.ts';
import { startTestProgram, type TestProgram } from '../api/support/program.ts';
import { createBucket } from '../api/support/storage.ts';
import { skipWithReason } from '../support/servers.ts';
import { enter, openChromium, openPage, violations } from './support/dashboard.ts';

const browser = await openChromium();
/** What would run if any of it were read as HTML. */
const hostile = '<img src=x onerror=document.title="owned">';

if (typeof browser === 'string') skipWithReason('files and search of the dashboard in a browser', browser);
else
  describe('files and search', () => {
    let program: TestProgram;
    beforeAll(async () => {
      program = await startTestProgram(ownerEnvironment);
    });
    afterAll(async () => {
      await browser.close();
      await program.end();
    });

    it('a file that is chosen is sent, indexed, found by the keyboard alone, and opened', async () => {
      const { page, faults } = await openPage(browser, program.url);
      await enter(page, '/files');
      await page.getByRole('heading', { name: 'No files yet' }).waitFor();
      await page.getByRole('link', { name: 'Search', exact: true }).click();
      await page.getByRole('heading', { name: 'There is nothing to search yet' }).waitFor();
      await page.getByRole('main').getByRole('link', { name: 'Add files' }).click();
      await page.getByRole('heading', { name: 'No files yet' }).waitFor();
      const text = `The keeper counts the gulls at noon. ${hostile}\n`;
      await page
        .locator('input[type=file]')
        .first()
        .setInputFiles([
          { name: `gulls ${hostile.replace(/[/"]/g, '')}.txt`, mimeType: 'text/plain', buffer: Buffer.from(text) },
          { name: 'nothing.xyz', mimeType: 'application/octet-stream', buffer: Buffer.from('x') },
        ]);
      await page.getByText('This kind of file cannot be searched.').waitFor();
      await page.getByRole('table').getByText('Searchable').waitFor();
      await page.getByRole('region', { name: 'Uploads' }).getByText('Searchable').waitFor();
      await page.getByText(/^New files go into the bucket library-/).waitFor();
      expect(await violations(page)).toEqual([]);

      await page.getByRole('link', { name: 'Search', exact: true }).click();
      await page.getByRole('heading', { name: 'Search', level: 1 }).waitFor();
      await page.keyboard.press('/');
      await page.keyboard.type('gulls at noon');
      await page.keyboard.press('Enter');
      await page.locator('mark').first().waitFor();
      expect(new URL(page.url()).searchParams.get('q')).toBe('gulls at noon');
      expect(await page.locator('mark').allTextContents()).toEqual(expect.arrayContaining(['gulls', 'noon']));
      expect(await violations(page)).toEqual([]);

      await page.locator('[data-result]').first().focus();
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: 'gulls' }).waitFor();
      expect(await violations(page)).toEqual([]);
      expect(await page.title()).toBe('Ply');
      expect(await page.locator('img').count()).toBe(0);

      await page.getByRole('button', { name: 'Remove' }).click();
      const confirm = page.getByRole('dialog').getByRole('button', { name: 'Remove' });
      expect(await confirm.isDisabled()).toBe(true);
      await page
        .getByRole('dialog')
        .getByRole('textbox')
        .fill(`gulls ${hostile.replace(/[/"]/g, '')}.txt`);
      await confirm.click();
      await page.getByText('was removed').waitFor();
      expect(faults).toEqual([]);
      await page.context().close();
    });

    it('files go into the bucket that was chosen, and times are those of the account', async () => {
      const { id } = await createBucket(program.admin, { name: 'papers-of-today' });
      const { page } = await openPage(browser, program.url, 'light', 'Pacific/Kiritimati');
      await enter(page, '/files');
      await page.getByLabel('New files go into the bucket').selectOption('papers-of-today');
      await page.reload();
      expect(await page.getByLabel('New files go into the bucket').inputValue()).toBe(id);
      await page
        .locator('input[type=file]')
        .first()
        .setInputFiles([{ name: 'today.txt', mimeType: 'text/plain', buffer: Buffer.from('Papers of today.') }]);
      await page.getByRole('table').getByText('today.txt').waitFor();
      const path = `${content}/buckets/${id}/objects`;
      const keys = async (): Promise<string[]> =>
        (await program.admin.get<{ items: { key: string }[] }>(200, 'GET', path)).items.map(({ key }) => key);
      expect(await keys()).toEqual(['today.txt']);
      expect(await violations(page)).toEqual([]);
      // Also where a file is chosen before the page knows the buckets.
      const { promise: known, resolve: answer } = Promise.withResolvers<void>();
      await page.route(`**${content}/buckets`, async (asked) => {
        await known;
        await asked.continue();
      });
      await page.reload();
      await page
        .locator('input[type=file]')
        .first()
        .setInputFiles([{ name: 'early.txt', mimeType: 'text/plain', buffer: Buffer.from('Papers that come early.') }]);
      await page.getByRole('region', { name: 'Uploads' }).getByText('is sent', { exact: true }).waitFor();
      answer();
      await page.getByRole('table').getByText('early.txt').waitFor();
      expect(await keys()).toEqual(['early.txt', 'today.txt']);
      await page.getByRole('link', { name: 'today.txt' }).click();
      await page.getByRole('heading', { level: 1, name: 'today.txt' }).waitFor();
      const assetId = /[^/]+$/.exec(new URL(page.url()).pathname)?.[0] ?? '';
      const { updatedAt } = await program.admin.get<{ updatedAt: string }>(200, 'GET', `${content}/assets/${assetId}`);
      const zone = { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' } as const;
      const shown = new Intl.DateTimeFormat('en', zone).format(new Date(updatedAt)).split(/\s/);
      await page
        .getByRole('definition')
        .filter({ hasText: new RegExp(shown.join('\\s')) })
        .first()
        .waitFor();
      await page.context().close();
    });

    it('recent searches are offered, and Esc closes them', async () => {
      const { page } = await openPage(browser, program.url);
      await enter(page, '/search?q=cormorant');
      await page.getByText('Nothing that fits well enough').waitFor();
      const box = page.getByRole('combobox', { name: 'What are you looking for?' });
      await box.fill('heron');
      await box.press('Enter');
      await page.waitForURL(/q=heron/);
      await box.fill('he');
      await page.getByRole('option', { name: 'heron' }).waitFor();
      await box.press('Escape');
      await page.getByRole('option', { name: 'heron' }).waitFor({ state: 'hidden' });
      expect(await box.getAttribute('aria-expanded')).toBe('false');
      await page.context().close();
    });
  });
