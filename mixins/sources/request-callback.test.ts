import { setTimeout as pause } from 'node:timers/promises';
import { CallbackReceiver } from '../../test/support/callback-receiver.ts';
import { systemRuntime } from '../../models/runtime.ts';
import { guardedClient } from '../guarded-client/client.ts';
import { requestCallback, type CallbackTarget } from './request-callback.ts';

const file = { organizationId: 'o', externalId: 'e', sourceVersion: 'v', sourceUrl: 'https://files.example.com/a.pdf' };
const signed = `${file.sourceUrl}?sig=geheim`;
const expiresAt = '2999-01-01T00:00:00Z';
const receiver = new CallbackReceiver('the secret');
const client = guardedClient({ privateNetworks: 'allow', limits: { headersMs: 60_000, idleMs: 60_000 } });
beforeAll(() => receiver.start());
afterAll(async () => {
  await client.close();
  await receiver.stop();
});

function ask(change: Partial<CallbackTarget> = {}, signal?: AbortSignal): Promise<unknown> {
  return requestCallback(
    { url: receiver.url, secret: 'the secret', client, privateNetworks: 'deny', runtime: systemRuntime, ...change },
    file,
    signal,
  );
}

const refused = expect.objectContaining({
  name: 'SourceFailure',
  code: 'source_callback_refused',
  outcome: 'temporary',
});

describe('a request to a callback', () => {
  it('is verified by its receiver, with a new nonce each time', async () => {
    receiver.answerWith(() => ({ body: { url: signed, expiresAt } }));
    const answers = await Promise.all([ask(), ask(), ask()]);
    expect(answers).toEqual(Array.from({ length: 3 }, () => ({ address: signed, expiresAt: Date.parse(expiresAt) })));
    expect({ nonces: receiver.nonces.size, rejected: receiver.rejected }).toEqual({ nonces: 3, rejected: [] });
    expect(receiver.asked[0]).toEqual(file);
    for (const nonce of receiver.nonces.keys()) expect(nonce).toMatch(/^[\w-]{24}$/);
  });

  it('accepts responses of up to 64 KB', async () => {
    const whole = JSON.stringify({ url: signed, expiresAt }).length;
    receiver.answerWith(() => ({ body: `${JSON.stringify({ url: signed, expiresAt })}${' '.repeat(65_536 - whole)}` }));
    expect(await ask()).toMatchObject({ address: signed });
    receiver.answerWith(() => ({ body: `${JSON.stringify({ url: signed, expiresAt })}${' '.repeat(65_537 - whole)}` }));
    await expect(ask()).rejects.toEqual(refused);
  });

  it('follows no redirect', async () => {
    const before = receiver.asked.length;
    for (const status of [301, 302, 303, 307, 308]) {
      receiver.answerWith(() => ({ status, headers: { location: receiver.url }, body: { url: signed, expiresAt } }));
      await expect(ask()).rejects.toEqual(refused);
    }
    expect(receiver.asked.length).toBe(before + 5);
  });

  it('fails if a callback is late, breaks the connection, or does not accept one', async () => {
    receiver.answerWith(() => new Promise(() => undefined));
    await expect(ask({ timeoutMs: 100 })).rejects.toThrow('did not answer in time');
    await expect(ask({ timeoutMs: 100 })).rejects.toEqual(refused);
    await expect(ask({ url: 'http://127.0.0.1:1/' })).rejects.toEqual(refused);
  });

  it('waits longer for a callback than for other hosts', async () => {
    const shortTimeoutClient = guardedClient({ privateNetworks: 'allow', limits: { headersMs: 300 } });
    receiver.answerWith(async () => {
      await pause(1200);
      return { body: { url: signed, expiresAt } };
    });
    expect(await ask({ client: shortTimeoutClient })).toMatchObject({ address: signed });
    await shortTimeoutClient.close();
  });

  it('is aborted with its caller, which is not a failure of the callback', async () => {
    receiver.answerWith(() => new Promise(() => undefined));
    const caller = new AbortController();
    const asked = ask({}, caller.signal);
    setTimeout(() => caller.abort(), 50);
    await expect(asked).rejects.toMatchObject({ name: 'RequestFailure', reason: 'aborted' });
  });

  it('reaches no private address unless private networks are allowed', async () => {
    const before = receiver.asked.length;
    const guarded = guardedClient({ privateNetworks: 'deny', resolve: () => Promise.resolve(['127.0.0.1']) });
    for (const url of [receiver.url, 'https://127.0.0.1/', 'https://callback.example.com/', 'https://[::1]/'])
      await expect(ask({ client: guarded, url })).rejects.toEqual(refused);
    await guarded.close();
    expect(receiver.asked.length).toBe(before);
  });

  it('is not sent if it exceeds 16 KB', async () => {
    const before = receiver.asked.length;
    await expect(
      requestCallback(
        { url: receiver.url, secret: 's', client, privateNetworks: 'deny', runtime: systemRuntime },
        { ...file, externalId: 'x'.repeat(16_384) },
        undefined,
      ),
    ).rejects.toEqual(refused);
    expect(receiver.asked.length).toBe(before);
  });
});
