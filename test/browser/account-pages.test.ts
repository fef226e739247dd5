import type { Page } from 'playwright-core';
import { hotp, totpStep } from '../../models/totp.ts';
import { join, personPassword } from '../api/support/person.ts';
import { startTestProgram, type TestProgram } from '../api/support/program.ts';
import { ownerEnvironment, signIn } from '../api/support/session.ts';
import { secretBytes } from '../contract/support/asker-people.ts';
import { skipWithReason } from '../support/servers.ts';
import { enter, look, openChromium, openPage } from './support/dashboard.ts';

const browser = await openChromium();
const folder = process.env['SCREENSHOTS'];

if (typeof browser === 'string') skipWithReason('the pages of accounts in a browser', browser);
else
  describe('the pages of accounts', () => {
    let program: TestProgram;
    beforeAll(async () => {
      program = await startTestProgram(ownerEnvironment);
    });
    afterAll(async () => {
      await browser.close();
      await program.end();
    });

    const area = (page: Page, name: string): Promise<void> =>
      page.getByRole('navigation').getByRole('link', { name, exact: true }).click();

    it('invite a colleague with less rights, who accepts and sees no more than that', async () => {
      const { page, faults } = await openPage(browser, program.url);
      await enter(page);
      await area(page, 'People');
      await page.getByRole('button', { name: 'Invite somebody' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('E-mail address').fill('reader@example.com');
      await dialog.getByRole('button', { name: 'Make an invitation' }).click();
      const link = await dialog.getByLabel('Link of the invitation').inputValue();
      await look(page, 'invitation-link');
      await dialog.getByRole('button', { name: 'Done' }).click();
      await page.getByText('reader@example.com').waitFor();
      await look(page, 'people');

      const guest = await openPage(browser, program.url);
      await guest.page.goto(link);
      await guest.page.getByRole('heading', { name: 'Welcome to Organization' }).waitFor();
      await look(guest.page, 'invitation');
      await guest.page.getByLabel('New password').fill(personPassword);
      await guest.page.getByRole('button', { name: 'Accept and sign in' }).click();
      await guest.page.getByRole('heading', { name: 'Search', level: 1 }).waitFor();
      await guest.page.waitForLoadState('networkidle');
      const names = await guest.page.getByRole('navigation').getByRole('link').allTextContents();
      for (const hidden of ['People', 'API keys', 'Audit', 'Organizations', 'Health'])
        expect(names).not.toContain(hidden);
      const asked: string[] = [];
      guest.page.on('request', (request) => asked.push(new URL(request.url()).pathname));
      for (const path of ['/people', '/api-keys', '/audit', '/organizations']) {
        await guest.page.goto(path);
        await guest.page.getByText('This is not for your role').waitFor();
      }
      expect(asked.filter((path) => /people|api-keys|audit|sub-org/.test(path) && path.startsWith('/api/'))).toEqual(
        [],
      );
      await guest.page.goto('/settings');
      await guest.page.getByText('Days for which the text of queries is kept').waitFor();
      expect(await guest.page.getByRole('button', { name: /^Change/ }).count()).toBe(0);
      await look(guest.page, 'settings-of-a-reader');
      expect(guest.faults).toEqual([]);

      await page.reload();
      await page.getByLabel('Role of reader@example.com').selectOption('editor');
      await page.getByText('reader@example.com was changed').waitFor();
      const row = page.getByRole('row', { name: /reader@example.com/ });
      await row.getByRole('button', { name: 'Deactivate' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Deactivate' }).click();
      await row.getByText('Deactivated').waitFor();
      await guest.page.goto('/files');
      await guest.page.getByRole('heading', { name: 'Sign in' }).waitFor();
      expect(faults).toEqual([]);
      await guest.page.context().close();
      await page.context().close();
    });

    it('turn a second factor on, sign in with it and with a recovery code, and turn it off', async () => {
      const person = await join(await signIn(program), 'reader', 'factor@example.com');
      const { page, faults } = await openPage(browser, program.url);
      const fill = async (): Promise<void> => {
        await page.getByLabel('E-mail address').fill(person.email);
        await page.getByLabel('Password').fill(personPassword);
        await page.getByRole('button', { name: 'Sign in' }).click();
      };
      await page.goto('/profile');
      await fill();
      await page.getByRole('button', { name: 'Turn it on' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Current password').fill('wrong');
      await page.keyboard.press('Enter');
      await dialog.getByText('The password is not right.').waitFor();
      await dialog.getByLabel('Current password').fill(personPassword);
      await page.keyboard.press('Enter');
      const secret = secretBytes(await dialog.getByLabel('Secret for the app').inputValue());
      await look(page, 'second-factor');
      await dialog.getByLabel('Code of the app').fill(hotp(secret, totpStep(Date.now()) - 1));
      await page.keyboard.press('Enter');
      await dialog.getByText('Each of them lets you in once').waitFor();
      const [recovery = ''] = await dialog.getByRole('listitem').allTextContents();
      await dialog.getByRole('button', { name: 'I have kept them' }).click();
      await page.getByText('It is on. Recovery codes left: 10.').waitFor();
      await look(page, 'profile');
      await page.getByRole('button', { name: person.email }).click();
      await page.getByRole('menuitem', { name: 'Sign out' }).click();
      await fill();
      await page.getByLabel('Code of your second factor').fill('000000');
      await page.keyboard.press('Enter');
      await page.getByText('The code is not right').waitFor();
      await look(page, 'sign-in-code');
      await page.getByLabel('Code of your second factor').fill(hotp(secret, totpStep(Date.now()) + 1));
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Search', level: 1 }).waitFor();
      await page.goto('/profile');
      await page.getByRole('button', { name: 'Turn it off' }).click();
      await dialog.getByLabel('Current password').fill(personPassword);
      await dialog.getByLabel('Code of the app, or a recovery code').fill(recovery);
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Turn it on' }).waitFor();
      await page.getByRole('button', { name: 'End all others' }).click();
      await page.getByText('The session is over').waitFor();
      expect(faults).toEqual([]);
      await page.context().close();
    });

    it('rotate and replace keys, make a sub-organization, change a setting, and find all of it in the audit', async () => {
      const { page, faults } = await openPage(browser, program.url);
      await enter(page);
      await area(page, 'API keys');
      const row = page.getByRole('row', { name: /First standard key/ });
      await row.getByRole('button', { name: 'Rotate' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', { name: 'Rotate' }).click();
      expect(await dialog.getByLabel('The key').inputValue()).toMatch(/^ply_[\w-]{43}$/);
      await look(page, 'key');
      await dialog.getByRole('button', { name: 'Done' }).click();
      await row.getByText(/The former key works until/).waitFor();
      await row.getByRole('button', { name: 'Deactivate' }).click();
      const sure = dialog.getByRole('button', { name: 'Deactivate' });
      expect(await sure.isDisabled()).toBe(true);
      await dialog.getByLabel('Type First standard key to confirm').fill('First standard key');
      await sure.click();
      await row.getByText('Deactivated').waitFor();
      await look(page, 'keys');

      await area(page, 'Organizations');
      await page.getByRole('button', { name: 'Create a sub-organization' }).click();
      await dialog.getByLabel('Name').fill('Branch <script>alert(1)</script>');
      await dialog.getByRole('button', { name: 'Create a sub-organization' }).click();
      await page.getByText('Branch <script>alert(1)</script> was saved').waitFor();
      await look(page, 'organizations');

      await area(page, 'Settings');
      await page.getByRole('button', { name: /^Change: Days for which/ }).click();
      await dialog.getByLabel('Days for which the text of queries is kept').fill('30');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('listitem').filter({ hasText: 'Days for which' }).getByText('Own').waitFor();
      await look(page, 'settings');

      await area(page, 'Audit');
      await page.getByRole('cell', { name: 'api_key.rotated' }).waitFor();
      await look(page, 'audit');
      await page.getByLabel('Action').selectOption('sub_organization.created');
      expect(await page.getByRole('cell', { name: 'api_key.rotated' }).count()).toBe(0);

      await area(page, 'Usage and plan');
      await page.getByRole('heading', { name: 'Lines of the month' }).waitFor();
      await page.getByText('No month was closed yet.').waitFor();
      await look(page, 'usage');
      await area(page, 'Health');
      await page.getByText(/^Version \d/).waitFor();
      await look(page, 'health');
      expect(faults).toEqual([]);
      await page.context().close();
    });

    it('have no violations in the dark theme, and fit a screen of 360 pixels', async () => {
      const { page } = await openPage(browser, program.url, 'dark');
      await enter(page);
      const paths = ['/people', '/api-keys', '/organizations', '/audit', '/usage', '/settings', '/status', '/profile'];
      for (const path of paths) {
        await page.goto(path);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await look(page, `dark${path.replace('/', '-')}`);
      }
      await page.setViewportSize({ width: 360, height: 740 });
      for (const path of paths) {
        await page.goto(path);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await page.waitForLoadState('networkidle');
        if (folder !== undefined) await page.screenshot({ path: `${folder}/narrow${path.replace('/', '-')}.png` });
        expect([path, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([path, 360]);
      }
      await page.context().close();
    });
  });
