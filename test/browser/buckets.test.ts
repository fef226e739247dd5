import type { Page } from 'playwright-core';
import { join, personPassword } from '../api/support/person.ts';
import { startTestProgram, type TestProgram } from '../api/support/program.ts';
import { ownerEnvironment, signIn } from '../api/support/session.ts';
import { skipWithReason } from '../support/servers.ts';
import { enter, look, openChromium, openPage } from './support/dashboard.ts';

const browser = await openChromium();
/** What would run if any of it were read as HTML. */
const hostile = '<img src=x onerror=document.title="owned">';

if (typeof browser === 'string') skipWithReason('the pages of buckets in a browser', browser);
else
  describe('the pages of buckets', () => {
    let program: TestProgram;
    beforeAll(async () => {
      program = await startTestProgram(ownerEnvironment);
    });
    afterAll(async () => {
      await browser.close();
      await program.end();
    });
    const tab = (page: Page, name: string): Promise<void> =>
      page.getByRole('navigation', { name: 'Parts of the bucket' }).getByRole('link', { name, exact: true }).click();

    it('create a bucket, fill it, hand out a link, delete it by its name and bring it back', async () => {
      const { page, faults } = await openPage(browser, program.url);
      await enter(page, '/buckets');
      await page.getByRole('heading', { name: 'No buckets yet' }).waitFor();
      await look(page, 'buckets-none');
      await page.getByRole('button', { name: 'Create a bucket' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Name').fill('Holiday Films');
      await dialog.getByText('with a letter or digit at both ends').waitFor();
      await dialog.getByLabel('Name').fill('holiday-films');
      await dialog.getByText('Free. Files will be at holiday-films.').waitFor();
      await look(page, 'bucket-create');
      await dialog.getByRole('button', { name: 'Create a bucket' }).click();
      await page.getByRole('heading', { name: 'holiday-films', level: 1 }).waitFor();
      await page.getByRole('heading', { name: 'Nothing here yet' }).waitFor();

      const file = (name: string, text: string): { name: string; mimeType: string; buffer: Buffer } => ({
        name,
        mimeType: 'text/plain',
        buffer: Buffer.from(text),
      });
      const drop = page.locator('input[type=file]');
      const strange = `gulls ${hostile.replace(/[/"]/g, '')}.txt`;
      await drop.setInputFiles([file(strange, hostile), file('terns.txt', 'terns')]);
      await page.getByRole('table').getByRole('link', { name: 'terns.txt' }).waitFor();
      await page.getByRole('table').getByRole('link', { name: 'gulls' }).waitFor();
      await drop.setInputFiles([file('terns.txt', 'again')]);
      await page.getByText(/^Failed · /).waitFor();
      await look(page, 'bucket');

      await page.getByRole('link', { name: 'gulls' }).click();
      await page.getByRole('heading', { name: strange, level: 2 }).waitFor();
      await page.getByRole('button', { name: 'Edit metadata' }).click();
      await dialog.getByLabel('Metadata').fill('[]');
      await dialog.getByText('This is not a JSON object.').waitFor();
      await dialog.getByLabel('Metadata').fill(JSON.stringify({ season: hostile }));
      await dialog.getByRole('button', { name: 'Save' }).click();
      await page.getByText('season').waitFor();
      await page.getByLabel('Works for').selectOption('day');
      await page.getByRole('button', { name: 'Make a link' }).click();
      const link = new URL(await page.getByLabel('The link', { exact: true }).inputValue());
      expect([link.hostname, link.searchParams.get('kid')]).toEqual([
        expect.stringMatching(/^holiday-films\./),
        expect.stringMatching(/^.{8}$/),
      ]);
      await page.getByRole('img', { name: 'QR code of the link' }).waitFor();
      await look(page, 'object');
      expect([await page.title(), await page.locator('img').count()]).toEqual(['Ply', 0]);
      await page.getByRole('button', { name: 'Delete the file' }).click();
      await dialog.getByRole('textbox').fill(strange);
      await dialog.getByRole('button', { name: 'Delete the file' }).click();
      await page.getByText(/was deleted$/).waitFor();
      await page.getByRole('table').getByRole('link', { name: 'terns.txt' }).waitFor();
      await page.getByRole('table').getByRole('link', { name: 'gulls' }).waitFor({ state: 'detached' });

      await tab(page, 'Links');
      await page.getByRole('button', { name: 'Show the key' }).click();
      const key = page.getByLabel('Key', { exact: true });
      const former = await key.inputValue();
      await look(page, 'links');
      await page.getByRole('button', { name: 'Rotate the key' }).click();
      await dialog.getByRole('textbox').fill('holiday-films');
      await dialog.getByRole('button', { name: 'Rotate the key' }).click();
      await page.getByText('There is a new key').waitFor();
      await page.locator(`input[value="${former}"]`).waitFor({ state: 'detached' });

      await page.getByRole('button', { name: 'Delete the bucket' }).click();
      const sure = dialog.getByRole('button', { name: 'Delete the bucket' });
      expect(await sure.isDisabled()).toBe(true);
      await dialog.getByRole('textbox').fill('holiday-films');
      await sure.click();
      await page.getByText('It can be restored until').waitFor();
      await look(page, 'bucket-deleted');
      await page.getByRole('button', { name: 'Restore' }).click();
      await page.getByText('holiday-films is back').waitFor();
      await tab(page, 'Files');
      await page.getByRole('link', { name: 'terns.txt' }).waitFor();
      expect(faults).toEqual([]);
      await page.context().close();
    });

    it('change settings one by one and cache rules together; what is refused names its field', async () => {
      const session = await signIn(program);
      await session.ask('POST', '/api/content/v1/buckets', {
        body: { name: 'plain-settings', region: 'in-west' },
        headers: { 'Idempotency-Key': 'settings' },
      });
      const { page, faults } = await openPage(browser, program.url);
      await enter(page, '/buckets');
      await page.getByRole('link', { name: 'plain-settings' }).click();
      await tab(page, 'Settings');
      const dialog = page.getByRole('dialog');
      const row = (name: string): ReturnType<Page['getByRole']> =>
        page.getByRole('listitem').filter({ has: page.getByRole('heading', { name, exact: true }) });
      const change = (name: string): Promise<void> => page.getByRole('button', { name: `Change: ${name}` }).click();
      await change('Countries that files are delivered to');
      await dialog.getByRole('textbox').fill('de\nxx');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.getByText(/Please check: .*countriesAllow/).waitFor();
      await look(page, 'bucket-setting-refused');
      await dialog.getByRole('textbox').fill('de\nfr');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await row('Countries that files are delivered to').getByText('DE\nFR').waitFor();
      await change('Who can read');
      await dialog.getByRole('combobox').selectOption('public');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await row('Who can read').getByText('Everybody', { exact: true }).waitFor();
      await change('Rules for some files');
      await dialog.getByRole('button', { name: 'Add a rule' }).click();
      await dialog.getByLabel('Whose path begins with').fill('images/');
      await dialog.getByLabel('Seconds that the edges keep a copy').fill('60');
      await look(page, 'cache-rules');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await row('Rules for some files').getByText('1 rule').waitFor();
      await look(page, 'bucket-settings');
      await change('Countries that files are delivered to');
      await dialog.getByRole('button', { name: 'Back to the default' }).click();
      await row('Countries that files are delivered to').getByText('None', { exact: true }).waitFor();
      expect(faults).toEqual([]);
      await page.context().close();
    });

    it('browse ten thousand files by folders, with few of them in the page', async () => {
      const bucketId = await program.admin
        .ask<{ items: { id: string }[] }>('GET', '/api/content/v1/buckets')
        .then(({ body }) => body.items[0]?.id ?? '');
      const { page, faults } = await openPage(browser, program.url);
      const at = '2026-01-01T00:00:00Z';
      const keys = [
        ...Array.from({ length: 4000 }, (_, index) => `archive/${String(index).padStart(5, '0')}.txt`),
        ...Array.from({ length: 6000 }, (_, index) => `film ${String(index).padStart(5, '0')}.txt`),
      ];
      await page.route(/\/objects\?/, (route) => {
        const asked = new URL(route.request().url()).searchParams;
        const found = keys.filter((key) => key.startsWith(asked.get('prefix') ?? ''));
        const start = Number(asked.get('cursor') ?? 0);
        const end = start + Number(asked.get('limit'));
        return route.fulfill({
          json: {
            items: found.slice(start, end).map((key) => ({
              ...{ id: key, key, bucketId, size: 1, contentType: 'text/plain', state: 'stored', metadata: {} },
              ...{ createdAt: at, updatedAt: at, createdVia: 'plycdn', etag: '""', sha256: null },
              checksumState: 'not_requested',
            })),
            nextCursor: end < found.length ? String(end) : null,
          },
        });
      });
      await enter(page, `/buckets/${bucketId}`);
      await page.getByText('4,000 files').waitFor();
      const table = page.getByRole('table');
      const last = table.getByRole('link', { name: 'film 05999.txt' });
      while ((await last.count()) === 0)
        await page.evaluate(`new Promise((resolve) => {
          document.querySelector('[role=table]').scrollTo(0, 1e9);
          requestAnimationFrame(resolve);
        })`);
      expect(await table.getByRole('row').count()).toBeLessThan(60);
      const frames = await page.evaluate(`new Promise((resolve) => {
        const table = document.querySelector('[role=table]');
        const pauses = [];
        let before = performance.now();
        let step = 0;
        const move = (now) => {
          pauses.push(now - before);
          before = now;
          table.scrollTo(0, (step += 1) * 4000);
          if (step < 60) requestAnimationFrame(move); else resolve(pauses.sort((one, other) => one - other));
        };
        requestAnimationFrame(move);
      })`);
      expect((frames as number[])[30]).toBeLessThan(200);
      await page.evaluate(`document.querySelector('[role=table]').scrollTo(0, 0)`);
      await table.getByRole('link', { name: 'archive' }).click();
      await table.getByRole('link', { name: '00000.txt' }).waitFor();
      expect(new URL(page.url()).searchParams.get('prefix')).toBe('archive/');
      await page.getByLabel('Begins with').fill('0123');
      await table.getByRole('link', { name: '01230.txt' }).waitFor();
      await page.reload();
      await table.getByRole('link', { name: '01230.txt' }).waitFor();
      await look(page, 'objects-of-a-folder');
      await page.getByRole('navigation', { name: 'Path' }).getByRole('link', { name: 'All files' }).click();
      await table.getByRole('link', { name: 'archive' }).waitFor();
      expect(faults).toEqual([]);
      await page.context().close();
    });

    it('show readers what they may read, and nothing to change', async () => {
      const person = await join(await signIn(program), 'reader', 'reader@example.com');
      const { page } = await openPage(browser, program.url);
      const asked: string[] = [];
      page.on('request', (request) => asked.push(new URL(request.url()).pathname));
      await enter(page, '/buckets', { email: person.email, password: personPassword });
      await page.getByRole('link', { name: 'holiday-films' }).click();
      await page.getByRole('link', { name: 'terns.txt' }).waitFor();
      for (const name of ['Add files', 'Delete the bucket', 'Create a bucket'])
        expect(await page.getByRole('button', { name }).count()).toBe(0);
      await page.getByRole('link', { name: 'terns.txt' }).click();
      await page.getByRole('button', { name: 'Make a link' }).click();
      await page.getByLabel('The link', { exact: true }).waitFor();
      expect(await page.getByRole('button', { name: /Delete|Edit|Remove/ }).count()).toBe(0);
      await tab(page, 'Links');
      await page.getByRole('button', { name: 'Make a link' }).waitFor();
      await tab(page, 'Settings');
      await page.getByRole('heading', { name: 'Who can read' }).waitFor();
      expect(await page.getByRole('button', { name: /^Change/ }).count()).toBe(0);
      expect(asked.filter((path) => path.includes('signing-profile'))).toEqual([]);
      await page.context().close();
    });

    it('have no violations in the dark theme, and fit a screen of 360 pixels', async () => {
      const { body } = await program.admin.ask<{ items: { id: string }[] }>('GET', '/api/content/v1/buckets');
      const bucket = `/buckets/${body.items[0]?.id ?? ''}`;
      const objects = await program.admin.ask<{ items: { id: string }[] }>('GET', `/api/content/v1${bucket}/objects`);
      const { page } = await openPage(browser, program.url, 'dark');
      await enter(page);
      const object = `${bucket}/objects/${objects.body.items[0]?.id ?? ''}`;
      const paths = ['/buckets', bucket, object, `${bucket}/links`, `${bucket}/settings`];
      for (const [index, path] of paths.entries()) {
        await page.goto(path);
        await page.getByRole('heading', { level: 2 }).or(page.getByRole('table')).first().waitFor();
        await look(page, `dark-bucket-${index}`);
      }
      await page.setViewportSize({ width: 360, height: 740 });
      for (const [index, path] of paths.entries()) {
        await page.goto(path);
        await page.getByRole('heading', { level: 2 }).or(page.getByRole('table')).first().waitFor();
        await look(page, `narrow-bucket-${index}`);
        expect([path, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([path, 360]);
      }
      await page.context().close();
    });
  });
