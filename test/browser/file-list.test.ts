import { content, until } from '../api/support/client.ts';
import { startTestProgram, type TestProgram } from '../api/support/program.ts';
import { ownerEnvironment } from '../api/support/session.ts';
import { skipWithReason } from '../support/servers.ts';
import { enter, openChromium, openPage, violations } from './support/dashboard.ts';

const browser = await openChromium();
const folder = process.env['SCREENSHOTS'];
const total = 100_000;

/** A file of a long list, as the API answers it. */
function madeFile(number: number): object {
  const at = '2026-01-01T00:00:00.000Z';
  return {
    assetId: `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
    filename: `file ${number}.txt`,
    kind: 'document',
    state: 'ready',
    revisionState: 'ready',
    latestJob: { progress: 100 },
    updatedAt: at,
    createdAt: at,
  };
}

if (typeof browser === 'string') skipWithReason('the list of files in a browser', browser);
else
  describe('the list of files', () => {
    let program: TestProgram;
    beforeAll(async () => {
      program = await startTestProgram(ownerEnvironment);
    });
    afterAll(async () => {
      await browser.close();
      await program.end();
    });

    it('has 100,000 rows of which only those in view are loaded and drawn', async () => {
      const { page, faults } = await openPage(browser, program.url);
      let requests = 0;
      await page.route(`**${content}/assets?*`, (route) => {
        requests += 1;
        const query = new URL(route.request().url()).searchParams;
        const [limit, offset] = [Number(query.get('limit')), Number(query.get('offset'))];
        const length = Math.max(0, Math.min(limit, total - offset));
        const items = Array.from({ length }, (_, index) => madeFile(offset + index));
        return route.fulfill({ json: { items, total, limit, offset } });
      });
      await enter(page, '/files');
      const table = page.getByRole('table', { name: 'Files' });
      await page.getByText('file 3.txt').waitFor();
      expect(await table.getAttribute('aria-rowcount')).toBe(String(total + 1));
      for (const share of [0.5, 0.25, 1]) {
        await page.evaluate(`{
          const list = document.querySelector('[role=table]');
          list.scrollTop = list.scrollHeight * ${share};
        }`);
        const middle = share === 1 ? total - 1 : total * share;
        await page.getByRole('link', { name: `file ${middle}.txt`, exact: true }).waitFor();
        expect(await table.getByRole('row').count()).toBeLessThan(60);
      }
      expect(requests).toBeLessThan(20);
      expect(await violations(page)).toEqual([]);
      expect(faults).toEqual([]);
      await page.context().close();
    });

    it('is narrowed by name and kind, and what is chosen in it is changed at once', async () => {
      const { page, faults } = await openPage(browser, program.url);
      await enter(page, '/files');
      const buffer = Buffer.from('The keeper counts the gulls at noon.');
      await page
        .locator('input[type=file]')
        .first()
        .setInputFiles(
          ['one', 'two', 'other'].map((name) => ({ name: `${name}.txt`, mimeType: 'text/plain', buffer })),
        );
      const table = page.getByRole('table', { name: 'Files' });
      await until(
        () => table.getByText('Searchable', { exact: true }).count(),
        (count) => count === 3,
      );
      await page.getByLabel('Name contains').fill('o');
      await page.getByLabel('Name contains').press('Enter');
      await page.waitForURL(/q=o/);
      await page.getByLabel('Name contains').fill('other');
      await page.getByLabel('Name contains').press('Enter');
      await page.getByRole('link', { name: 'one.txt' }).waitFor({ state: 'detached' });
      await page.getByLabel('Kind').selectOption('Film');
      await page.getByText('No file is like that').waitFor();
      await page.goto('/files');

      await page.getByRole('link', { name: 'one.txt' }).click();
      await page.getByRole('button', { name: 'Metadata' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('textbox').fill('author: <b>Ada</b>\nyear: 1871');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await page.getByText('<b>Ada</b>').waitFor();
      await page.getByRole('button', { name: 'Readers' }).click();
      await dialog.getByLabel('Readers').selectOption('restricted');
      await dialog.getByLabel('Principals who find it').fill('keepers');
      expect(await violations(page)).toEqual([]);
      await dialog.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('definition').filter({ hasText: 'Restricted' }).waitFor();
      const found = async (principals?: string[]): Promise<string[]> =>
        (await program.standard.search({ query: 'gulls at noon', ...(principals && { principals }) })).items.map(
          ({ filename }) => filename,
        );
      expect([(await found()).includes('one.txt'), (await found(['keepers'])).includes('one.txt')]).toEqual([
        false,
        true,
      ]);

      await page.goto('/files');
      for (const name of ['one.txt', 'two.txt']) await page.getByLabel(`Choose ${name}`).check();
      await page.getByText('2 files chosen').waitFor();
      if (folder !== undefined) await page.screenshot({ path: `${folder}/bulk.png` });
      expect(await violations(page)).toEqual([]);
      await page.getByRole('region', { name: 'Chosen files' }).getByRole('button', { name: 'Remove' }).click();
      await dialog.getByRole('textbox').fill('2');
      await dialog.getByRole('button', { name: 'Remove' }).click();
      await page.getByText('Done with 2 files').waitFor();
      await page.getByRole('link', { name: 'one.txt' }).waitFor({ state: 'detached' });
      await page.getByRole('link', { name: 'other.txt' }).waitFor();
      expect(faults).toEqual([]);
      await page.context().close();
    });
  });
