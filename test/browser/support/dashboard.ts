import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';
import { ensureProgram } from '../../../scripts/setup/system.ts';
import { projectRoot } from '../../../scripts/setup/paths.mjs';
import { owner } from '../../api/support/session.ts';

const axePath = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** Debian's Chromium, driven by Playwright; why it is not available as text. */
export async function openChromium(): Promise<Browser | string> {
  if (!existsSync(join(projectRoot, 'web/dist/index.html')))
    return 'the dashboard is not built: node scripts/setup/ensure-dashboard.mjs';
  const present = await ensureProgram(['chromium', '--version'], ['chromium']);
  if (!present.ok) return `Chromium is not available: ${present.reason}`;
  return chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--autoplay-policy=no-user-gesture-required'],
  });
}

/** A page with what went wrong in it: errors of scripts, and what the content security policy refused. */
export interface WatchedPage {
  page: Page;
  faults: string[];
}

/** Opens a page at 1280 by 800 in English. The theme is light, and the device in UTC, unless they say otherwise. */
export async function openPage(
  browser: Browser,
  url: string,
  theme: 'light' | 'dark' = 'light',
  timezoneId = 'UTC',
): Promise<WatchedPage> {
  const context = await browser.newContext({
    baseURL: url,
    viewport: { width: 1280, height: 800 },
    locale: 'en-GB',
    timezoneId,
    colorScheme: theme,
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    if (/content security policy|warning:/i.test(message.text())) faults.push(message.text());
  });
  return { page, faults };
}

/** Signs somebody in, the owner if left out, and waits for the first page. */
export async function enter(
  page: Page,
  path = '/',
  person: { email: string; password: string } = owner,
): Promise<void> {
  await page.goto(path);
  await page.getByLabel('E-mail address').fill(person.email);
  await page.getByLabel('Password').fill(person.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('main').and(page.locator('#main')).waitFor();
}

/** What axe-core finds wrong in a page, as rule and place. */
export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(readFileSync(axePath, 'utf8'));
  return page.evaluate(`axe.run().then(({ violations }) => violations.map(
    ({ id, nodes }) => id + ': ' + nodes.map(({ target, failureSummary }) => target.join(' ') + ' ' + failureSummary).join(' | ')))`);
}

/** Looks at a page: nothing may be wrong with it. With `SCREENSHOTS` in the environment, a picture is kept there. */
export async function look(page: Page, name: string): Promise<void> {
  await page.waitForLoadState('networkidle');
  const folder = process.env['SCREENSHOTS'];
  if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
  expect([name, await violations(page)]).toEqual([name, []]);
}
