import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../scripts/setup/paths.mjs';
import { skipWithReason } from '../support/servers.ts';
import { startTestProgram, type TestProgram } from './support/program.ts';

const built = join(projectRoot, 'web/dist');
/** Compressed bytes that a browser loads before it shows a page (brotli). */
const firstLoadLimit = 200_000;

if (!existsSync(join(built, 'index.html')))
  skipWithReason('the pages of the dashboard', 'it is not built: node scripts/setup/ensure-dashboard.mjs');
else
  describe('the dashboard is served from the origin of the API', () => {
    let program: TestProgram;
    beforeAll(async () => {
      program = await startTestProgram();
    });
    afterAll(() => program.end());

    const get = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Response> =>
      fetch(`${program.url}${path}`, { method, headers });
    const page = { Accept: 'text/html,application/xhtml+xml' };
    const index = readFileSync(join(built, 'index.html'), 'utf8');
    const linked = [...index.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path = '']) => path);

    it('shows its page at / and at every deep link, which is never cached', async () => {
      for (const path of ['/', '/search?q=x', '/files/00000000-0000-4000-8000-000000000000', '/no/such/page']) {
        const answer = await get(path, page);
        expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
        expect(answer.headers.get('cache-control')).toBe('no-store');
        expect(await answer.text()).toBe(index);
      }
      expect((await get('/', {}, 'HEAD')).status).toBe(200);
    });

    it('has a policy that allows its own scripts and styles alone, and no frame', async () => {
      const policy = (await get('/', page)).headers.get('content-security-policy') ?? '';
      const directives = new Map(
        policy.split('; ').map((line): [string, string] => {
          const [name = '', ...values] = line.split(' ');
          return [name, values.join(' ')];
        }),
      );
      expect(Object.fromEntries(directives)).toMatchObject({
        'default-src': "'none'",
        'script-src': "'self'",
        'style-src': "'self'",
        'base-uri': "'none'",
        'frame-ancestors': "'none'",
      });
      expect(policy).not.toContain('unsafe');
      expect(index).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\son\w+=|https?:\/\//);
    });

    it('keeps files with a hash in their name for ever, compressed as the browser takes them', async () => {
      expect(linked.length).toBeGreaterThan(1);
      for (const path of linked) {
        const [plain, brotli, gzip] = await Promise.all(
          ['identity', 'br, gzip', 'gzip, br;q=0'].map((encoding) => get(path, { 'Accept-Encoding': encoding })),
        );
        expect(plain!.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
        expect([plain, brotli, gzip].map((answer) => answer?.headers.get('content-encoding'))).toEqual([
          null,
          'br',
          'gzip',
        ]);
        const texts = await Promise.all([plain!.text(), brotli!.text(), gzip!.text()]);
        expect(new Set(texts).size).toBe(1);
      }
    });

    it('loads at most 200 KB before it shows a page', async () => {
      const sizes = await Promise.all(
        ['/', ...linked].map(async (path) =>
          Number((await get(path, { ...page, 'Accept-Encoding': 'br' }, 'HEAD')).headers.get('content-length')),
        ),
      );
      const total = sizes.reduce((sum, size) => sum + size, 0);
      expect(total).toBeGreaterThan(50_000);
      expect(total).toBeLessThanOrEqual(firstLoadLimit);
    });

    it('leaves other addresses to the API, also in a browser', async () => {
      for (const [path, status] of [
        ['/api/content/v1/nothing', 401],
        ['/api', 401],
        ['/assets/none.js', 404],
        ['/assets/..%2findex.html', 404],
        ['/docs/nothing', 401],
      ] as const) {
        const answer = await get(path, page);
        expect([path, answer.status, answer.headers.get('content-type')]).toEqual([
          path,
          status,
          'application/json; charset=utf-8',
        ]);
      }
      expect((await get('/search')).status).toBe(401);
      expect((await get('/', {}, 'POST')).status).toBe(405);
    });
  });
