import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureProgram, runProgram } from '../../scripts/setup/system.ts';

/** A certificate with its key, PEM. */
export interface IssuedCertificate {
  cert: string;
  key: string;
}

/** A certificate authority of a test. */
export interface TestAuthority {
  /** File with its root, PEM: what NODE_EXTRA_CA_CERTS needs. */
  trustFile: string;
  /** A certificate for `localhost` and 127.0.0.1, or for another subject alternative name such as `DNS:a.example`. */
  issue(subject?: string): Promise<IssuedCertificate>;
  remove(): void;
}

async function openssl(...words: string[]): Promise<void> {
  const made = await runProgram('openssl', words);
  if (!made.ok) throw new Error(`openssl failed: ${made.reason}`);
}

const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

/** Makes a certificate authority in a temporary folder. */
export async function makeTestAuthority(): Promise<TestAuthority> {
  const present = await ensureProgram(['openssl', 'version'], ['openssl']);
  if (!present.ok) throw new Error(`openssl is not available: ${present.reason}`);
  const folder = mkdtempSync(join(tmpdir(), 'ply-authority-'));
  const [root, rootKey] = [join(folder, 'root.pem'), join(folder, 'root.key')];
  await openssl('req', '-x509', ...newKey, '-days', '2', '-subj', '/CN=test root', '-keyout', rootKey, '-out', root);
  let issued = 0;
  return {
    trustFile: root,
    issue: async (subject = 'DNS:localhost,IP:127.0.0.1') => {
      issued += 1;
      const [request, key, cert, extensions] = ['csr', 'key', 'pem', 'ext'].map((end) =>
        join(folder, `${issued}.${end}`),
      );
      if (request === undefined || key === undefined || cert === undefined || extensions === undefined)
        throw new Error('no file names');
      writeFileSync(extensions, `subjectAltName=${subject}\n`);
      await openssl('req', ...newKey, '-subj', '/CN=test', '-keyout', key, '-out', request);
      const signing = ['-CA', root, '-CAkey', rootKey, '-CAcreateserial', '-days', '2', '-extfile', extensions];
      await openssl('x509', '-req', '-in', request, ...signing, '-out', cert);
      return { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') };
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
