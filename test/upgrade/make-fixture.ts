import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../servers/ports.ts';
import { Client, content } from '../api/support/client.ts';
import { Source } from '../api/support/source.ts';
import { dumpDatabase, sourcePlaceholder, type Fixture } from './fixture.ts';

/*
 * Creates the fixture of a version: starts that version's program, registers files with different outcomes, kills it
 * while some are in progress, and writes its data folder as JSON.
 *
 *   node test/upgrade/make-fixture.ts <folder with the version's program> <file to write>
 */

const [programFolder, target] = process.argv.slice(2);
if (programFolder === undefined || target === undefined)
  throw new Error("arguments: <folder with the version's program> <file to write>");

const organizationId = '7b2f6f0c-5d0e-4c56-9c55-6f1f0a7d0001';
const [adminKey, standardKey] = [
  'ply_fixture_admin_key_of_an_earlier_version',
  'ply_fixture_standard_key_of_an_earlier_version',
];
const secretKey = Buffer.alloc(32, 7).toString('base64');
const folder = mkdtempSync(join(tmpdir(), 'ply-fixture-'));
const source = new Source();
await source.start();
const port = await freePort();
const program = spawn(process.execPath, ['main.ts'], {
  cwd: programFolder,
  stdio: 'inherit',
  env: {
    PATH: process.env['PATH'],
    PLY_API_PORT: String(port),
    PLY_METRICS_PORT: String(await freePort()),
    PLY_DATA_DIR: folder,
    PLY_PRIVATE_NETWORKS: 'allow',
    PLY_EMBEDDING_THREADS: '0',
    PLY_RETRY_BASE_MS: '600000',
    PLY_LEASE_SECONDS: '600',
    PLY_EXTRACTOR_SLOTS: '1',
    PLY_SECRET_KEY: secretKey,
    PLY_BOOTSTRAP_ORGANIZATION_ID: organizationId,
    PLY_BOOTSTRAP_ADMIN_KEY: adminKey,
    PLY_BOOTSTRAP_STANDARD_KEY: standardKey,
  },
});
const url = `http://127.0.0.1:${port}`;
for (let tries = 0; ; tries += 1) {
  const answers = await fetch(`${url}/health/ready`).then(
    (response) => response.ok,
    () => false,
  );
  if (answers) break;
  if (tries === 100) throw new Error('the program did not start');
  await pause(200);
}
const client = new Client(url, organizationId, standardKey);

await client.indexed({
  externalId: 'open',
  filename: 'open.txt',
  ...source.put('open', 'The lighthouse keeper counts passing herring boats.'),
});
const restricted = await client.indexed({
  externalId: 'restricted',
  filename: 'restricted.txt',
  principals: ['group:crew'],
  metadata: { shelf: 'north' },
  ...source.put('restricted', 'The smuggled amber lies below the lighthouse stairs.'),
});
await client.indexed({
  externalId: 'replaced',
  filename: 'before.txt',
  ...source.put('replaced', 'An early draft about barometers.'),
});
await client.indexed({
  externalId: 'replaced',
  filename: 'after.txt',
  ...source.put('replaced', 'The final chapter about barometers and hygrometers.'),
});
const removed = await client.indexed({
  externalId: 'removed',
  filename: 'removed.txt',
  ...source.put('removed', 'Nobody may read about submarines.'),
});
await client.get(202, 'DELETE', `${content}/assets/${removed.assetId}`);
await client.indexed({
  externalId: 'large',
  filename: 'large.txt',
  ...source.put(
    'large',
    Array.from({ length: 250 }, (_, at) => `Paragraph ${at} tells of tides and periscope${at}.`).join('\n\n'),
  ),
});
// Further calls between actors, to record them as well.
await client.search({ query: 'lighthouse', principals: ['group:crew'] });
const asset = `${content}/assets/${restricted.assetId}`;
for (const path of [
  asset,
  `${asset}/jobs`,
  `${asset}/metadata`,
  `${asset}/permissions`,
  `${content}/assets`,
  `${content}/activity`,
  `${content}/capabilities`,
])
  await client.get(200, 'GET', path);
await client.get(200, 'PUT', `${asset}/permissions`, {
  body: { mode: 'restricted', principals: ['group:crew', 'user:warden'] },
});
await new Client(url, organizationId, adminKey).createOrganization('A second organization');
const failing = await client.register({
  externalId: 'failed',
  filename: 'failed.pdf',
  ...source.put('failed', 'This is no PDF at all.'),
});
await client.reaches(failing.jobId, 'failed');
const later = await client.register({
  externalId: 'put-off',
  filename: 'put-off.txt',
  ...source.put('put-off', 'The windmill grinds rye at midnight.', { status: 503 }),
});
await client.reaches(later.jobId, 'retry_scheduled');
// A new version of an indexed file is in progress: it occupies the only extractor slot.
const held = source.hold('replaced', 'A third edition about sextants.');
const working = await client.register({
  externalId: 'open',
  filename: 'opened-again.txt',
  sourceUrl: held.sourceUrl,
  sourceVersion: held.sourceVersion,
});
await client.reaches(working.jobId, 'extracting');
await client.register({
  externalId: 'waiting',
  filename: 'waiting.txt',
  ...source.put('waiting', 'Marmalade is boiled in copper kettles.'),
});
await client.get(202, 'POST', `${content}/imports`, {
  body: {
    assets: [
      {
        externalId: 'imported',
        filename: 'imported.txt',
        kind: 'document',
        ...source.put('imported', 'A cartographer draws fjords.'),
      },
    ],
  },
  headers: { 'Idempotency-Key': 'import-of-the-fixture' },
});
await pause(1500);
program.kill('SIGKILL');
await new Promise((resolve) => program.once('exit', resolve));

const blobs: Fixture['blobs'] = {};
for (const entry of readdirSync(join(folder, 'blobs'), { recursive: true, withFileTypes: true })) {
  if (!entry.isFile()) continue;
  const path = join(entry.parentPath, entry.name);
  blobs[relative(join(folder, 'blobs'), path)] = readFileSync(path, 'utf8');
}
const fixture: Fixture = {
  organizationId,
  adminKey,
  standardKey,
  secretKey,
  databases: Object.fromEntries(
    ['records.db', 'passages.db', 'counters.sqlite'].map((name) => [name, dumpDatabase(join(folder, name))]),
  ),
  blobs,
};
writeFileSync(target, `${JSON.stringify(fixture, null, 1).replaceAll(source.url, sourcePlaceholder)}\n`);
rmSync(folder, { recursive: true });
await source.stop();
