import { setTimeout as pause } from 'node:timers/promises';
import type { GuardedAnswer, GuardedClient } from '../guarded-client/client.ts';
import type { AddressWay, SourceGrant } from './address-of.ts';
import { SourceFailure } from './failure.ts';
import { grantedClient, mostRedirects } from './granted.ts';

/** A source of few words: what it answers by address, 200 where nothing is said. */
function sourceOf(answers: { [address: string]: number | string }): { client: GuardedClient; asked: string[]; headers: object[]; discarded: () => number } {
  const asked: string[] = [];
  const headers: object[] = [];
  let discarded = 0;
  const client: GuardedClient = {
    request: (address, options): Promise<GuardedAnswer> => {
      asked.push(String(address));
      headers.push(options.headers ?? {});
      const answer = answers[String(address)] ?? 200;
      return Promise.resolve({
        status: typeof answer === 'number' ? answer : 302,
        header: (name) => (name === 'location' && typeof answer === 'string' ? answer : null),
        body: (async function* () {})(),
        discard: () => void (discarded += 1),
      });
    },
    close: () => Promise.resolve(),
  };
  return { client, asked, headers, discarded: () => discarded };
}

const fixed: SourceGrant = { address: 'https://a.example/', until: null, renewable: false, redirects: false, verified: false };

/** Ways that answer one grant after another, the last again and again; an error is thrown. */
function waysOf(grants: Partial<Record<AddressWay, (Partial<SourceGrant> | Error)[]>>): { by: (way: AddressWay) => Promise<SourceGrant>; asked: AddressWay[] } {
  const asked: AddressWay[] = [];
  return {
    asked,
    by: (way) => {
      const all = grants[way] ?? [];
      const grant = all[Math.min(asked.filter((other) => other === way).length, all.length - 1)];
      asked.push(way);
      if (grant === undefined) return Promise.reject(new Error(`no ${way}`));
      return grant instanceof Error ? Promise.reject(grant) : Promise.resolve({ ...fixed, ...grant });
    },
  };
}

const options = { maxBytes: 10, headers: { range: 'bytes=1-', 'if-match': '"1"' } };
const denied = (): SourceFailure => new SourceFailure('callback_not_configured', 'none');

