import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { content, until } from '../api/support/client.ts';
import type { Page } from 'playwright-core';
import { clip } from '../api/support/clips.ts';
import { startTestProgram, type TestProgram } from '../api/support/program.ts';
import { ownerEnvironment } from '../api/support/session.ts';
import { freePort } from '../servers/ports.ts';
import { skipWithReason } from '../support/servers.ts';
import { enter, look, openChromium, openPage } from './support/dashboard.ts';

const browser = await openChromium();
/** The film of the page, in its scripts. */
const film = `document.querySelector('video')`;

/** Plays the film of a page, and waits until its time has moved on. */
async function plays(page: Page): Promise<void> {
  await page.evaluate(`${film}.muted = true, ${film}.play()`);
  await until(
    () => page.evaluate<number>(`${film}.currentTime`),
    (seconds) => seconds >= 0.5,
  );
}

if (typeof browser === 'string') skipWithReason('the pages of videos in a browser', browser);
else
  describe('the pages of videos', () => {
    let program: TestProgram;
    beforeAll(async () => {
      program = await startTestProgram({
        ...ownerEnvironment,
        PLY_DELIVERY_PORT: String(await freePort()),
        PLY_ENCODER_THREADS: '1',
      });
    });
    afterAll(async () => {
      await browser.close();
      await program.end();
    });

    it('create a library, encode a film, play it, and delete it by its title', async () => {
      const { page, faults } = await openPage(browser, program.url);
      page.setDefaultTimeout(120_000);
      await enter(page, '/libraries');
      await page.getByRole('button', { name: 'Create a library' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Name').fill('films-at-home');
      await dialog.getByText('Free.').waitFor();
      await dialog.getByRole('button', { name: 'Create a library' }).click();
      await page.getByRole('heading', { name: 'films-at-home', level: 1 }).waitFor();
      const tabs = page.getByRole('navigation', { name: 'Parts of the library' });
      await tabs.getByRole('link', { name: 'Settings' }).click();
      await page.getByRole('button', { name: 'Change: Qualities' }).click();
      for (const height of ['480', '720', '1080', '1440', '2160'])
        await dialog.getByLabel(height, { exact: true }).uncheck();
      for (const height of ['240', '360']) await dialog.getByLabel(height, { exact: true }).check();
      await dialog.getByRole('button', { name: 'Save' }).click();
      const row = page.getByRole('listitem').filter({ hasText: 'Qualities' });
      await row.getByText('240, 360').waitFor();
      await row.getByText('Of this library').waitFor();
      await page
        .getByRole('listitem')
        .filter({ hasText: 'Keep the original' })
        .getByText('From the deployment')
        .waitFor();
      await look(page, 'library-settings');
      await tabs.getByRole('link', { name: 'Videos' }).click();
      await page.getByRole('heading', { name: 'No videos yet' }).waitFor();

      const file = join(program.folder, 'gulls.mp4');
      writeFileSync(file, await clip({ seconds: 4, size: '640x360', rate: 25 }, ['-crf', '35']));
      const notes = join(program.folder, 'notes.txt');
      writeFileSync(notes, 'no film');
      // The tab is closed before the film has arrived: the same file then goes on as the same video.
      const tab = await page.context().newPage();
      await tab.goto(page.url());
      await tab.route(
        () => true,
        (route) => (route.request().method() === 'PUT' ? route.abort() : route.continue()),
      );
      const stopped = tab.waitForEvent('requestfailed', (request) => request.method() === 'PUT');
      await tab.locator('input[type=file]').setInputFiles(file);
      await stopped;
      await tab.close();
      await page.locator('input[type=file]').setInputFiles([file, notes]);
      await page.getByText(/^Failed · /).waitFor();
      await page.getByRole('table').getByText('Ready').waitFor();
      await look(page, 'library');
      expect(await page.getByRole('link', { name: 'gulls' }).count()).toBe(1);
      await page.getByRole('link', { name: 'gulls' }).click();
      await page.getByText('640 × 360').first().waitFor();
      const player = page.locator('video');
      await player.waitFor();
      await plays(page);
      expect(await page.getByLabel('Embed code').inputValue()).toMatch(/^<video .*title="gulls"/);
      await page.evaluate(`${film}.pause()`);
      await look(page, 'video');
      // A browser that plays no HLS by itself gets hls.js, which reads the film by script.
      const { items } = await program.admin.get<{ items: { id: string }[] }>(200, 'GET', `${content}/libraries`);
      await program.admin.get(200, 'PATCH', `${content}/buckets/${items[0]!.id}`, {
        body: { cors: { allowedOrigins: [program.url], allowedMethods: ['GET', 'HEAD'], allowedHeaders: ['range'] } },
      });
      await page.addInitScript(`HTMLMediaElement.prototype.canPlayType = () => ''`);
      await page.reload();
      await player.waitFor();
      await until(
        () => page.evaluate<string>(`${film}.currentSrc`),
        (source) => source.startsWith('blob:'),
      );
      await plays(page);
      await page.evaluate(`${film}.pause()`);

      await page.getByRole('button', { name: 'Rename' }).click();
      await dialog.getByLabel('Rename').fill('Gulls <b>at noon</b>');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('heading', { name: 'Gulls <b>at noon</b>', level: 1 }).waitFor();
      await page.getByRole('button', { name: 'Delete the video' }).click();
      await dialog.getByRole('textbox').fill('Gulls <b>at noon</b>');
      await dialog.getByRole('button', { name: 'Delete the video' }).click();
      await page.getByText('was deleted').waitFor();
      await page.getByRole('button', { name: 'Delete the library' }).click();
      await dialog.getByRole('textbox').fill('films-at-home');
      await dialog.getByRole('button', { name: 'Delete the library' }).click();
      await page.getByRole('button', { name: 'Restore' }).click();
      await page.getByRole('navigation', { name: 'Parts of the library' }).waitFor();
      expect(faults).toEqual([]);
      await page.context().close();
    }, 240_000);

    it('fit a screen of 360 pixels in the dark theme', async () => {
      const { body } = await program.admin.ask<{ items: { id: string }[] }>('GET', '/api/content/v1/libraries');
      const library = `/libraries/${body.items[0]?.id ?? ''}`;
      const { page } = await openPage(browser, program.url, 'dark');
      await page.setViewportSize({ width: 360, height: 740 });
      await enter(page);
      for (const path of ['/libraries', library, `${library}/settings`]) {
        await page.goto(path);
        await page.getByRole('heading', { level: 2 }).or(page.getByRole('table')).first().waitFor();
        await look(page, `narrow-library-${path.length}`);
        expect([path, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([path, 360]);
      }
      await page.context().close();
    });
  });
