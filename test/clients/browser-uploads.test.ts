import { createHmac, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BlobSASPermissions, generateBlobSASQueryParameters, SASProtocol } from '@azure/storage-blob';
import { presigned } from '../../bench/doors/signed-client.ts';
import { signingKey } from '../../services/s3/auth/canonical.ts';
import { openBlobDoor } from '../api/support/blob.ts';
import { content } from '../api/support/client.ts';
import { startS3Program } from '../api/support/s3.ts';
import { createBucket } from '../api/support/storage.ts';
import { openBrowser } from '../support/browser.ts';
import { skipWithReason } from '../support/servers.ts';

const browser = await openBrowser();

if (typeof browser === 'string') skipWithReason('uploads from a browser', browser);
else
  describe('a page in Chromium', () => {
    afterAll(() => browser.close());

    it('uploads by a presigned PUT, by a form and by a SAS, and reads what it has uploaded', async () => {
      const page = createServer((_, response) => response.end('<!doctype html><title>uploads</title>'));
      const program = await startS3Program();
      try {
        await new Promise<void>((resolve) => page.listen(0, '127.0.0.1', resolve));
        const { port } = page.address() as AddressInfo;
        const origin = `http://localhost:${port}`;
        const bucket = await createBucket(program.admin, {}, { cors: { allowedOrigins: [origin] } });
        const key = await program.newKey();
        const side = {
          ...{ name: 'door', url: program.endpoint },
          ...{ accessKeyId: key.accessKeyId ?? '', secretAccessKey: key.secret },
        };
        const path = `/${bucket.name}/put.bin`;
        const [put, get] = await presigned(side, [
          { method: 'PUT', path },
          { method: 'GET', path },
        ]);
        await browser.open(`${origin}/`);
        const bytes = 3 * 2 ** 20 + 7;
        const sent = await browser.evaluate<{ status: number; etag: string | null; back: number; type: string | null }>(
          `(async () => {
            const body = new Blob([new Uint8Array(${bytes}).fill(7)]);
            const put = await fetch(${JSON.stringify(program.endpoint + (put ?? ''))}, { method: 'PUT', body, headers: { 'Content-Type': 'image/png' } });
            const got = await fetch(${JSON.stringify(program.endpoint + (get ?? ''))});
            return { status: put.status, etag: put.headers.get('ETag'), back: (await got.arrayBuffer()).byteLength, type: got.headers.get('Content-Type') };
          })()`,
        );
        expect(sent).toEqual({
          status: 200,
          etag: expect.stringMatching(/^"[0-9a-f]{32}"$/),
          back: bytes,
          type: 'image/png',
        });

        const date = new Date().toISOString().replace(/[-:]|\.\d{3}/g, '');
        const day = date.slice(0, 8);
        const fields = {
          key: 'forms/${filename}',
          success_action_status: '201',
          'x-amz-algorithm': 'AWS4-HMAC-SHA256',
          'x-amz-credential': `${key.accessKeyId ?? ''}/${day}/auto/s3/aws4_request`,
          'x-amz-date': date,
        };
        const conditions = [
          ...[{ bucket: bucket.name }, ['starts-with', '$key', 'forms/'], ['content-length-range', 1, 1000]],
          ...Object.entries(fields).flatMap(([name, value]) => (name === 'key' ? [] : [{ [name]: value }])),
        ];
        const expiration = new Date(Date.now() + 600_000).toISOString();
        const policy = Buffer.from(JSON.stringify({ expiration, conditions })).toString('base64');
        const signature = createHmac('sha256', signingKey(key.secret, { day, region: 'auto' }))
          .update(policy)
          .digest('hex');
        const form = await browser.evaluate<{ status: number; text: string }>(
          `(async () => {
            const data = new FormData();
            for (const [name, value] of Object.entries(${JSON.stringify({ ...fields, policy, 'x-amz-signature': signature })})) data.append(name, value);
            data.append('file', new File(['from a form'], 'ü note.txt', { type: 'text/plain' }));
            const response = await fetch(${JSON.stringify(`${program.endpoint}/${bucket.name}`)}, { method: 'POST', body: data });
            return { status: response.status, text: await response.text() };
          })()`,
        );
        expect(form).toEqual({ status: 201, text: expect.stringContaining('<Key>forms/ü note.txt</Key>') });

        const blob = await openBlobDoor(program);
        const sas = generateBlobSASQueryParameters(
          {
            ...{ containerName: bucket.name, blobName: 'sas.txt', protocol: SASProtocol.HttpsAndHttp },
            ...{ permissions: BlobSASPermissions.parse('rcw'), expiresOn: new Date(Date.now() + 600_000) },
          },
          await blob.newKey(),
        );
        const text = randomBytes(20).toString('hex');
        const written = await browser.evaluate<{ status: number; back: string }>(
          `(async () => {
            const address = ${JSON.stringify(`${blob.endpoint}/${bucket.name}/sas.txt?${sas.toString()}`)};
            const put = await fetch(address, { method: 'PUT', body: '${text}', headers: { 'x-ms-blob-type': 'BlockBlob' } });
            return { status: put.status, back: await (await fetch(address)).text() };
          })()`,
        );
        expect(written).toEqual({ status: 201, back: text });
        const { items } = await program.admin.get<{ items: { key: string; createdVia: string }[] }>(
          200,
          'GET',
          `${content}/buckets/${bucket.id}/objects`,
        );
        expect(items.map(({ key: name, createdVia }) => `${createdVia} ${name}`).sort()).toEqual([
          'azure sas.txt',
          's3 forms/ü note.txt',
          's3 put.bin',
        ]);
      } finally {
        page.close();
        await program.end();
      }
    }, 120_000);

    it('of another origin is refused by the browser', async () => {
      const page = createServer((_, response) => response.end('<!doctype html>'));
      const program = await startS3Program();
      try {
        await new Promise<void>((resolve) => page.listen(0, '127.0.0.1', resolve));
        const { port } = page.address() as AddressInfo;
        const bucket = await createBucket(program.admin, {}, { cors: { allowedOrigins: ['https://app.example.com'] } });
        await browser.open(`http://localhost:${port}/`);
        const refused = await browser.evaluate<string>(
          `fetch(${JSON.stringify(`${program.endpoint}/${bucket.name}/a`)}, { method: 'PUT', body: 'x' }).then((response) => String(response.status), (error) => error.name)`,
        );
        expect(refused).toBe('TypeError');
      } finally {
        page.close();
        await program.end();
      }
    }, 60_000);
  });
