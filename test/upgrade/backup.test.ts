import { createHash } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Manifest } from '../../cli/backup/manifest.ts';
import type { AssetView } from '../../models/api.ts';
import { ProgramProcess } from '../../scripts/cluster/program-process.ts';
import { Client, content, until } from '../api/support/client.ts';
import { Source } from '../api/support/source.ts';
import { freePort } from '../servers/ports.ts';
import { commandLine, type CommandLine, type CommandResult } from '../support/command-line.ts';

const documents = 40;
let folder: string;
let source: Source;
let program: ProgramProcess;
let client: Client;
let environment: Record<string, string>;
let command: CommandLine;

/** Accepted files before the backup, by external id. */
const acceptedBefore = new Map<string, string>();
let backedUp: CommandResult;

/** Text of a document; every tenth is too long for the records. */
function textOf(at: number, edition = 'first'): string {
  const word = `keyword${at}x`;
  return at % 10 === 0
    ? Array.from(
        { length: 700 },
        (_, line) => `Line ${line} of the ${edition} edition tells of ${word} and of tides in the harbour.`,
      ).join('\n\n')
    : `The ${edition} edition tells of ${word} and of tides.`;
}

function makeProgram(data: string): ProgramProcess {
  environment = { ...environment, PLY_DATA_DIR: data };
  command = commandLine(environment, folder);
  return new ProgramProcess({
    name: 'program',
    healthUrl: `${client.url}/health/ready`,
    logFile: join(folder, 'program.log'),
    environment,
  });
}

async function register(at: number, edition: string, principals?: string[]): Promise<string> {
  const placed = source.put(`document-${at}-${edition}`, textOf(at, edition));
  const { assetId } = await client.register({
    externalId: `document-${at}`,
    filename: `document-${at}.txt`,
    ...placed,
    ...(principals === undefined ? {} : { principals }),
  });
  return assetId;
}

async function assets(): Promise<AssetView[]> {
  const all: AssetView[] = [];
  for (let offset = 0; ; offset += 100) {
    const { items } = await client.get<{ items: AssetView[] }>(
      200,
      'GET',
      `${content}/assets?limit=100&offset=${offset}`,
    );
    all.push(...items);
    if (items.length < 100) return all;
  }
}

async function settled(): Promise<AssetView[]> {
  return until(
    assets,
    (all) => all.every(({ latestJob }) => ['ready', 'failed', 'cancelled'].includes(latestJob.state)),
    90_000,
  );
}

function manifestOf(backup: string): Manifest {
  return (JSON.parse(readFileSync(join(backup, 'manifest.json'), 'utf8')) as { manifest: Manifest }).manifest;
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ply-backup-'));
  source = new Source();
  await source.start();
  const organizationId = '7b2f6f0c-5d0e-4c56-9c55-6f1f0a7d0002';
  const [standardKey, port] = ['ply_standard_key_of_the_backup_test', await freePort()];
  client = new Client(`http://127.0.0.1:${port}`, organizationId, standardKey);
  environment = {
    PLY_API_PORT: String(port),
    PLY_METRICS_PORT: String(await freePort()),
    PLY_DELIVERY_PORT: '0',
    PLY_S3_PORT: '0',
    PLY_BLOB_PORT: '0',
    PLY_UPLOAD_PORT: '0',
    PLY_PRIVATE_NETWORKS: 'allow',
    PLY_EMBEDDING_THREADS: '0',
    PLY_RETRY_BASE_MS: '40',
    PLY_REQUESTS_PER_MINUTE: '100000',
    PLY_REGISTRATIONS_PER_MINUTE: '100000',
    PLY_BOOTSTRAP_ORGANIZATION_ID: organizationId,
    PLY_BOOTSTRAP_ADMIN_KEY: 'ply_admin_key_of_the_backup_test_',
    PLY_BOOTSTRAP_STANDARD_KEY: standardKey,
  };
  program = makeProgram(join(folder, 'data'));
  program.start();
  await program.ready();
  for (let at = 0; at < documents; at += 1)
    acceptedBefore.set(`document-${at}`, await register(at, 'first', at % 4 === 1 ? ['group:crew'] : undefined));
  await settled();
  // Files are replaced, registered and removed during the backup.
  const over = new AbortController();
  const busy = (async (): Promise<void> => {
    for (let round = 0; !over.signal.aborted; round += 1) {
      await register(round % 20, `edition${round}`);
      await register(documents + round, 'late');
      await pause(5);
    }
  })();
  // Accepted, not yet indexed.
  acceptedBefore.set('document-900', await register(900, 'first'));
  backedUp = await command(['backup', 'backup']);
  over.abort();
  await busy;
  await program.kill();
});

afterAll(async () => {
  await program.kill();
  await source.stop();
  rmSync(folder, { recursive: true, force: true });
});

it('a backup is taken during registrations, and reports its contents', () => {
  expect(backedUp).toMatchObject({ code: 0, errors: '' });
  expect(backedUp.output).toContain('It holds secret.key');
  const { counts, files } = manifestOf(join(folder, 'backup'));
  expect(counts.assets).toBeGreaterThanOrEqual(acceptedBefore.size);
  expect(counts.blobs).toBeGreaterThanOrEqual(4);
  expect(files.map(({ path }) => path).sort()).toEqual([
    'blobs.ndjson',
    'counters.sqlite',
    'operator.json',
    'passages.db',
    'records.db',
    'secret.key',
  ]);
  for (const { path, sha256 } of files)
    expect(
      createHash('sha256')
        .update(readFileSync(join(folder, 'backup', path)))
        .digest('hex'),
    ).toBe(sha256);
});

