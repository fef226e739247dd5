import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { request as secureRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BucketView } from '../../models/bucket.ts';
import type { DomainView } from '../../models/domain.ts';
import { startTestDns } from '../servers/dns.ts';
import { startPebble, type Pebble } from '../servers/pebble.ts';
import { freePort } from '../servers/ports.ts';
import { runProgram } from '../../scripts/setup/system.ts';
import { skipWithReason } from '../support/servers.ts';
import { content, until } from './support/client.ts';
import { startTestProgram, type TestProgram } from './support/program.ts';
import { createBucket, putObject } from './support/storage.ts';

const issuer = 'authority.net';
const path = `${content}/domains`;
const dns = await startTestDns();
const deliveryPort = await freePort();
const tlsPort = await freePort();
const pebble = await startPebble({ dns: dns.address, httpPort: deliveryPort, issuer });
afterAll(async () => {
  if (typeof pebble !== 'string') await pebble.stop();
  await dns.stop();
});

const title = 'a custom domain with a certificate of its own';
if (typeof pebble === 'string') skipWithReason(title, pebble);
else describe(title, () => certifiedDomains(pebble));

/** Asks the edge for a path under a hostname; over TLS where `ca` says whose certificates are trusted. */
function deliver(hostname: string, target: string, ca?: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', path: target, headers: { Host: hostname }, agent: false as const };
    const asked =
      ca === undefined
        ? request({ ...options, port: deliveryPort })
        : secureRequest({ ...options, port: tlsPort, servername: hostname, ca });
    asked.on('response', (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => (body += text));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
    });
    asked.on('error', reject).end();
  });
}

/** Makes a certificate that signs itself, and its key, in a folder. */
async function selfSigned(folder: string, name: string): Promise<{ certificate: string; key: string }> {
  const [certificate, key] = [join(folder, 'own.pem'), join(folder, 'own.key')];
  const made = await runProgram('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'],
    ...['-subj', '/CN=own', '-addext', `subjectAltName=DNS:${name}`, '-keyout', key, '-out', certificate],
  ]);
  if (!made.ok) throw new Error(`openssl made no certificate: ${made.reason}`);
  return { certificate, key };
}

function certifiedDomains({ directory, trustFile, root }: Pebble): void {
  const folder = mkdtempSync(join(tmpdir(), 'ply-certificates-'));
  let ownCertificate: string;
  let program: TestProgram;
  let bucket: BucketView;
  beforeAll(async () => {
    const own = await selfSigned(folder, '*.cdn.service.net');
    ownCertificate = readFileSync(own.certificate, 'utf8');
    program = await startTestProgram({
      PLY_DELIVERY_TLS_PORT: String(tlsPort),
      PLY_DELIVERY_TLS_CERTIFICATE: own.certificate,
      PLY_DELIVERY_TLS_KEY: own.key,
      PLY_DNS_SERVERS: dns.address,
      PLY_DELIVERY_DOMAIN: 'cdn.service.net',
      PLY_DELIVERY_PORT: String(deliveryPort),
      PLY_ACME_DIRECTORY: directory,
      NODE_EXTRA_CA_CERTS: trustFile,
    });
    bucket = await createBucket(program.admin, { visibility: 'public' });
    await putObject(program.admin, bucket.id, 'a.txt', Buffer.from('hello'), { contentType: 'text/plain' });
    dns.records.set(bucket.defaultHostname, { A: ['127.0.0.1'] });
  });
  afterAll(async () => {
    await program.end();
    rmSync(folder, { recursive: true });
  });

  const read = (id: string): Promise<DomainView> => program.admin.get(200, 'GET', `${path}/${id}`);
  const reaches = (id: string, state: DomainView['state']): Promise<DomainView> =>
    until(
      () => read(id),
      (domain) => domain.state === state || domain.state === 'failed',
    );
  /** Adds a hostname whose records are made when it is known what they are. */
  async function add(hostname: string): Promise<DomainView> {
    const domain = await program.admin.get<DomainView>(202, 'POST', path, {
      body: { bucketId: bucket.id, hostname },
      headers: { 'Idempotency-Key': randomUUID() },
    });
    const [txt, cname] = domain.records;
    dns.records.set(txt?.name ?? '', { TXT: [txt?.value ?? ''] });
    dns.records.set(hostname, { CNAME: cname?.value ?? '' });
    await program.admin.get(202, 'POST', `${path}/${domain.id}/check`);
    return domain;
  }

  it('is delivered once it is active, also after a restore, and no more once it is deleted', async () => {
    const hostname = `files.${randomUUID()}.com`;
    expect((await deliver(hostname, '/a.txt')).status).toBe(404);
    const { id } = await add(hostname);
    const active = await reaches(id, 'active');
    expect(active).toMatchObject({ state: 'active', checks: { certificate: 'active' }, failureReason: null });
    const delivered = (status: number): Promise<unknown> =>
      until(
        () => deliver(hostname, '/a.txt'),
        (answer) => answer.status === status,
        10_000,
      );
    await delivered(200);
    expect((await deliver(hostname, '/a.txt')).body).toBe('hello');
    expect(await deliver(hostname, '/a.txt', await root())).toEqual({ status: 200, body: 'hello' });
    await program.process.kill();
    await program.start();
    await delivered(200);
    await program.admin.get(202, 'DELETE', `${content}/buckets/${bucket.id}`);
    await delivered(404);
    await until(
      () => program.admin.get<BucketView>(200, 'GET', `${content}/buckets/${bucket.id}`),
      ({ state }) => state === 'deleted',
    );
    await program.admin.get(200, 'POST', `${content}/buckets/${bucket.id}/restore`);
    await delivered(200);
    expect((await read(id)).state).toBe('active');
    await program.admin.get(204, 'DELETE', `${path}/${id}`);
    await delivered(404);
  });

  it('is delivered over TLS under the default hostname with the certificate of the operator, and under no other', async () => {
    expect(await deliver(bucket.defaultHostname, '/a.txt', ownCertificate)).toEqual({ status: 200, body: 'hello' });
    await expect(deliver('stranger.example.com', '/a.txt', ownCertificate)).rejects.toThrow();
    expect((await deliver(bucket.defaultHostname, '/none.txt', ownCertificate)).status).toBe(404);
  });

  it('fails where CAA records forbid the authority, and shows the record to add', async () => {
    const domain = `${randomUUID()}.com`;
    dns.records.set(domain, { SOA: true, CAA: [{ flags: 0, tag: 'issue', value: 'other.net' }] });
    const { id } = await add(`files.${domain}`);
    const failed = await reaches(id, 'active');
    expect(failed).toMatchObject({ state: 'failed', failureReason: 'caa_blocks_certificate' });
    expect(failed.records[2]).toEqual({ type: 'CAA', name: domain, value: `0 issue "${issuer}"` });
  });

  it('waits for its certificate while the authority refuses it', async () => {
    const hostname = `files.${randomUUID()}.com`;
    dns.records.set(bucket.defaultHostname, { A: ['127.0.0.9'] });
    const { id } = await add(hostname);
    const waiting = await until(
      () => read(id),
      ({ state, nextCheckAt }) => state === 'issuing_certificate' && nextCheckAt !== null,
    );
    expect(waiting).toMatchObject({ failureReason: null, checks: { certificate: 'pending' } });
    expect((await deliver(hostname, '/a.txt')).status).toBe(404);
  });
}
