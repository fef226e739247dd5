import * as acme from 'acme-client';
import { createPrivateKey, randomBytes, X509Certificate } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { Agent } from 'node:https';
import { setTimeout as pause } from 'node:timers/promises';
import { challengeAnswer } from '../../../mixins/storage/acme-challenges.ts';
import { acmeAccounts, acmeChallenges } from '../../../models/acme.ts';
import { systemScope } from '../../../models/scope.ts';
import { startTestDns, type TestDns } from '../../../test/servers/dns.ts';
import { pemIn, startPebble, type Pebble } from '../../../test/servers/pebble.ts';
import { freePort } from '../../../test/servers/ports.ts';
import { skipWithReason } from '../../../test/support/servers.ts';
import { testApp, type TestApp } from '../../../test/support/app.ts';
import { openAuthority, type CertificateAuthority } from './authority.ts';
import { caaOf } from './caa.ts';
import { openDns } from './dns.ts';

const issuer = 'authority.net';
const hostname = 'files.customer.com';
const signal = AbortSignal.timeout(200_000);

const dns = await startTestDns();
const httpPort = await freePort();
const pebble = await startPebble({
  dns: dns.address,
  httpPort,
  issuer,
  blocked: ['blocked.com'],
  validSeconds: 864_000,
});
const externalAccount = { keyId: 'external-1', hmacKey: randomBytes(32).toString('base64url') };
const bound = await startPebble({ dns: dns.address, httpPort, externalAccount });
if (typeof pebble === 'string') skipWithReason('a certificate over ACME', pebble);
else describe('a certificate over ACME', () => certificatesOf(pebble));
if (typeof bound === 'string') skipWithReason('an external ACME account', bound);
else describe('an authority that asks for an external account', () => externalAccounts(bound));
afterAll(async () => {
  await dns.stop();
  if (typeof pebble !== 'string') await pebble.stop();
  if (typeof bound !== 'string') await bound.stop();
});

function externalAccounts({ directory, trustFile }: Pebble): void {
  const { keyId, hmacKey } = externalAccount;
  /** Opens an account, by an order whose hostname is not proved. Returns why there is no certificate. */
  async function refusal(settings: { [variable: string]: string }): Promise<unknown> {
    const test = await testApp({ PLY_ACME_DIRECTORY: directory, ...settings });
    acme.axios.defaults.httpsAgent = new Agent({ ca: pemIn(trustFile) });
    dns.records.set(hostname, { A: ['127.0.0.3'] });
    try {
      return await openAuthority(test.app)
        ?.issue(hostname, signal)
        .catch((error: unknown) => error);
    } finally {
      await test.close();
    }
  }

  it('opens one with the key that it gave, and not without it or with another', async () => {
    // The account is there: what is missing is the proof.
    const settings = { PLY_ACME_EAB_KEY_ID: keyId, PLY_ACME_EAB_HMAC_KEY: hmacKey };
    expect(await refusal(settings)).toMatchObject({ name: 'CertificateRefused', reason: 'certificate_failed' });
    const other = { ...settings, PLY_ACME_EAB_HMAC_KEY: randomBytes(32).toString('base64url') };
    for (const wrong of [{}, other]) {
      const error = await refusal(wrong);
      expect(error).toBeInstanceOf(Error);
      expect(error).not.toMatchObject({ name: 'CertificateRefused' });
    }
  });
}

