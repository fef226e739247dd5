import type { Page } from 'playwright-core';
import { join, personPassword } from '../api/support/person.ts';
import { content, until } from '../api/support/client.ts';
import { createBucket, putObject } from '../api/support/storage.ts';
import type { RegionView } from '../../models/bucket.ts';
import type { NewCredentialView } from '../../models/storage-credential.ts';
import { startTestProgram, type TestProgram } from '../api/support/program.ts';
import { ownerEnvironment, signIn } from '../api/support/session.ts';
import { skipWithReason } from '../support/servers.ts';
import { makeTestAuthority, type TestAuthority } from '../support/test-authority.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';
import { enter, openChromium, openPage, violations } from './support/dashboard.ts';

const browser = await openChromium();
const folder = process.env['SCREENSHOTS'];
const title = 'the pages of tuning, analytics, connectors and webhooks';

if (typeof browser === 'string') skipWithReason(title, browser);
else
  describe(title, () => {
    let program: TestProgram;
    let authority: TestAuthority;
    let receiver: WebhookReceiver;
    beforeAll(async () => {
      authority = await makeTestAuthority();
      receiver = new WebhookReceiver(await authority.issue());
      await receiver.start();
      program = await startTestProgram({ ...ownerEnvironment, NODE_EXTRA_CA_CERTS: authority.trustFile });
      const files = {
        'holidays.txt': 'Holidays are requested in the portal. Holidays are approved by the manager.',
        'travel.txt': 'Holidays abroad need travel insurance, which the company pays.',
        'car.txt': 'The automobile of the company stands in the garage.',
      };
      for (const [filename, text] of Object.entries(files))
        await program.standard.indexed({ filename, externalId: filename, ...program.source.put(filename, text) });
    });
    afterAll(async () => {
      await browser.close();
      await program.end();
      await receiver.stop();
      authority.remove();
    });

    /** Looks at a page: nothing may be wrong with it, nor stand beside it on a phone. */
    async function look(page: Page, name: string): Promise<void> {
      await page.waitForLoadState('networkidle');
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        // Colours change over a millisecond, which is long on a busy machine.
        await page.evaluate(
          'Promise.all(document.getAnimations().map(({ finished }) => finished.catch(() => null))).then(() => null)',
        );
        if (folder !== undefined)
          await page.screenshot({ path: `${folder}/${name}-${colorScheme}.png`, fullPage: true });
        expect([name, colorScheme, await violations(page)]).toEqual([name, colorScheme, []]);
      }
      const size = page.viewportSize();
      await page.setViewportSize({ width: 360, height: 740 });
      if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}-360.png`, fullPage: true });
      const beside = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
      expect([name, beside]).toEqual([name, 0]);
      await page.setViewportSize(size ?? { width: 1280, height: 800 });
      await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
    }
    const area = (page: Page, name: string): Promise<void> =>
      page.getByRole('navigation').getByRole('link', { name, exact: true }).click();

    it('show what a synonym, a boost and a pin change, side by side', async () => {
      const { page, faults } = await openPage(browser, program.url);
      await enter(page);
      await area(page, 'Tuning');
      await page.getByText('There is no synonym yet.').waitFor();
      await look(page, 'tuning-empty');
      const tried = async (query: string): Promise<void> => {
        await page.getByRole('searchbox', { name: 'Query' }).fill(query);
        await page.getByRole('button', { name: 'Search', exact: true }).click();
      };
      const [before, now] = ['Before the last change', 'Now'].map((name) =>
        page.getByRole('region', { name, exact: true }),
      ) as [ReturnType<Page['getByRole']>, ReturnType<Page['getByRole']>];
      await tried('vehicle');
      await now.getByText('Nothing is found.').waitFor();
      await page.getByLabel('Word', { exact: true }).fill('vehicle');
      await page.getByLabel('Also find').fill('automobile, lorry');
      const form = page.locator('form', { has: page.getByLabel('Also find') });
      await form.getByRole('button', { name: 'Add' }).click();
      await now.getByText('car.txt').waitFor();
      await before.getByText('Nothing is found.').waitFor();
      await now.getByText('new', { exact: true }).waitFor();

      await tried('holidays');
      const names = async (): Promise<string[]> => now.locator('li strong').allTextContents();
      await until(names, (found) => found.length === 2);
      expect(await names()).toEqual(['holidays.txt', 'travel.txt']);
      await now.getByRole('button', { name: 'Pin to the top: travel.txt' }).click();
      await until(names, (found) => found[0] === 'travel.txt');
      await now.getByText('up 1').waitFor();
      expect(await before.locator('li strong').allTextContents()).toEqual(['holidays.txt', 'travel.txt']);
      const boost = page.locator('form', { has: page.getByLabel('Field of metadata') });
      await boost.getByLabel('Name').fill('papers');
      await boost.getByLabel('Kind of file').selectOption('Documents');
      await boost.getByRole('button', { name: 'Add' }).click();
      await page.getByRole('table', { name: 'Boosts' }).getByText('papers').waitFor();
      await look(page, 'tuning');
      const { standard } = program;
      expect(await standard.get(200, 'GET', `${content}/tuning/synonyms`)).toEqual({
        items: [{ term: 'vehicle', expansions: ['automobile', 'lorry'] }],
      });
      expect(await standard.get(200, 'GET', `${content}/tuning/boosts`)).toEqual({
        items: [{ name: 'papers', match: { kind: 'document' }, factor: 2 }],
      });
      for (const name of ['vehicle', 'papers', 'holidays'])
        await page.getByRole('button', { name: `Remove ${name}` }).click();
      await page.getByText('Nothing is pinned yet.').waitFor();
      await page.getByText('There is no boost yet.').waitFor();
      expect(faults).toEqual([]);
      await page.context().close();
    });

    it('show what is searched without a result, and lead to its tuning', async () => {
      const { page, faults } = await openPage(browser, program.url);
      await enter(page);
      for (const query of ['sabbatical', 'sabbatical', 'holidays']) await program.standard.search({ query });
      await until(
        () =>
          program.standard.get<{ withoutResults: { query: string }[] }>(200, 'GET', `${content}/analytics/searches`),
        ({ withoutResults }) => withoutResults.some(({ query }) => query === 'sabbatical'),
      );
      await area(page, 'Search analytics');
      const missing = page.getByRole('table', { name: 'Searched without a result' });
      await missing.getByText('sabbatical').waitFor();
      await look(page, 'search-analytics');
      await missing
        .getByRole('row', { name: /sabbatical/ })
        .getByRole('link', { name: 'Tune' })
        .click();
      await page.getByRole('heading', { name: 'Tuning', level: 1 }).waitFor();
      expect(await page.getByRole('searchbox', { name: 'Query' }).inputValue()).toBe('sabbatical');
      await page.goto('/search-analytics');
      await page.getByLabel('Period').selectOption('7 days');
      await missing.waitFor();
      expect(faults).toEqual([]);
      await page.context().close();
    });

    it('make a collection, fill it, rename it and delete it', async () => {
      const { page, faults } = await openPage(browser, program.url);
      await enter(page);
      await area(page, 'Collections');
      await page.getByText('No collection yet').waitFor();
      await look(page, 'collections-empty');
      await page.getByRole('button', { name: 'New collection' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Name', { exact: true }).fill('Rules über holidays');
      expect(await dialog.getByLabel('ID').inputValue()).toBe('rules-uber-holidays');
      await dialog.getByLabel('Metadata').fill('year: 2026');
      await dialog.getByRole('button', { name: 'Save' }).click();
      const table = page.getByRole('table', { name: 'Collections' });
      await table.getByText('Rules über holidays').waitFor();
      await page.getByRole('button', { name: 'New collection' }).click();
      await dialog.getByLabel('Name', { exact: true }).fill('Rules uber holidays');
      await dialog.getByText('There is a collection with this ID already.').waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('link', { name: 'To the files' }).click();
      await page.getByLabel('Choose holidays.txt').check();
      await page.getByLabel('Choose travel.txt').check();
      await page.getByLabel('Add to a collection').selectOption('Rules über holidays');
      await page.getByText('Done with 2 files').waitFor();
      await page.getByLabel('Choose travel.txt').check();
      await page.getByLabel('Take out of a collection').selectOption('Rules über holidays');
      await page.getByText('Done with 1 file').waitFor();
      await area(page, 'Collections');
      await page.getByRole('button', { name: 'Change Rules über holidays' }).click();
      await dialog.getByLabel('Name', { exact: true }).fill('Holidays');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await table.getByText('Holidays', { exact: true }).waitFor();
      const { items } = await program.standard.get<{ items: object[] }>(200, 'GET', `${content}/collections`);
      expect(items).toMatchObject([
        { externalId: 'rules-uber-holidays', name: 'Holidays', assetCount: 1, metadata: { year: 2026 } },
      ]);
      await look(page, 'collections');
      await page.goto('/files');
      await page.getByRole('link', { name: 'holidays.txt' }).click();
      await page.getByText('About this file').waitFor();
      await page.getByRole('definition').getByText('Holidays', { exact: true }).waitFor();
      await area(page, 'Collections');
      await table.getByRole('link', { name: 'Search in it' }).click();
      await page.waitForURL(/collection=rules-uber-holidays/);
      await area(page, 'Collections');
      await page.getByRole('button', { name: 'Delete Holidays' }).click();
      await dialog.getByLabel(/Type/).fill('Holidays');
      await dialog.getByRole('button', { name: 'Delete' }).click();
      await page.getByText('No collection yet').waitFor();
      expect(faults).toEqual([]);
      await page.context().close();
    });

    it('make a connector, show why its sync failed, change, pause and delete it', async () => {
      const { page, faults } = await openPage(browser, program.url);
      await enter(page);
      await area(page, 'Connectors');
      await page.getByText('No storage is connected yet').waitFor();
      await look(page, 'connectors-empty');
      await page.getByRole('button', { name: 'Connect a storage' }).click();
      const dialog = page.getByRole('dialog');
      const name = 'Papers of the archive';
      await dialog.getByLabel('Kind').selectOption('Canvas');
      await dialog.getByLabel('Address of Canvas').waitFor();
      await dialog.getByLabel('Kind').selectOption('S3');
      await dialog.getByLabel('Name', { exact: true }).fill(name);
      await dialog.getByLabel('Endpoint').fill('http://127.0.0.1:9/?key=1');
      await dialog.getByLabel('Bucket').fill('papers');
      await dialog.getByLabel('Access key ID').fill('k');
      await dialog.getByLabel('Secret access key').fill('secret');
      await dialog.getByRole('button', { name: 'Connect a storage' }).click();
      await dialog.locator('.field-fault').waitFor();
      expect(await dialog.getByLabel('Endpoint').getAttribute('aria-invalid')).toBe('true');
      await look(page, 'connector-form');
      await dialog.getByLabel('Endpoint').fill('http://127.0.0.1:9');
      await dialog.getByRole('button', { name: 'Connect a storage' }).click();
      await page.getByRole('heading', { name, level: 1 }).waitFor();
      await page.getByText('The last sync failed').waitFor({ timeout: 60_000 });
      await page.getByText('papers', { exact: true }).waitFor();
      await look(page, 'connector');
      const saved = async (): Promise<object> => {
        const { items } = await program.standard.get<{ items: object[] }>(200, 'GET', `${content}/connectors`);
        return items[0]!;
      };
      await page.getByRole('button', { name: 'Change' }).click();
      await dialog.getByLabel('Prefix').fill('2026/');
      await dialog.getByLabel('Schedule').selectOption('On request');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await page.getByText('2026/', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Pause' }).click();
      await page.getByText('Paused', { exact: true }).waitFor();
      expect(await page.getByRole('button', { name: 'Sync now' }).isDisabled()).toBe(true);
      expect(await saved()).toMatchObject({
        ...{ name, enabled: false, schedule: 'manual', credentialSet: true, defaultAclMode: 'restricted' },
        config: { endpoint: 'http://127.0.0.1:9', prefix: '2026/', region: 'us-east-1', accessKeyId: 'k' },
      });
      await page.getByRole('button', { name: 'Go on' }).click();
      await page.getByRole('button', { name: 'Sync now', disabled: false }).waitFor();
      await page.getByRole('link', { name: 'All connectors' }).click();
      await page.getByRole('table', { name: 'Connectors' }).getByText('Failed').waitFor();
      await look(page, 'connectors');
      await page.getByRole('link', { name }).click();
      await page.getByRole('button', { name: 'Delete' }).click();
      await dialog.getByLabel(/Type/).fill(name);
      await dialog.getByRole('button', { name: 'Delete' }).click();
      await page.getByText('No storage is connected yet').waitFor();
      expect(faults).toEqual([]);
      await page.context().close();
    });

    it('say which files of a connector could not be read, though the sync went well', async () => {
      const { admin, standard } = program;
      const session = await signIn(program);
      const bucket = await createBucket(admin);
      await putObject(standard, bucket.id, 'damaged.pdf', Buffer.from('no pages'), { contentType: 'application/pdf' });
      const key = await session.get<NewCredentialView>(201, 'POST', `${content}/storage-credentials`, {
        body: { name: 'archive', kind: 's3', permissions: ['read'], bucketIds: [bucket.id] },
      });
      const { items } = await admin.get<{ items: RegionView[] }>(200, 'GET', `${content}/regions`);
      const { connectorId } = await admin.get<{ connectorId: string }>(201, 'POST', `${content}/connectors`, {
        body: {
          ...{ kind: 's3', name: 'Archive', credential: key.secret, defaultAclMode: 'open' },
          config: {
            ...{ endpoint: items[0]?.endpoints.s3, bucket: bucket.name, region: 'us-east-1' },
            accessKeyId: key.accessKeyId,
          },
        },
      });
      const { page } = await openPage(browser, program.url);
      await enter(page, `/connectors/${connectorId}`);
      await page.getByRole('heading', { level: 1, name: 'Archive' }).waitFor();
      await admin.get(202, 'POST', `${content}/connectors/${connectorId}/sync`);
      // The page is not loaded again.
      await page.getByText('document_unreadable').waitFor({ timeout: 60_000 });
      await area(page, 'Connectors');
      await page.getByRole('table').getByText('1 file failed').waitFor();
      await page.getByRole('link', { name: 'Archive' }).click();
      await page.getByText('document_unreadable').waitFor();
      await look(page, 'connector-unread');
      await page.getByRole('link', { name: 'damaged.pdf' }).click();
      await page.getByRole('heading', { level: 1, name: 'damaged.pdf' }).waitFor();
      await page.context().close();
      await admin.ask('DELETE', `${content}/connectors/${connectorId}`);
    });

    it('add an endpoint, test it, send again, rotate its secret and delete it', async () => {
      const { page, faults } = await openPage(browser, program.url);
      await enter(page);
      await area(page, 'Webhooks');
      await page.getByText('No program is told yet').waitFor();
      await look(page, 'webhooks-empty');
      await page.getByRole('button', { name: 'Add an endpoint' }).click();
      const dialog = page.getByRole('dialog');
      const url = receiver.url('/videos');
      await dialog.getByLabel('Address').fill(url);
      await dialog.getByLabel('video.playable').uncheck();
      await dialog.getByRole('button', { name: 'Add an endpoint' }).click();
      const secret = await dialog.getByLabel('The signing secret').inputValue();
      expect(secret).toMatch(/^whsec_/);
      await dialog.getByRole('button', { name: 'Done' }).click();
      await look(page, 'webhooks');
      await page.getByRole('link', { name: url }).click();
      await page.getByText('Nothing was sent yet').waitFor();
      await page.getByRole('button', { name: 'Send a test event' }).click();
      const sent = page.getByRole('table', { name: 'Deliveries of the last 30 days' });
      await sent.getByText('Delivered').waitFor({ timeout: 60_000 });
      expect(receiver.at('/videos')).toHaveLength(1);
      await sent.getByRole('button', { name: 'Details of webhook.ping' }).click();
      expect(await page.evaluate('document.activeElement.textContent')).toBe('Done');
      await dialog.getByLabel('What is sent').waitFor();
      expect(JSON.parse(await dialog.getByLabel('What is sent').inputValue())).toEqual(
        JSON.parse(receiver.at('/videos')[0]?.body ?? ''),
      );
      await dialog
        .getByText(/\d:\d\d:\d\d/)
        .first()
        .waitFor();
      await look(page, 'webhook-delivery');
      await page.keyboard.press('Escape');
      await sent.getByRole('button', { name: 'Send again' }).click();
      await until(
        () => Promise.resolve(receiver.at('/videos').length),
        (count) => count === 2,
      );
      await page.getByRole('button', { name: 'New secret' }).click();
      await dialog.getByRole('button', { name: 'New secret' }).click();
      expect(await dialog.getByLabel('The signing secret').inputValue()).not.toBe(secret);
      await dialog.getByRole('button', { name: 'Done' }).click();
      await page.getByText('Signed with two secrets until').waitFor();
      await page.getByRole('button', { name: 'Deactivate' }).click();
      await page.getByText('Inactive', { exact: true }).waitFor();
      await look(page, 'webhook');
      await page.getByRole('button', { name: 'Delete' }).click();
      await dialog.getByLabel(/Type/).fill(url);
      await dialog.getByRole('button', { name: 'Delete' }).click();
      await page.getByText('No program is told yet').waitFor();
      expect(faults).toEqual([]);
      await page.context().close();
    });

    it('offer a reader nothing that they may not do', async () => {
      await join(await signIn(program), 'reader', 'reads@example.com');
      const { page } = await openPage(browser, program.url);
      await page.goto('/');
      await page.getByLabel('E-mail address').fill('reads@example.com');
      await page.getByLabel('Password').fill(personPassword);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('main').and(page.locator('#main')).waitFor();
      for (const [path, heading] of [
        ['/tuning?q=holidays', 'Tuning'],
        ['/webhooks', 'Webhooks'],
        ['/connectors', 'Connectors'],
        ['/collections', 'Collections'],
      ] as const) {
        await page.goto(path);
        await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
        await page.waitForLoadState('networkidle');
        for (const name of [/^Pin/, /^Add/, /^Remove/, /^Connect/, /^New/])
          expect(await page.getByRole('button', { name }).count()).toBe(0);
      }
      await page.context().close();
    });
  });
