import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureProgram, runProgram } from '../scripts/setup/system.ts';
import { skipWithReason } from '../test/support/servers.ts';
import { webhookSecret, webhookSignature } from './webhook-signature.ts';

const folder = mkdtempSync(join(tmpdir(), 'ply-verifiers-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Gets the library of Standard Webhooks for Python. Returns why it cannot be had, or null. */
async function installed(): Promise<string | null> {
  const pip = await ensureProgram(['python3', '-m', 'pip', '--version'], ['python3-pip']);
  if (!pip.ok) return pip.reason;
  const options = ['-q', '--no-deps', '--disable-pip-version-check', '--retries', '2', '--target', folder];
  const got = await runProgram('python3', ['-m', 'pip', 'install', ...options, 'standardwebhooks==1.1.0']);
  return got.ok ? null : got.reason;
}

const script = `
import json, sys
from standardwebhooks import Webhook, WebhookVerificationError
for secret, body, headers in json.loads(sys.argv[1]):
    try:
        Webhook(secret).verify(body, headers)
        print("verified")
    except WebhookVerificationError:
        print("refused")
`;

const missing = await installed();
if (missing !== null) skipWithReason('the library of Standard Webhooks for Python', missing);
else
  it('the library of Standard Webhooks for Python verifies requests with both secrets, and no others', async () => {
    const [one = '', two = '', other = ''] = ['a', 'b', 'c'].map((byte) =>
      webhookSecret(Buffer.from(byte.repeat(32)).toString('base64url')),
    );
    const [id, timestamp, body] = ['e1', Math.floor(Date.now() / 1000), '{"id":"e1","text":"Grüße"}'];
    const headers = {
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': webhookSignature([one, two], { id, timestamp, body }),
    };
    const late = { ...headers, 'webhook-timestamp': String(timestamp - 3600) };
    const asked = [
      [one, body, headers],
      [two, body, headers],
      [other, body, headers],
      [one, `${body} `, headers],
      [one, body, late],
    ];
    const said = await runProgram('python3', ['-c', script, JSON.stringify(asked)], {
      environment: { PYTHONPATH: folder },
    });
    expect(said.ok ? said.output.trim().split('\n') : said.reason).toEqual([
      'verified',
      'verified',
      'refused',
      'refused',
      'refused',
    ]);
  });
