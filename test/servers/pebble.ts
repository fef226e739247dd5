import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cacheFolder } from '../../scripts/setup/paths.mjs';
import { ensureProgram, runProgram } from '../../scripts/setup/system.ts';
import { startListening } from './listening.ts';
import { withLock } from './lock.ts';
import { freePort } from './ports.ts';

/** A certificate authority with ACME. */
export interface Pebble {
  /** As in PLY_ACME_DIRECTORY. */
  directory: string;
  /** File with the certificate of its own address, PEM: what NODE_EXTRA_CA_CERTS needs. */
  trustFile: string;
  /** The root of the certificates that it issues, PEM. */
  root(): Promise<string>;
  stop(): Promise<void>;
}

/** What a test chooses. */
export interface PebbleOptions {
  /** DNS server that it looks hostnames up with. */
  dns: string;
  /** Port that it asks for challenges at. */
  httpPort: number;
  /** Its name in CAA records. */
  issuer?: string;
  /** Domains that it issues no certificates for. */
  blocked?: string[];
  /** The external account that it asks for: key id, and key in base64url. */
  externalAccount?: { keyId: string; hmacKey: string };
  /** How long its certificates are valid, in seconds. */
  validSeconds?: number;
}

const module = 'github.com/letsencrypt/pebble/v2/cmd/pebble@v2.10.1';
const folder = join(cacheFolder, 'servers', 'pebble');
const program = join(folder, 'pebble');

/** Builds Pebble, the test server of Let's Encrypt, into the cache folder. Returns why it is not available, or null. */
export async function installPebble(): Promise<string | null> {
  const openssl = await ensureProgram(['openssl', 'version'], ['openssl']);
  if (!openssl.ok) return openssl.reason;
  if (existsSync(program)) return null;
  return withLock(`${folder}.lock`, async () => {
    if (existsSync(program)) return null;
    const outcome = await runProgram('go', ['install', module], {
      environment: { GOBIN: folder, GOTOOLCHAIN: 'local', GOFLAGS: '-p=2' },
    });
    return outcome.ok ? null : outcome.reason;
  });
}

/** Starts Pebble on loopback; it ends with this process. Returns why it is not available as text. */
export async function startPebble(options: PebbleOptions): Promise<Pebble | string> {
  const missing = await installPebble();
  if (missing !== null) return `Pebble is not available: ${missing}`;
  const data = mkdtempSync(join(tmpdir(), 'ply-pebble-'));
  const [certificate, key] = [join(data, 'own.pem'), join(data, 'own.key')];
  const made = await runProgram('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'],
    ...['-subj', '/CN=pebble', '-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', key, '-out', certificate],
  ]);
  if (!made.ok) throw new Error(`openssl made no certificate: ${made.reason}`);
  const management = await freePort();
  const configuration = join(data, 'pebble.json');
  const command = (port: number): string[] => {
    const { issuer, blocked = [], httpPort, externalAccount: account, validSeconds = 7_776_000 } = options;
    writeFileSync(
      configuration,
      JSON.stringify({
        pebble: {
          listenAddress: `127.0.0.1:${port}`,
          managementListenAddress: `127.0.0.1:${management}`,
          certificate,
          privateKey: key,
          httpPort,
          tlsPort: 1,
          keyAlgorithm: 'ecdsa',
          caaIdentities: issuer === undefined ? [] : [issuer],
          domainBlocklist: blocked,
          externalAccountBindingRequired: account !== undefined,
          externalAccountMACKeys: account === undefined ? {} : { [account.keyId]: account.hmacKey },
          retryAfter: { authz: 1, order: 1 },
          profiles: { default: { description: 'default', validityPeriod: validSeconds } },
        },
      }),
    );
    // Without its random pause before it asks for a challenge.
    return ['env', 'PEBBLE_VA_NOSLEEP=1', program, '-config', configuration, '-dnsserver', options.dns];
  };
  const { port, stop } = await startListening('pebble', command, data);
  return {
    directory: `https://127.0.0.1:${port}/dir`,
    trustFile: certificate,
    root: async () => {
      const answer = await runProgram('curl', [
        ...['-sS', '--cacert', certificate, `https://127.0.0.1:${management}/roots/0`],
      ]);
      if (!answer.ok) throw new Error(`Pebble does not answer its root: ${answer.reason}`);
      return answer.output;
    },
    stop,
  };
}

/** The certificate that is in a file. */
export function pemIn(file: string): string {
  return readFileSync(file, 'utf8');
}