function certificatesOf({ directory, trustFile, root }: Pebble): void {
  let test: TestApp;
  let edge: Server;
  let authority: CertificateAuthority;
  let answered: string[];
  beforeEach(async () => {
    test = await testApp({ PLY_ACME_DIRECTORY: directory });
    acme.axios.defaults.httpsAgent = new Agent({ ca: pemIn(trustFile) });
    answered = [];
    edge = createServer((request, response) => {
      const path = request.url ?? '';
      challengeAnswer(test.app, path).then(
        (answer) => {
          answered.push(path);
          response.writeHead(answer === null ? 404 : 200).end(answer ?? '');
        },
        () => response.destroy(),
      );
    });
    await new Promise<void>((resolve) => edge.listen(httpPort, '127.0.0.1', resolve));
    dns.records.set(hostname, { CNAME: 'bucket.cdn.net' });
    dns.records.set('bucket.cdn.net', { A: ['127.0.0.1'] });
    const opened = openAuthority(test.app);
    if (opened === null) throw new Error('there is no authority');
    authority = opened;
  });
  afterEach(async () => {
    edge.closeAllConnections();
    await new Promise((resolve) => edge.close(resolve));
    await test.close();
  });

  it('is issued once the edges answer the challenge, with its own key', async () => {
    const { chain, key, notBefore, notAfter } = await authority.issue(hostname, signal);
    const certificate = new X509Certificate(chain);
    expect(certificate.checkHost(hostname)).toBe(hostname);
    expect(certificate.checkPrivateKey(createPrivateKey(key))).toBe(true);
    expect([Date.parse(certificate.validFrom), Date.parse(certificate.validTo)]).toEqual([notBefore, notAfter]);
    expect(new X509Certificate(await root()).ca).toBe(true);
    expect(answered.length).toBeGreaterThan(0);
    // Nothing is left over, and the next order uses the same account.
    expect(await test.app.records.collection(acmeChallenges, systemScope).find({ filter: {}, limit: 5 })).toEqual([]);
    expect((await openAuthority(test.app)?.issue(hostname, signal))?.chain).toContain('BEGIN CERTIFICATE');
    const accounts = await test.app.records.collection(acmeAccounts, systemScope).find({ filter: {}, limit: 5 });
    expect(accounts).toHaveLength(1);
    expect(JSON.stringify(accounts)).not.toContain('PRIVATE KEY');
  });

  it('is refused where the hostname leads elsewhere', async () => {
    dns.records.set(hostname, { A: ['127.0.0.3'] });
    await expect(authority.issue(hostname, signal)).rejects.toMatchObject({
      name: 'CertificateRefused',
      reason: 'certificate_failed',
    });
  });

  it('may be had later where the authority takes no order, or is away', async () => {
    await expect(authority.issue('files.blocked.com', signal)).rejects.not.toMatchObject({
      name: 'CertificateRefused',
    });
  });

  it('is stopped with its process', async () => {
    const stopping = new AbortController();
    const issued = authority.issue(hostname, stopping.signal);
    await pause(1);
    stopping.abort(new Error('the process stops'));
    await expect(issued).rejects.toThrow('the process stops');
  });

  it('names its issuer in CAA records', async () => {
    expect(await authority.issuers()).toEqual([issuer]);
  });
}

describe('CAA records', () => {
  const look = (server: TestDns) => caaOf(openDns({ PLY_DNS_SERVERS: [server.address] }), hostname, [issuer]);
  const issue = (value: string, flags = 0) => ({ flags, tag: 'issue', value });

  it('of the nearest domain that has any count', async () => {
    const server = await startTestDns({ [hostname]: { A: ['192.0.2.1'] } });
    expect(await look(server)).toBe('allowed');
    server.records.set('com', { CAA: [issue('other.net')] });
    expect(await look(server)).toEqual({ name: 'com', value: `0 issue "${issuer}"` });
    server.records.set('customer.com', { CAA: [issue('other.net'), issue(issuer)] });
    expect(await look(server)).toBe('allowed');
    server.records.set(hostname, { CAA: [issue(';')] });
    expect(await look(server)).toEqual({ name: hostname, value: `0 issue "${issuer}"` });
    server.mode = 'failing';
    expect(await look(server)).toBe('unknown');
    await server.stop();
  });

  it.each([
    [[issue(issuer)], true],
    [[issue(issuer.toUpperCase())], true],
    [[issue(`${issuer}; validationmethods=dns-01,http-01`)], true],
    [[issue(`${issuer}; validationmethods=dns-01`)], false],
    [[issue('')], false],
    [[{ flags: 0, tag: 'iodef', value: 'mailto:a@customer.com' }], true],
    [[{ flags: 0, tag: 'issuewild', value: ';' }], true],
    [[issue(issuer), { flags: 128, tag: 'tbs', value: 'x' }], false],
    [[issue(issuer), { flags: 0, tag: 'tbs', value: 'x' }], true],
  ])('%j allow it: %j', async (records, isAllowed) => {
    const server = await startTestDns({ 'customer.com': { CAA: records } });
    expect((await look(server)) === 'allowed').toBe(isAllowed);
    await server.stop();
  });

  it('are not looked at where the authority does not say its name', async () => {
    const server = await startTestDns({ 'customer.com': { CAA: [issue(';')] } });
    expect(await caaOf(openDns({ PLY_DNS_SERVERS: [server.address] }), hostname, [])).toBe('allowed');
    expect(server.asked).toEqual([]);
    await server.stop();
  });
});
