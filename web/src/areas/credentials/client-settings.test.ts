import { createHmac } from 'node:crypto';
import { accountSas, blobSettings, s3Settings } from './client-settings.ts';

const secret = Buffer.alloc(64, 7).toString('base64');
const blob = { endpoint: 'http://127.0.0.1:3004/acme', account: 'acme', secret, permissions: ['read'] as const };

it('S3 clients get the endpoint in the form that each understands', () => {
  const [aws, rclone, s3cmd] = s3Settings({
    endpoint: 'https://s3.example.com',
    region: 'in-west',
    accessKeyId: 'PLYK1',
    secret: 'abc',
  });
  expect(aws?.text).toContain('endpoint_url = https://s3.example.com');
  expect(rclone?.text).toContain('endpoint = https://s3.example.com');
  expect(s3cmd?.text).toContain('host_base = s3.example.com\nhost_bucket = s3.example.com\nuse_https = True');
});

it('the account SAS is signed with the key over its fields, and permits what the key does', async () => {
  Object.defineProperty(globalThis, 'isSecureContext', { value: true, configurable: true });
  const sas = new URLSearchParams((await accountSas(blob, new Date('2026-01-01T00:00:00.500Z'))) ?? '');
  expect([sas.get('sp'), sas.get('se'), sas.get('spr')]).toEqual(['rl', '2026-01-08T00:00:00Z', 'https,http']);
  const text = ['acme', 'rl', 'b', 'sco', '', '2026-01-08T00:00:00Z', '', 'https,http', '2020-12-06', '', ''].join(
    '\n',
  );
  expect(sas.get('sig')).toBe(createHmac('sha256', Buffer.from(secret, 'base64')).update(text).digest('base64'));
  expect(blobSettings(blob, null).map(({ client }) => client)).toEqual(['az']);
  Object.defineProperty(globalThis, 'isSecureContext', { value: false, configurable: true });
  expect(await accountSas(blob, new Date())).toBeNull();
});
