import { until } from '../api/support/client.ts';
import { ownerEnvironment } from '../api/support/session.ts';
import { startTestProgram, type TestProgram } from '../api/support/program.ts';
import { skipWithReason } from '../support/servers.ts';
import { enter, openChromium, openPage, violations } from './support/dashboard.ts';

const browser = await openChromium();

if (typeof browser === 'string') skipWithReason('the dashboard in a browser', browser);
else
  describe('the dashboard', () => {
    let program: TestProgram;
    beforeAll(async () => {
      program = await startTestProgram(ownerEnvironment);
    });
    afterAll(async () => {
      await browser.close();
      await program.end();
    });

    it('signs in, leads to the page that was asked for, and signs out', async () => {
      const { page, faults } = await openPage(browser, program.url);
      await page.goto('/files');
      await page.getByLabel('E-mail address').fill('owner@example.com');
      await page.getByLabel('Password').fill('wrong');
      await page.keyboard.press('Enter');
      await page.getByText('do not belong together').waitFor();
      expect(await violations(page)).toEqual([]);
      await enter(page, '/files');
      await page.getByRole('heading', { name: 'Files', level: 1 }).waitFor();
      await page.reload();
      await page.getByRole('heading', { name: 'Files', level: 1 }).waitFor();
      await page.getByRole('button', { name: 'owner@example.com' }).click();
      await page.getByRole('menuitem', { name: 'Sign out' }).click();
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      expect(await page.context().cookies()).toEqual([]);
      expect(faults).toEqual([]);
      await page.context().close();
    });

    it('does not lead to other sites after signing in', async () => {
      const { page } = await openPage(browser, program.url);
      await enter(page, '/sign-in?next=//example.com/');
      expect(new URL(page.url()).origin).toBe(program.url);
      await page.context().close();
    });

    it.each(['light', 'dark'] as const)(
      'has no accessibility violations in the %s theme, on any page',
      async (theme) => {
        const { page, faults } = await openPage(browser, program.url, theme);
        await enter(page);
        const links = page.getByRole('navigation').getByRole('link');
        const names = await links.allTextContents();
        expect(names).toEqual(expect.arrayContaining(['Search', 'Files']));
        let shown = '';
        for (const name of names) {
          await links.filter({ hasText: name }).first().click();
          // The heading of the page before is there until the next one is loaded.
          const headings = await until(
            () => page.locator('h1').allTextContents(),
            (texts) => texts.length === 1 && texts[0] !== shown,
          );
          shown = headings[0] ?? '';
          await page.waitForLoadState('networkidle');
          expect([name, await violations(page)]).toEqual([name, []]);
        }
        expect(faults).toEqual([]);
        await page.context().close();
      },
    );

    it('fits a screen of 360 pixels', async () => {
      const { page } = await openPage(browser, program.url);
      await page.setViewportSize({ width: 360, height: 740 });
      await enter(page);
      for (const path of ['/search', '/files']) {
        await page.goto(path);
        await page.getByRole('heading', { level: 1 }).waitFor();
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
      }
      await page.getByRole('button', { name: 'Open the menu' }).click();
      await page.getByRole('link', { name: 'Search', exact: true }).click();
      await page.getByRole('heading', { name: 'Search', level: 1 }).waitFor();
      await page.context().close();
    });
  });
