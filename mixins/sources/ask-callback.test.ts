import { setTimeout as pause } from 'node:timers/promises';
import { CallbackReceiver } from '../../test/support/callback-receiver.ts';
import { systemAmbient } from '../../models/ambient.ts';
import { guardedClient } from '../guarded-client/client.ts';
import { askCallback, type CallbackTarget } from './ask-callback.ts';

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
  return askCallback({ url: receiver.url, secret: 'the secret', client, privateNetworks: 'deny', ambient: systemAmbient, ...change }, file, signal);
}

const refused = expect.objectContaining({ name: 'SourceFailure', code: 'source_callback_refused', outcome: 'temporary' });

describe('asking a callback', () => {
  it('sends what its receiver verifies, each time with another nonce', async () => {
    receiver.answerWith(() => ({ body: { url: signed, expiresAt } }));
    const answers = await Promise.all([ask(), ask(), ask()]);
    expect(answers).toEqual(Array.from({ length: 3 }, () => ({ address: signed, expiresAt: Date.parse(expiresAt) })));
    expect({ nonces: receiver.nonces.size, rejected: receiver.rejected }).toEqual({ nonces: 3, rejected: [] });
    expect(receiver.asked[0]).toEqual(file);
    for (const nonce of receiver.nonces.keys()) expect(nonce).toMatch(/^[\w-]{24}$/);
  });

  it('reads answers of 64 KB, and refuses one byte more', async () => {
    const whole = JSON.stringify({ url: signed, expiresAt }).length;
    receiver.answerWith(() => ({ body: `${JSON.stringify({ url: signed, expiresAt })}${' '.repeat(65_536 - whole)}` }));
    expect(await ask()).toMatchObject({ address: signed });
    receiver.answerWith(() => ({ body: `${JSON.stringify({ url: signed, expiresAt })}${' '.repeat(65_537 - whole)}` }));
    await expect(ask()).rejects.toEqual(refused);
  });

  it('follows no redirect, whatever stands behind it', async () => {
    const before = receiver.asked.length;
    for (const status of [301, 302, 303, 307, 308]) {
      receiver.answerWith(() => ({ status, headers: { location: receiver.url }, body: { url: signed, expiresAt } }));
      await expect(ask()).rejects.toEqual(refused);
    }
    expect(receiver.asked.length).toBe(before + 5);
  });

  it('gives up a callback that is late, that breaks off, or that nobody answers', async () => {
    receiver.answerWith(() => new Promise(() => undefined));
    await expect(ask({ patienceMs: 100 })).rejects.toThrow('did not answer in time');
    await expect(ask({ patienceMs: 100 })).rejects.toEqual(refused);
    await expect(ask({ url: 'http://127.0.0.1:1/' })).rejects.toEqual(refused);
  });

  it('waits for a callback longer than for other hosts', async () => {
    const impatient = guardedClient({ privateNetworks: 'allow', limits: { headersMs: 300 } });
    receiver.answerWith(async () => {
      await pause(1200);
      return { body: { url: signed, expiresAt } };
    });
    expect(await ask({ client: impatient })).toMatchObject({ address: signed });
    await impatient.close();
  });

  it('is called off with its caller, which is no failure of the callback', async () => {
    receiver.answerWith(() => new Promise(() => undefined));
    const caller = new AbortController();
    const asked = ask({}, caller.signal);
    setTimeout(() => caller.abort(), 50);
    await expect(asked).rejects.toMatchObject({ name: 'RequestFailure', reason: 'aborted' });
  });

  it('reaches no private address unless private networks are allowed', async () => {
    const before = receiver.asked.length;
    const guarded = guardedClient({ privateNetworks: 'deny', resolve: () => Promise.resolve(['127.0.0.1']) });
    for (const url of [receiver.url, 'https://127.0.0.1/', 'https://callback.example.com/', 'https://[::1]/']) await expect(ask({ client: guarded, url })).rejects.toEqual(refused);
    await guarded.close();
    expect(receiver.asked.length).toBe(before);
  });

  it('asks nothing where the request would be over 16 KB', async () => {
    const before = receiver.asked.length;
    await expect(askCallback({ url: receiver.url, secret: 's', client, privateNetworks: 'deny', ambient: systemAmbient }, { ...file, externalId: 'x'.repeat(16_384) }, undefined)).rejects.toEqual(refused);
    expect(receiver.asked.length).toBe(before);
  });
});