it('a target or data folder in use is refused with instructions', async () => {
  expect(await command(['backup', 'backup'])).toMatchObject({
    code: 1,
    errors: expect.stringContaining('is not empty: name a folder that is'),
  });
  expect(await command(['backup', 'data/inside'])).toMatchObject({
    code: 1,
    errors: expect.stringContaining('is inside the data folder'),
  });
  expect(await command(['restore', 'backup'])).toMatchObject({
    code: 1,
    errors: expect.stringContaining('A backup is restored into an empty folder'),
  });
  expect(await command(['backup'])).toMatchObject({ code: 1, errors: expect.stringContaining('Missing the folder') });
});

describe('a modified backup', () => {
  const restoreTo = (): CommandLine => commandLine({ ...environment, PLY_DATA_DIR: join(folder, 'refused') }, folder);

  it.each<[string, string, (backup: string) => void]>([
    ['has no manifest', 'contains no complete backup', (backup) => rmSync(join(backup, 'manifest.json'))],
    [
      'has another manifest',
      'manifest.json was altered',
      (backup) =>
        writeFileSync(
          join(backup, 'manifest.json'),
          readFileSync(join(backup, 'manifest.json'), 'utf8').replace('"assets": ', '"assets": 1'),
        ),
    ],
    ['is torn', 'records.db has', (backup) => truncateSync(join(backup, 'records.db'), 4096)],
    [
      'has an altered passage',
      'passages.db was altered',
      (backup) => {
        const bytes = readFileSync(join(backup, 'passages.db'));
        const at = bytes.indexOf('keyword');
        bytes.write('KEYWORD', at);
        writeFileSync(join(backup, 'passages.db'), bytes);
      },
    ],
    ['lacks a blob', 'is missing', (backup) => rmSync(join(backup, 'blobs', someBlob(backup)))],
    [
      'has a longer blob',
      'bytes instead of',
      (backup) => appendFileSync(join(backup, 'blobs', someBlob(backup)), 'more'),
    ],
    ['has a file too many', 'does not belong to it', (backup) => writeFileSync(join(backup, 'records.db-wal'), 'more')],
  ])('%s', async (_what, said, alter) => {
    const backup = join(folder, 'altered');
    rmSync(backup, { recursive: true, force: true });
    copyFolder(join(folder, 'backup'), backup);
    alter(backup);
    const outcome = await restoreTo()(['restore', 'altered']);
    expect(outcome).toMatchObject({ code: 1, errors: expect.stringContaining(said) });
    // Nothing remains of it.
    expect(existsSync(join(folder, 'refused')) ? readdirSync(join(folder, 'refused')) : []).toEqual([]);
  });

  function someBlob(backup: string): string {
    const [first = ''] = readFileSync(join(backup, 'blobs.ndjson'), 'utf8').split('\n');
    return (JSON.parse(first) as { path: string }).path;
  }

  function copyFolder(from: string, to: string): void {
    mkdirSync(to, { recursive: true });
    for (const entry of readdirSync(from, { withFileTypes: true })) {
      if (entry.isDirectory()) copyFolder(join(from, entry.name), join(to, entry.name));
      else writeFileSync(join(to, entry.name), readFileSync(join(from, entry.name)));
    }
  }
});

it('a restored backup contains everything accepted before it once, with permissions, and its jobs continue', async () => {
  program = makeProgram(join(folder, 'restored'));
  expect(await command(['restore', 'backup'])).toMatchObject({
    code: 0,
    errors: '',
    output: expect.stringContaining('All checksums are correct'),
  });
  expect(readdirSync(join(folder, 'restored')).sort()).toEqual([
    'blobs',
    'counters.sqlite',
    'operator.json',
    'passages.db',
    'records.db',
    'secret.key',
  ]);
  program.start();
  await program.ready();
  const all = await settled();
  const { counts } = manifestOf(join(folder, 'backup'));
  expect(all).toHaveLength(counts.assets);
  expect(all.filter(({ latestJob }) => latestJob.state !== 'ready')).toEqual([]);
  for (const [externalId, assetId] of acceptedBefore) {
    expect(all.filter((asset) => asset.externalId === externalId).map((asset) => asset.assetId)).toEqual([assetId]);
    const at = Number(externalId.slice('document-'.length));
    const isRestricted = at < documents && at % 4 === 1;
    const found = async (principals: string[]): Promise<string[]> => [
      ...new Set((await client.search({ query: `keyword${at}x`, principals })).items.map((item) => item.assetId)),
    ];
    expect([externalId, await found(['group:crew'])]).toEqual([externalId, [assetId]]);
    expect([externalId, await found(['group:other'])]).toEqual([externalId, isRestricted ? [] : [assetId]]);
  }
  expect(
    (await (await fetch(`http://127.0.0.1:${environment['PLY_METRICS_PORT']}/metrics`)).text()).match(
      /^ply_permission_drops_total(?:\{.*\})? (\d+)/m,
    )?.[1] ?? '0',
  ).toBe('0');
});

it('a program does not start on an interrupted restore', async () => {
  await program.stop();
  mkdirSync(join(folder, 'half', '.restoring'), { recursive: true });
  program = makeProgram(join(folder, 'half'));
  program.start();
  await expect(program.ready(30_000)).rejects.toThrow();
  expect(readFileSync(join(folder, 'program.log'), 'utf8')).toContain(
    'was interrupted. Empty that folder and restore the backup again',
  );
});
