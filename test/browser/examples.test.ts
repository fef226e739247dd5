import { spawn, type ChildProcess } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text as textOf } from 'node:stream/consumers';
import type { Browser } from 'playwright-core';
import { buildClient } from '../../scripts/build-client.ts';
import { projectRoot } from '../../scripts/setup/paths.mjs';
import { startTestProgram, type TestProgram } from '../api/support/program.ts';
import { createBucket } from '../api/support/storage.ts';
import { skipWithReason } from '../support/servers.ts';
import { openChromium, openPage } from './support/dashboard.ts';

const opened = await openChromium();
const title = 'the examples';

if (typeof opened === 'string') skipWithReason(title, opened);
else
  describe(title, () => {
    const browser: Browser = opened;
    const folder = mkdtempSync(join(tmpdir(), 'ply-examples-'));
    const running: ChildProcess[] = [];
    let program: TestProgram;
    beforeAll(async () => {
      buildClient(join(folder, 'node_modules/@ply/client'));
      program = await startTestProgram();
      const text = 'Parental leave is twelve weeks. <b>Nobody</b> is asked why.';
      await program.standard.indexed({ filename: 'handbook.txt', ...program.source.put('handbook.txt', text) });
      const hidden = program.source.put('hidden.txt', 'Parental leave of the board is secret.');
      await program.standard.indexed({ filename: 'hidden.txt', ...hidden, principals: ['board'] });
    });
    afterAll(async () => {
      for (const child of running) {
        child.kill();
        if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      }
      await browser.close();
      await program.end();
      rmSync(folder, { recursive: true });
    });

    function run(name: string, environment: Record<string, string> = {}, words: string[] = []): ChildProcess {
      copyFileSync(join(projectRoot, 'examples', name), join(folder, name));
      const { url, organizationId, admin } = program;
      const child = spawn(process.execPath, [name, ...words], {
        cwd: folder,
        env: { PLY_URL: url, PLY_KEY: admin.key, PLY_ORGANIZATION: organizationId, PORT: '0', ...environment },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      running.push(child);
      return child;
    }

    /** Starts an example that serves a page, and returns its address. */
    async function served(name: string, environment: Record<string, string> = {}): Promise<string> {
      const { stdout } = run(name, environment);
      if (stdout === null) throw new Error('the example has no output');
      for await (const line of createInterface({ input: stdout })) return line;
      throw new Error(`${name} ended at once`);
    }

    it('search from a page of 60 lines, which shows a passage as text', async () => {
      const { page, faults } = await openPage(browser, await served('search.mjs'));
      await page.goto('/');
      await page.getByLabel('Search').fill('how long is parental leave');
      await page.keyboard.press('Enter');
      const result = page.getByRole('listitem');
      await result.first().waitFor();
      expect(await result.allTextContents()).toEqual([
        'handbook.txt, line 1Parental leave is twelve weeks. <b>Nobody</b> is asked why.',
      ]);
      expect(await page.locator('mark').allTextContents()).toEqual(['Parental leave']);
      await page.getByLabel('Search').fill('x'.repeat(2001));
      await page.keyboard.press('Enter');
      await page.getByText('body.query').waitFor();
      expect(faults).toEqual([]);
    }, 120_000);

    it('upload a file of several parts from a page without a key', async () => {
      const { id } = await createBucket(program.admin);
      const address = await served('upload.mjs', { BUCKET_ID: id });
      const { page, faults } = await openPage(browser, address);
      await page.goto('/');
      const bytes = randomBytes(9 * 2 ** 20);
      await page.getByLabel('File').setInputFiles({ name: 'film.mp4', mimeType: 'video/mp4', buffer: bytes });
      await page.getByText(/^Stored|^The/).waitFor({ timeout: 90_000 });
      const digest = createHash('sha256').update(bytes).digest('hex');
      expect(await page.getByRole('status').textContent()).toBe(
        `Stored uploads/film.mp4, ${bytes.length} bytes, ${digest}`,
      );
      expect(await page.content()).not.toContain(program.admin.key);
      expect(faults).toEqual([]);
    }, 120_000);

    it('answer in the shape of a vector store of OpenAI', async () => {
      const { stdout } = run('file-search.mjs', {}, ['parental', 'leave']);
      const answer: unknown = JSON.parse(stdout === null ? '' : await textOf(stdout));
      expect(answer).toMatchObject({
        object: 'vector_store.search_results.page',
        search_query: ['parental leave'],
        data: [{ filename: 'handbook.txt', score: expect.any(Number), content: [{ type: 'text' }] }],
        has_more: false,
      });
    });
  });
