import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { projectRoot } from '../../scripts/setup/paths.mjs';
import { CallbackReceiver } from '../../test/support/callback-receiver.ts';
import { callbackBody, callbackHeaders, readCallbackAnswer } from './callback.ts';

const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 });
const file = fc.record({
  organizationId: fc.uuid(),
  externalId: text,
  sourceVersion: text,
  sourceUrl: fc.webUrl({ withQueryParameters: true }),
});
const now = 1_800_000_000_000;
const page = readFileSync(join(projectRoot, 'docs/sources.md'), 'utf8');

/** Whether a receiver accepts a request. */
function judged(receiver: CallbackReceiver, body: string, headers: Record<string, string>): string | null {
  return receiver.fault('POST', headers, Buffer.from(body, 'utf8'));
}

describe('a request to a callback', () => {
  it('is as documented, and verified by the documented code', () => {
    const body = callbackBody({
      organizationId: '0f8fad5b-d9cb-469f-a165-70867728950e',
      externalId: 'lectures/cells.pdf',
      sourceVersion: '"9b2cf535f27731c9"',
      sourceUrl: 'https://files.example.com/lectures/cells.pdf',
    });
    expect(body).toBe(
      '{"organizationId":"0f8fad5b-d9cb-469f-a165-70867728950e","externalId":"lectures/cells.pdf","sourceVersion":"\\"9b2cf535f27731c9\\"","sourceUrl":"https://files.example.com/lectures/cells.pdf"}',
    );
    const signing = {
      timestamp: 1_790_000_000,
      nonce: 'qk3vXn0sC1yT7bJd9LwEoA2M',
      secret: 'an example secret that nobody uses',
    };
    const shown = /```http\n([^]*?)\n\n([^]*?)\n```/.exec(page);
    const headers = Object.fromEntries(
      (shown?.[1] ?? '')
        .split('\n')
        .slice(1)
        .map((line) => line.split(': '))
        .map(([name = '', value = '']) => [name.toLowerCase(), value]),
    );
    expect(shown?.[2]).toBe(body);
    expect(headers).toEqual({ host: 'callback.example.com', ...callbackHeaders(body, signing) });
    expect(page).toContain(signing.secret);

    const calls = [
      `Date.now = () => ${signing.timestamp}999;`,
      `const ask = (headers, body) => isFromPly({ ...${JSON.stringify(headers)}, ...headers }, Buffer.from(body), ${JSON.stringify(signing.secret)});`,
      `const body = ${JSON.stringify(body)};`,
      `console.log(JSON.stringify([ask({}, body + ' '), ask({ 'x-content-nonce': 'other' }, body), ask({}, body), ask({}, body), (Date.now = () => ${signing.timestamp + 301}000, ask({}, body))]));`,
    ].join('\n');
    const code = /```js\n([^]*?)\n```/.exec(page)?.[1] ?? '';
    expect(
      execFileSync(process.execPath, ['--input-type=module', '--eval', `${code}\n${calls}`], {
        encoding: 'utf8',
      }).trim(),
    ).toBe('[false,false,true,false,false]');
  });

  it('is verified by a documented receiver with the same secret only', () => {
    fc.assert(
      fc.property(
        file,
        fc.string({ unit: 'grapheme', minLength: 32, maxLength: 64 }),
        fc.base64String({ minLength: 4 }),
        (asked, secret, nonce) => {
          const body = callbackBody(asked);
          const headers = callbackHeaders(body, { timestamp: now / 1000, nonce, secret });
          const receiver = new CallbackReceiver(secret, () => now);
          expect(judged(receiver, body, headers)).toBeNull();
          expect(judged(receiver, body, headers)).toBe(`nonce ${nonce} again`);
          expect(judged(new CallbackReceiver(`${secret}.`, () => now), body, headers)).toBe(
            'the signature is not that of the body',
          );
          expect(JSON.parse(body)).toEqual(asked);
        },
      ),
    );
  });

  it('is not verified if it is modified or too old', () => {
    fc.assert(
      fc.property(file, fc.nat(), (asked, offset) => {
        const body = callbackBody(asked);
        const headers = callbackHeaders(body, { timestamp: now / 1000, nonce: 'nonce', secret: 'secret' });
        const at = offset % body.length;
        const changed = `${body.slice(0, at)}${body[at] === 'x' ? 'y' : 'x'}${body.slice(at + 1)}`;
        const receiver = new CallbackReceiver('secret', () => now);
        expect(judged(receiver, changed, headers)).not.toBeNull();
        expect(judged(receiver, body, { ...headers, 'x-content-timestamp': String(now / 1000 + 1) })).not.toBeNull();
        expect(judged(receiver, body, { ...headers, 'x-content-nonce': 'another' })).not.toBeNull();
        for (const seconds of [-301, 301])
          expect(judged(new CallbackReceiver('secret', () => now + seconds * 1000), body, headers)).toBe(
            `timestamp ${now / 1000}`,
          );
        for (const seconds of [-300, 300])
          expect(judged(new CallbackReceiver('secret', () => now + seconds * 1000), body, headers)).toBeNull();
      }),
    );
  });
});

