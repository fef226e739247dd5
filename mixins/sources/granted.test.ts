import { setTimeout as pause } from 'node:timers/promises';
import type { GuardedAnswer, GuardedClient } from '../guarded-client/client.ts';
import type { AddressMethod, SourceGrant } from './address-of.ts';
import { SourceFailure } from './failure.ts';
import { grantedClient, maxRedirects } from './granted.ts';

/** A source with a status by address; 200 for all others. */
function sourceOf(answers: { [address: string]: number | string }): {
  client: GuardedClient;
  asked: string[];
  headers: object[];
  discarded: () => number;
} {
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

const fixed: SourceGrant = {
  address: 'https://a.example/',
  until: null,
  renewable: false,
  redirects: false,
  verified: false,
};

/** Methods that answer their grants in turn, and then the last one; an error is thrown. */
function methodsOf(grants: Partial<Record<AddressMethod, (Partial<SourceGrant> | Error)[]>>): {
  by: (way: AddressMethod) => Promise<SourceGrant>;
  asked: AddressMethod[];
} {
  const asked: AddressMethod[] = [];
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
const permit = (): Promise<void> => Promise.resolve();
const denied = (): SourceFailure => new SourceFailure('callback_not_configured', 'none');

describe('a read with grants', () => {
  it('requests a reusable grant once, also for concurrent parts', async () => {
    const methods = methodsOf({ callback: [{ address: 'https://a.example/?1', renewable: true, until: 1000 }] });
    const source = sourceOf({});
    const client = grantedClient(source.client, {
      methods: ['callback'],
      obtain: async (method) => (await pause(5), methods.by(method)),
      permit,
      now: () => 999,
    });
    await Promise.all([
      client.request('https://registered.example/', options),
      client.request('https://registered.example/', options),
    ]);
    await client.request('https://registered.example/', options);
    expect({ methods: methods.asked, source: source.asked }).toEqual({
      methods: ['callback'],
      source: Array(3).fill('https://a.example/?1'),
    });
    expect(source.headers).toEqual(Array(3).fill(options.headers));
  });

  it('requests another grant after it has expired, and no sooner', async () => {
    let now = 0;
    const methods = methodsOf({
      callback: [
        { address: 'https://a.example/?1', until: 1000 },
        { address: 'https://a.example/?2', until: 1000 },
      ],
    });
    const source = sourceOf({});
    const client = grantedClient(source.client, { methods: ['callback'], obtain: methods.by, permit, now: () => now });
    for (const at of [0, 999, 1000, 1001]) {
      now = at;
      await client.request('', options);
    }
    // The second grant is expired on arrival, so each request obtains its own.
    expect(source.asked).toEqual([
      'https://a.example/?1',
      'https://a.example/?1',
      'https://a.example/?2',
      'https://a.example/?2',
    ]);
    expect(methods.asked).toHaveLength(3);
  });

  it('requests a new grant once if an accepted one is denied later', async () => {
    const answers: { [address: string]: number } = {};
    const source = sourceOf(answers);
    const methods = methodsOf({
      callback: [
        { address: 'https://a.example/?1', renewable: true },
        { address: 'https://a.example/?2', renewable: true },
      ],
    });
    const client = grantedClient(source.client, { methods: ['callback'], obtain: methods.by, permit, now: () => 0 });
    expect((await client.request('', options)).status).toBe(200);
    answers['https://a.example/?1'] = 403;
    expect((await client.request('', options)).status).toBe(200);
    answers['https://a.example/?2'] = 401;
    expect((await client.request('', options)).status).toBe(401);
    expect({
      source: source.asked.map((address) => address.slice(-1)),
      methods: methods.asked.length,
      discarded: source.discarded(),
    }).toEqual({ source: ['1', '1', '2', '2', '2'], methods: 3, discarded: 2 });
  });

  it.each([401, 403, 404, 410, 400, 302])(
    'switches to the next method at status %i of a new address',
    async (status) => {
      const source = sourceOf({ 'https://a.example/?callback': status });
      const methods = methodsOf({
        callback: [{ address: 'https://a.example/?callback', renewable: true }],
        stored: [{ address: 'https://a.example/?stored' }],
      });
      const client = grantedClient(source.client, {
        methods: ['callback', 'stored'],
        obtain: methods.by,
        permit,
        now: () => 0,
      });
      for (let times = 0; times < 3; times += 1) expect((await client.request('', options)).status).toBe(200);
      expect({ methods: methods.asked, asked: source.asked.length }).toEqual({
        methods: ['callback', 'stored'],
        asked: 4,
      });
    },
  );

  it.each([500, 503, 429, 412])('does not switch at status %i', async (status) => {
    const source = sourceOf({ 'https://a.example/': status });
    const methods = methodsOf({ callback: [{}], stored: [{ address: 'https://a.example/?stored' }] });
    expect(
      (
        await grantedClient(source.client, {
          methods: ['callback', 'stored'],
          obtain: methods.by,
          permit,
          now: () => 0,
        }).request('', options)
      ).status,
    ).toBe(status);
    expect(methods.asked).toEqual(['callback']);
  });

  it('uses the next method if an address is denied, but not after a temporary failure', async () => {
    const source = sourceOf({});
    const missing = methodsOf({ callback: [denied()], stored: [{ address: 'https://a.example/?stored' }] });
    await grantedClient(source.client, {
      methods: ['callback', 'stored'],
      obtain: missing.by,
      permit,
      now: () => 0,
    }).request('', options);
    expect(source.asked).toEqual(['https://a.example/?stored']);
    for (const [error, methods] of [
      [denied(), ['callback']],
      [new SourceFailure('source_callback_refused', 'no'), ['callback', 'stored']],
    ] as const) {
      const failing = methodsOf({ callback: [error], stored: [{}] });
      await expect(
        grantedClient(source.client, { methods, obtain: failing.by, permit, now: () => 0 }).request('', options),
      ).rejects.toBe(error);
      expect(failing.asked).toEqual(['callback']);
    }
  });

  it('reports whether the version of the last answer was checked', async () => {
    const source = sourceOf({ 'https://a.example/?connector': 404 });
    const methods = methodsOf({
      connector: [{ verified: true }, { address: 'https://a.example/?connector', verified: true }],
      public: [{ address: 'https://a.example/?public' }],
    });
    const client = grantedClient(source.client, {
      methods: ['connector', 'public'],
      obtain: methods.by,
      permit,
      now: () => 0,
    });
    expect(client.isVerified()).toBe(false);
    await client.request('', options);
    expect(client.isVerified()).toBe(true);
    const other = grantedClient(source.client, {
      methods: ['connector', 'public'],
      obtain: methods.by,
      permit,
      now: () => 0,
    });
    await other.request('', options);
    expect(other.isVerified()).toBe(false);
  });
});

describe('redirects of a source', () => {
  const chain = (length: number): { [address: string]: string } =>
    Object.fromEntries(
      Array.from({ length }, (_, at) => [
        at === 0 ? 'https://a.example/' : `https://h${at}.example/x`,
        `https://h${at + 1}.example/x`,
      ]),
    );
  const run = (answers: { [address: string]: number | string }, redirects: boolean) => {
    const source = sourceOf(answers);
    const client = grantedClient(source.client, {
      methods: ['connector'],
      permit,
      obtain: methodsOf({ connector: [{ redirects }] }).by,
      now: () => 0,
    });
    return { source, answer: client.request('', options) };
  };

  it('are followed if allowed, up to five', async () => {
    const five = run(chain(maxRedirects), true);
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

  it('may be relative, and end at an invalid location', async () => {
    const relative = run({ 'https://a.example/': '/files/1?verifier=2' }, true);
    expect((await relative.answer).status).toBe(200);
    expect(relative.source.asked).toEqual(['https://a.example/', 'https://a.example/files/1?verifier=2']);
    expect((await run({ 'https://a.example/': 'https://' }, true).answer).status).toBe(302);
  });

  it('checks that each address is allowed, before each request and each redirect', async () => {
    const methods = methodsOf({ connector: [{ address: 'https://a.example/', redirects: true }] });
    const source = sourceOf({ 'https://a.example/': 'https://elsewhere.example/x' });
    const checked: string[] = [];
    const refusal = new SourceFailure('source_host_not_allowed', 'elsewhere');
    const client = grantedClient(source.client, {
      methods: ['connector', 'public'],
      obtain: methods.by,
      permit: (address) => {
        checked.push(address);
        return address.includes('elsewhere') ? Promise.reject(refusal) : Promise.resolve();
      },
      now: () => 0,
    });
    for (let part = 0; part < 2; part += 1) await expect(client.request('', options)).rejects.toBe(refusal);
    const both = ['https://a.example/', 'https://elsewhere.example/x'];
    expect({ checked, asked: source.asked, methods: methods.asked }).toEqual({
      checked: [...both, ...both],
      asked: ['https://a.example/', 'https://a.example/'],
      methods: ['connector'],
    });
  });
});
