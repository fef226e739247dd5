import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { projectRoot } from '../../scripts/setup/paths.mjs';
import { runProgram } from '../../scripts/setup/system.ts';
import { skipWithReason } from '../support/servers.ts';
import { installServer, serverFiles } from './install.ts';
import { freePort } from './ports.ts';
import { startProcess, type ServerProcess } from './process.ts';

const host = '127.0.0.1';
const password = 'a+secret';
const missing = [await installServer('nats'), await installServer('redis')].filter((reason) => reason !== null);
const hasOpenssl = (await runProgram('openssl', ['version'])).ok;
if (missing.length > 0 || !hasOpenssl)
  skipWithReason('stores with TLS and passwords', hasOpenssl ? missing.join('; ') : 'openssl is not installed');
else {
  const folder = mkdtempSync(join(tmpdir(), 'ply-authentication-'));
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  const servers: ServerProcess[] = [];
  let ports: { nats: number; redis: number };

  async function start(command: readonly string[], port: number): Promise<void> {
    servers.push(await startProcess(command, join(folder, 'server.log')));
    const answers = (): Promise<boolean> =>
      new Promise((resolve) => {
        const socket = connect(port, host, () => resolve(true)).once('error', () => resolve(false));
        socket.once('close', () => undefined).unref();
        setTimeout(() => socket.destroy(), 50);
      });
    while (!(await answers())) await pause(50);
  }

  beforeAll(async () => {
    const made = await runProgram('openssl', [
      ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost'],
      ...['-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1', '-keyout', key, '-out', certificate],
    ]);
    if (!made.ok) throw new Error(made.reason);
    ports = { nats: await freePort(), redis: await freePort() };
    const configuration = join(folder, 'nats.conf');
    writeFileSync(
      configuration,
      `max_payload: 64MB\nauthorization { user: ply, password: "${password}" }\ntls { cert_file: "${certificate}", key_file: "${key}" }\n`,
    );
    mkdirSync(join(folder, 'nats'));
    await start(
      [serverFiles.nats, '-c', configuration, '-a', host, '-p', String(ports.nats), '-js', '-sd', join(folder, 'nats')],
      ports.nats,
    );
    await start(
      [
        ...['redis-server', '--bind', host, '--port', '0', '--tls-port', String(ports.redis), '--save', ''],
        ...['--tls-cert-file', certificate, '--tls-key-file', key, '--tls-ca-cert-file', certificate],
        ...['--tls-auth-clients', 'no', '--requirepass', password, '--dir', folder],
      ],
      ports.redis,
    );
  });
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.kill()));
    rmSync(folder, { recursive: true, force: true });
  });

  /** What the servers answer to these credentials. */
  async function answers(given: string, trusts: boolean): Promise<string[]> {
    const outcome = await runProgram(
      process.execPath,
      [
        '--disable-warning=ExperimentalWarning',
        join(projectRoot, 'test/servers/testing/open-authenticated.ts'),
        `tls://ply:${encodeURIComponent(given)}@localhost:${ports.nats}`,
        `rediss://:${encodeURIComponent(given)}@localhost:${ports.redis}`,
      ],
      { environment: trusts ? { NODE_EXTRA_CA_CERTS: certificate } : {} },
    );
    return outcome.ok ? outcome.output.trim().split('\n') : [outcome.reason];
  }

  describe('NATS and Redis with TLS and a password', () => {
    it('are used with both in their addresses, percent-encoded', async () => {
      expect(await answers(password, true)).toEqual(['NATS accepted', 'Redis accepted']);
    });

    it('refuse another password, and are refused without a trusted certificate', async () => {
      for (const lines of [await answers('another', true), await answers(password, false)])
        expect(lines).toEqual([expect.stringMatching(/^NATS refused/), expect.stringMatching(/^Redis refused/)]);
    });
  });
}