describe('the response of a callback', () => {
  const registered = 'https://files.example.com/a/b.pdf';
  const read = (answer: unknown) =>
    readCallbackAnswer(
      Buffer.from(typeof answer === 'string' ? answer : JSON.stringify(answer)),
      registered,
      'deny',
      now,
    );
  const expiresAt = new Date(now + 600_000).toISOString();

  it.each([
    [{ url: `${registered}?sig=1`, expiresAt }, `${registered}?sig=1`],
    [{ url: registered, sasToken: '?sp=r&sig=1', expiresAt }, `${registered}?sp=r&sig=1`],
    [{ url: `${registered}?sig=1`, sasToken: null, expiresAt, more: [] }, `${registered}?sig=1`],
    [{ url: registered, expiresAt }, registered],
  ])('%j is an address', (answer, address) => {
    expect(read(answer)).toEqual({ address, expiresAt: now + 600_000 });
  });

  it.each([
    '2027-01-15T08:10:00Z',
    '2027-01-15T10:10:00+02:00',
    '2027-01-15T08:10:00.0000000Z',
    '2027-01-15t08:10:00.000z',
  ])('may expire at %s', (until) => {
    expect(read({ url: `${registered}?sig=1`, expiresAt: until }).expiresAt).toBe(now + 600_000);
  });

  it.each<[unknown, string]>([
    ['', 'source_callback_refused'],
    ['no json', 'source_callback_refused'],
    ['[]', 'source_callback_refused'],
    ['null', 'source_callback_refused'],
    ['"https"', 'source_callback_refused'],
    [{ url: 5, expiresAt }, 'source_callback_refused'],
    [{ url: registered, sasToken: 5, expiresAt }, 'source_callback_refused'],
    [{ url: registered, sasToken: '', expiresAt }, 'source_callback_refused'],
    [{ url: registered, sasToken: 'sig=1 2', expiresAt }, 'source_callback_refused'],
    [{ url: registered }, 'source_callback_refused'],
    [{ url: registered, expiresAt: null }, 'source_callback_refused'],
    [{ url: registered, expiresAt: now / 1000 + 600 }, 'source_callback_refused'],
    [{ url: registered, expiresAt: '2027-01-15' }, 'source_callback_refused'],
    [{ url: registered, expiresAt: '2027-01-15T08:10:00' }, 'source_callback_refused'],
    [{ url: registered, expiresAt: '2027-02-30T08:10:00Z' }, 'source_callback_refused'],
    [{ url: registered, expiresAt: new Date(now).toISOString() }, 'source_callback_refused'],
    [{ url: `${registered}?sig=1`, sasToken: 'sig=2', expiresAt }, 'ambiguous_source_credentials'],
    [{ url: 'https://files.example.com/a/c.pdf?sig=1', expiresAt }, 'source_access_mismatch'],
    [{ url: 'https://other.example.com/a/b.pdf?sig=1', expiresAt }, 'source_access_mismatch'],
    [{ url: 'http://files.example.com/a/b.pdf?sig=1', expiresAt }, 'source_access_mismatch'],
    [{ url: 'https://files.example.com:8443/a/b.pdf?sig=1', expiresAt }, 'source_access_mismatch'],
    [{ url: 'https://u:p@files.example.com/a/b.pdf', expiresAt }, 'source_access_mismatch'],
    [{ url: `${registered}#sig=1`, expiresAt }, 'source_access_mismatch'],
    [{ url: '/a/b.pdf?sig=1', expiresAt }, 'source_access_mismatch'],
  ])('%j is none', (answer, code) => {
    expect(() => read(answer)).toThrow(expect.objectContaining({ name: 'SourceFailure', code, outcome: 'temporary' }));
  });

  it('must be UTF-8, and is not quoted in failures', () => {
    expect(() => readCallbackAnswer(Uint8Array.of(0xff, 0x7b), registered, 'deny', now)).toThrow(
      expect.objectContaining({ code: 'source_callback_refused' }),
    );
    for (const answer of [
      '{"url":"geheim',
      { url: 'geheim', expiresAt },
      { url: `${registered}?sig=geheim`, sasToken: 'sig=geheim', expiresAt },
      { url: registered, sasToken: 'sig=geheim x', expiresAt },
    ]) {
      expect(() => read(answer)).toThrow(expect.not.objectContaining({ message: expect.stringContaining('geheim') }));
    }
  });
});
