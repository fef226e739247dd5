import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import type { WebhookView } from '../../models/webhook.ts';
import { content, until } from '../api/support/client.ts';
import { startTestProgram } from '../api/support/program.ts';
import { skipWithReason } from '../support/servers.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';
import { installPythonPackage } from './python-package.ts';

const requirement = 'standardwebhooks==1.1.0';
const title = 'the Standard Webhooks library for Python';
const { program: installed, missing } = await installPythonPackage(requirement);

/** Verifies a request with each secret and prints what came of it. The arguments are JSON: secrets, body, headers. */
const script = `
import json, sys
from standardwebhooks.webhooks import Webhook, WebhookVerificationError
secrets, body, headers = map(json.loads, sys.argv[1:])
for secret in secrets:
    try:
        print(Webhook(secret).verify(body, headers)["type"])
    except WebhookVerificationError:
        print("refused")
`;

if (missing !== null) skipWithReason(title, `${requirement} is not available: ${missing}`);
else
  it(`${title} verifies requests, also after a rotation, and refuses changed ones`, async () => {
    const receiver = new WebhookReceiver(null);
    await receiver.start();
    const { admin, end } = await startTestProgram();
    try {
      const { id, secret: first } = await admin.get<WebhookView>(201, 'POST', `${content}/webhooks`, {
        body: { url: receiver.url('/python'), events: ['video.ready'] },
        headers: { 'Idempotency-Key': randomUUID() },
      });
      const path = `${content}/webhooks/${id}`;
      const verified = async (secrets: readonly unknown[], change = ''): Promise<string[]> => {
        const before = receiver.received.length;
        await admin.get(202, 'POST', `${path}/ping`);
        await until(
          () => Promise.resolve(receiver.received.length),
          (count) => count > before,
        );
        const { body, headers } = receiver.received[before] ?? { body: '', headers: {} };
        const given = [secrets, `${body}${change}`, headers].map((value) => JSON.stringify(value));
        const { stdout } = await promisify(execFile)(installed('python'), ['-c', script, ...given]);
        return stdout.trim().split('\n');
      };
      expect(await verified([first])).toEqual(['webhook.ping']);
      expect(await verified([first], ' ')).toEqual(['refused']);
      const { secret: second } = await admin.get<WebhookView>(200, 'POST', `${path}/secret/rotate`);
      expect(await verified([first, second, 'whsec_AAECAw=='])).toEqual(['webhook.ping', 'webhook.ping', 'refused']);
    } finally {
      await end();
      await receiver.stop();
    }
  }, 120_000);
