import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BucketView } from '../../models/bucket.ts';
import type { UploadView } from '../../models/upload.ts';
import { freePort } from '../servers/ports.ts';
import { openBrowser, type TestBrowser } from '../support/browser.ts';
import { get } from '../support/edge.ts';
import { skipWithReason } from '../support/servers.ts';
import { content, type Client } from './support/client.ts';
import { startTestProgram, type TestProgram } from './support/program.ts';
import { createBucket, putObject, startUpload } from './support/storage.ts';

const mebibyte = 2 ** 20;
/** A page that tells the page around it that its script ran. */
const telling = '<!doctype html><script>parent.postMessage("ran", "*")</script>';

const opened = process.env['PLY_TEST_CLUSTER'] === undefined ? await openBrowser() : 'the cluster has its own ports';
if (typeof opened === 'string') skipWithReason('files of buckets in Chromium', opened);
else
  describe('files of buckets in Chromium', () => {
    const browser: TestBrowser = opened;
    let program: TestProgram;
    let admin: Client;
    let bucket: BucketView;
    let site: Server;
    let [sitePort, deliveryPort] = [0, 0];
    beforeAll(async () => {
      site = createServer((request, response) => {
        response.setHeader('Content-Type', 'text/html').end(request.url === '/telling' ? telling : '<!doctype html>');
      });
      await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
      ({ port: sitePort } = site.address() as AddressInfo);
      deliveryPort = await freePort();
      program = await startTestProgram({ PLY_DELIVERY_PORT: String(deliveryPort) });
      ({ admin } = program);
      const cors = {
        allowedOrigins: [`http://localhost:${sitePort}`],
        allowedHeaders: ['x-known'],
        exposeHeaders: ['etag'],
      };
      bucket = await createBucket(admin, { visibility: 'public' }, { cors });
    }, 120_000);
    afterAll(async () => {
      await browser.close();
      site.close();
      await program.end();
    });

    const addressOf = (key: string): string => `http://${bucket.defaultHostname}:${deliveryPort}/${key}`;
    const put = (key: string, contentType: string, text: string): Promise<unknown> =>
      putObject(admin, bucket.id, key, Buffer.from(text), { contentType });
    const openPage = (host: 'localhost' | '127.0.0.1'): Promise<void> =>
      browser.open(`http://${host}:${sitePort}/${encodeURIComponent(host)}`);

    it('are read by pages of the allowed origins, and by no others', async () => {
      await put('a.txt', 'text/plain', 'read');
      const read = (key: string, headers: object): Promise<string> =>
        browser.evaluate(`fetch(${JSON.stringify(addressOf(key))}, { headers: ${JSON.stringify(headers)} })
          .then(async (response) => [response.status, response.headers.get('etag'), response.headers.get('x-cache'),
            await response.text()].join(' '), (error) => error.name)`);
      await openPage('localhost');
      const etag = `"${createHash('md5').update('read').digest('hex')}"`;
      expect(await read('a.txt', {})).toBe(`200 ${etag}  read`);
      expect(await read('a.txt', { 'x-known': '1' })).toBe(`200 ${etag}  read`);
      expect(await read('a.txt', { 'x-other': '1' })).toBe('TypeError');
      // A refusal is seen as what it is, and not as a network error.
      expect(await read('none.txt', {})).toBe('404   {"code":"not_found"}');
      await openPage('127.0.0.1');
      expect(await read('a.txt', {})).toBe('TypeError');
    });

    it('that can run script never run it, and are no scripts unless they are declared so', async () => {
      await put('page.html', 'text/html', telling);
      await put('page.svg', 'image/svg+xml', `<svg xmlns="http://www.w3.org/2000/svg">${telling.slice(15)}</svg>`);
      await put('page.xhtml', 'application/xhtml+xml', telling);
      await put('script.txt', 'text/plain', 'window.ran = "text"');
      await put('script.js', 'text/javascript', 'window.ran = "script"');
      await openPage('localhost');
      /** Whether a frame with the address tells that its script ran, within two seconds. */
      const runs = (address: string): Promise<boolean> =>
        browser.evaluate(`new Promise((resolve) => {
          const frame = document.createElement('iframe');
          addEventListener('message', () => resolve(true), { once: true });
          setTimeout(resolve, 2000, false);
          frame.src = ${JSON.stringify(address)};
          document.documentElement.append(frame);
        })`);
      expect(await runs(`http://localhost:${sitePort}/telling`)).toBe(true);
      for (const key of ['page.html', 'page.svg', 'page.xhtml'])
        expect([key, await runs(addressOf(key))]).toEqual([key, false]);
      const load = (key: string): Promise<string> =>
        browser.evaluate(`new Promise((resolve) => {
          const script = document.createElement('script');
          script.onload = () => resolve(window.ran);
          script.onerror = () => resolve('refused');
          script.src = ${JSON.stringify(addressOf(key))};
          document.documentElement.append(script);
        })`);
      expect(await load('script.txt')).toBe('refused');
      expect(await load('script.js')).toBe('script');
    });

    it('are uploaded by a page to the upload host, and a broken upload goes on with the missing parts', async () => {
      const size = 17 * mebibyte;
      const upload = await startUpload(admin, bucket.id, { key: 'film.bin', size });
      await openPage('localhost');
      /** Sends one part from the page; `isBroken` breaks the request off when some of it was sent. */
      const send = (number: number, isBroken = false): Promise<string> => {
        const url = upload.parts[number - 1]?.url;
        const [from, to] = [(number - 1) * upload.partSize, Math.min(size, number * upload.partSize)];
        return browser.evaluate(`new Promise((resolve) => {
          const bytes = Uint8Array.from({ length: ${to - from} }, (_, at) => (${from} + at) % 251);
          const sending = new XMLHttpRequest();
          sending.open('PUT', ${JSON.stringify(url)});
          sending.onload = () => resolve(sending.status + ' ' + JSON.parse(sending.responseText).part);
          sending.onerror = () => resolve('error');
          sending.onabort = () => resolve('broken off');
          if (${isBroken}) sending.upload.onprogress = () => sending.abort();
          sending.send(new Blob([bytes]));
        })`);
      };
      expect(await send(1)).toBe('200 1');
      expect(await send(2, true)).toBe('broken off');
      const { received } = await admin.get<UploadView>(200, 'GET', `${content}/uploads/${upload.id}`);
      const missing = upload.parts
        .map(({ number }) => number)
        .filter((n) => !received.some((part) => part.number === n));
      expect(missing).toContain(3);
      for (const number of missing) expect(await send(number)).toBe(`200 ${number}`);
      await admin.get(200, 'POST', `${content}/uploads/${upload.id}/complete`);
      const { body } = await get(deliveryPort, bucket.defaultHostname, '/film.bin');
      const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
      expect(sha256(body)).toBe(sha256(Uint8Array.from({ length: size }, (_, at) => at % 251)));
    });
  });