describe('a reading that asks where to read', () => {
  it('asks once for what it may use again, also for parts that are read at the same time', async () => {
    const ways = waysOf({ callback: [{ address: 'https://a.example/?1', renewable: true, until: 1000 }] });
    const source = sourceOf({});
    const client = grantedClient(source.client, { ways: ['callback'], by: async (way) => (await pause(5), ways.by(way)), now: () => 999 });
    await Promise.all([client.request('https://registered.example/', options), client.request('https://registered.example/', options)]);
    await client.request('https://registered.example/', options);
    expect({ ways: ways.asked, source: source.asked }).toEqual({ ways: ['callback'], source: Array(3).fill('https://a.example/?1') });
    expect(source.headers).toEqual(Array(3).fill(options.headers));
  });

  it('asks again when the time is over, and no sooner', async () => {
    let now = 0;
    const ways = waysOf({ callback: [{ address: 'https://a.example/?1', until: 1000 }, { address: 'https://a.example/?2', until: 1000 }] });
    const source = sourceOf({});
    const client = grantedClient(source.client, { ways: ['callback'], by: ways.by, now: () => now });
    for (const at of [0, 999, 1000, 1001]) {
      now = at;
      await client.request('', options);
    }
    // The second one was over when it came: each request asks for its own.
    expect(source.asked).toEqual(['https://a.example/?1', 'https://a.example/?1', 'https://a.example/?2', 'https://a.example/?2']);
    expect(ways.asked).toHaveLength(3);
  });

  it('asks again for one that was good and is denied, and no second time', async () => {
    const answers: { [address: string]: number } = {};
    const source = sourceOf(answers);
    const ways = waysOf({ callback: [{ address: 'https://a.example/?1', renewable: true }, { address: 'https://a.example/?2', renewable: true }] });
    const client = grantedClient(source.client, { ways: ['callback'], by: ways.by, now: () => 0 });
    expect((await client.request('', options)).status).toBe(200);
    answers['https://a.example/?1'] = 403;
    expect((await client.request('', options)).status).toBe(200);
    answers['https://a.example/?2'] = 401;
    expect((await client.request('', options)).status).toBe(401);
    expect({ source: source.asked.map((address) => address.slice(-1)), ways: ways.asked.length, discarded: source.discarded() }).toEqual({ source: ['1', '1', '2', '2', '2'], ways: 3, discarded: 2 });
  });

  it.each([401, 403, 404, 410, 400, 302])('turns to the next way at status %i of a new address, and stays with it', async (status) => {
    const source = sourceOf({ 'https://a.example/?callback': status });
    const ways = waysOf({ callback: [{ address: 'https://a.example/?callback', renewable: true }], stored: [{ address: 'https://a.example/?stored' }] });
    const client = grantedClient(source.client, { ways: ['callback', 'stored'], by: ways.by, now: () => 0 });
    for (let times = 0; times < 3; times += 1) expect((await client.request('', options)).status).toBe(200);
    expect({ ways: ways.asked, asked: source.asked.length }).toEqual({ ways: ['callback', 'stored'], asked: 4 });
  });

  it.each([500, 503, 429, 412])('does not at status %i', async (status) => {
    const source = sourceOf({ 'https://a.example/': status });
    const ways = waysOf({ callback: [{}], stored: [{ address: 'https://a.example/?stored' }] });
    expect((await grantedClient(source.client, { ways: ['callback', 'stored'], by: ways.by, now: () => 0 }).request('', options)).status).toBe(status);
    expect(ways.asked).toEqual(['callback']);
  });

  it('turns to the next way where an address is denied, not where it could not be had this time', async () => {
    const source = sourceOf({});
    const missing = waysOf({ callback: [denied()], stored: [{ address: 'https://a.example/?stored' }] });
    await grantedClient(source.client, { ways: ['callback', 'stored'], by: missing.by, now: () => 0 }).request('', options);
    expect(source.asked).toEqual(['https://a.example/?stored']);
    for (const [error, ways] of [[denied(), ['callback']], [new SourceFailure('source_callback_refused', 'no'), ['callback', 'stored']]] as const) {
      const failing = waysOf({ callback: [error], stored: [{}] });
      await expect(grantedClient(source.client, { ways, by: failing.by, now: () => 0 }).request('', options)).rejects.toBe(error);
      expect(failing.asked).toEqual(['callback']);
    }
  });

  it('tells whether the version of the last answer was checked', async () => {
    const source = sourceOf({ 'https://a.example/?connector': 404 });
    const ways = waysOf({ connector: [{ verified: true }, { address: 'https://a.example/?connector', verified: true }], public: [{ address: 'https://a.example/?public' }] });
    const client = grantedClient(source.client, { ways: ['connector', 'public'], by: ways.by, now: () => 0 });
    expect(client.isVerified()).toBe(false);
    await client.request('', options);
    expect(client.isVerified()).toBe(true);
    const other = grantedClient(source.client, { ways: ['connector', 'public'], by: ways.by, now: () => 0 });
    await other.request('', options);
    expect(other.isVerified()).toBe(false);
  });
});

describe('redirects of a source', () => {
  const chain = (length: number): { [address: string]: string } =>
    Object.fromEntries(Array.from({ length }, (_, at) => [at === 0 ? 'https://a.example/' : `https://h${at}.example/x`, `https://h${at + 1}.example/x`]));
  const run = (answers: { [address: string]: number | string }, redirects: boolean) => {
    const source = sourceOf(answers);
    const client = grantedClient(source.client, { ways: ['connector'], by: waysOf({ connector: [{ redirects }] }).by, now: () => 0 });
    return { source, answer: client.request('', options) };
  };

  it('are followed where they may be, five at most', async () => {
    const five = run(chain(mostRedirects), true);
    expect((await five.answer).status).toBe(200);
    expect(five.source.asked).toHaveLength(6);
    expect(five.source.discarded()).toBe(5);
    const six = run(chain(6), true);
    expect((await six.answer).status).toBe(302);
    expect(six.source.asked).toHaveLength(6);
    const none = run(chain(1), false);
    expect((await none.answer).status).toBe(302);
    expect(none.source.asked).toEqual(['https://a.example/']);
  });

  it('may be relative, and end where they name nothing', async () => {
    const relative = run({ 'https://a.example/': '/files/1?verifier=2' }, true);
    expect((await relative.answer).status).toBe(200);
    expect(relative.source.asked).toEqual(['https://a.example/', 'https://a.example/files/1?verifier=2']);
    expect((await run({ 'https://a.example/': 'https://' }, true).answer).status).toBe(302);
  });
});
