import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { AssetView } from '../../models/api.ts';
import type { Asset } from '../../models/asset.ts';
import type { ArchivedRun } from '../../models/job.ts';
import type { SchemaDocument } from '../../models/migrations.ts';
import { maxRecentVersions, versionDigest, type RegisteredVersion } from '../../models/registered-version.ts';
import { migrations } from '../../app/migrations/steps.ts';
import { ProgramProcess } from '../../scripts/cluster/program-process.ts';
import { Client, content, until } from '../api/support/client.ts';
import { Source } from '../api/support/source.ts';
import { freePort } from '../servers/ports.ts';
import { writeDataFolder, readFixture } from './fixture.ts';

const minutes = 1440;
let folder: string;
let source: Source;
let program: ProgramProcess;
let client: Client;
let admin: Client;
/** The search results before the unfinished jobs continue. */
let foundAtOnce: string[];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ply-upgrade-'));
  source = new Source();
  await source.start();
  source.put('replaced', 'A third edition about sextants.');
  source.put('waiting', 'Marmalade is boiled in copper kettles.');
  source.put('put-off', 'The windmill grinds rye at midnight.');
  source.put('imported', 'A cartographer draws fjords.');
  const fixture = readFixture('first-version.json', source.url);
  // The next attempt is due, as usual when a program is upgraded.
  for (const table of fixture.databases['records.db']?.tables ?? []) {
    for (const row of table.rows)
      if (typeof row[1] === 'string') row[1] = row[1].replace(/("state":"retry_scheduled".*?"dueAt":)\d+/, '$11');
    if (table.name === 'assets')
      for (const row of table.rows) if (typeof row[1] === 'string') row[1] = withManyVersions(row[1]);
  }
  writeDataFolder(fixture, join(folder, 'data'));
  const url = `http://127.0.0.1:${await freePort()}`;
  program = new ProgramProcess({
    name: 'program',
    healthUrl: `${url}/health/ready`,
    logFile: join(folder, 'program.log'),
    environment: {
      PLY_API_PORT: new URL(url).port,
      PLY_METRICS_PORT: String(await freePort()),
      PLY_DELIVERY_PORT: '0',
      PLY_S3_PORT: '0',
      PLY_BLOB_PORT: '0',
      PLY_UPLOAD_PORT: '0',
      PLY_DATA_DIR: join(folder, 'data'),
      PLY_PRIVATE_NETWORKS: 'allow',
      PLY_EMBEDDING_THREADS: '0',
      PLY_RETRY_BASE_MS: '40',
      PLY_SECRET_KEY: fixture.secretKey,
      PLY_LOG_LEVEL: 'info',
    },
  });
  program.start();
  await program.ready();
  client = new Client(url, fixture.organizationId, fixture.standardKey);
  admin = new Client(url, fixture.organizationId, fixture.adminKey);
  foundAtOnce = await found('lighthouse', ['group:crew']);
});

afterAll(async () => {
  await program.kill();
  await source.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** The document of an asset; the one named `large` gets a version for each minute of a day. */
function withManyVersions(text: string): string {
  const asset = JSON.parse(text) as Asset;
  if (asset.externalId !== 'large') return text;
  const earlier = Array.from({ length: minutes }, (_, minute) => versionDigest(`of minute ${minute}`));
  return JSON.stringify({ ...asset, registeredVersions: [...earlier, ...asset.registeredVersions] });
}

async function found(query: string, principals: string[] | null = null): Promise<string[]> {
  const { items } = await client.search({ query, ...(principals === null ? {} : { principals }) });
  return [...new Set(items.map(({ sourceReference }) => sourceReference.externalId))].sort();
}

/** Stored documents of a collection. */
function stored<T>(collection: string): T[] {
  const database = new DatabaseSync(join(folder, 'data', 'records.db'), { readOnly: true });
  try {
    return database
      .prepare(`select doc from "${collection}"`)
      .all()
      .map(({ doc }) => JSON.parse(String(doc)) as T);
  } finally {
    database.close();
  }
}

async function migrated(): Promise<void> {
  await until(
    async () => stored<SchemaDocument>('schema'),
    ([schema]) => migrations.every(({ id }) => schema?.done.includes(id)),
  );
}

it('files indexed by the first version are found immediately, with permissions', async () => {
  expect(foundAtOnce).toEqual(['open', 'restricted']);
  expect(await found('amber', [])).toEqual([]);
  expect(await found('amber', ['user:warden'])).toEqual(['restricted']);
  expect(await found('hygrometers')).toEqual(['replaced']);
  expect(await found('draft')).toEqual([]);
  expect(await found('submarines')).toEqual([]);
  expect(await found('periscope249')).toEqual(['large']);
});

it('unfinished jobs of the first version become ready', async () => {
  const items = await until(
    async () => (await client.get<{ items: AssetView[] }>(200, 'GET', `${content}/assets`)).items,
    (all) => all.every(({ latestJob }) => ['ready', 'failed'].includes(latestJob.state)),
  );
  const states = Object.fromEntries(items.map(({ externalId, latestJob }) => [externalId, latestJob.state]));
  expect(states).toEqual({
    open: 'ready',
    restricted: 'ready',
    replaced: 'ready',
    large: 'ready',
    failed: 'failed',
    'put-off': 'ready',
    waiting: 'ready',
    imported: 'ready',
  });
  expect(await found('sextants')).toEqual(['open']);
  expect(await found('marmalade')).toEqual(['waiting']);
  expect(await found('windmill')).toEqual(['put-off']);
  expect(await found('fjords')).toEqual(['imported']);
  expect(await found('herring')).toEqual([]);
});

it('documents are migrated while the program runs, and the migration is reported', async () => {
  await migrated();
  const [schema] = stored<SchemaDocument>('schema');
  expect(schema).toMatchObject({ records: 1, passages: 1, at: null, lease: null });
  const assets = stored<Asset>('assets');
  expect(assets.filter(({ run }) => run.blame !== 0)).toEqual([]);
  const active = assets.filter(({ activeRevision }) => activeRevision !== null);
  expect(active.map(({ embeddedWith }) => embeddedWith)).toEqual(active.map(() => ''));
  expect(active.find(({ externalId }) => externalId === 'replaced')?.activeSource).toMatchObject({
    filename: 'after.txt',
    sourceUrl: `${source.url}/replaced`,
  });
  const runs = stored<ArchivedRun>('runs');
  expect(runs.length).toBeGreaterThan(0);
  expect(runs.filter(({ assetVersion }) => assetVersion === undefined)).toEqual([]);
});

it('source versions of the first version move to a separate collection, and are still refused', async () => {
  await migrated();
  const [large] = stored<Asset>('assets').filter(({ externalId }) => externalId === 'large');
  expect(large?.registeredVersions).toHaveLength(maxRecentVersions);
  const rows = stored<RegisteredVersion>('registered_versions');
  expect(rows.filter(({ assetId }) => assetId === large?._id)).toHaveLength(minutes);
  const send = (sourceVersion: string) =>
    client.ask<{ code?: string; revision?: number }>('POST', `${content}/assets`, {
      body: {
        externalId: 'large',
        filename: large?.filename,
        kind: 'document',
        sourceUrl: large?.sourceUrl,
        sourceVersion,
      },
    });
  for (const version of ['of minute 0', `of minute ${minutes - 1}`, large?.sourceVersion ?? ''])
    expect((await send(version)).body.code).toBe('source_version_already_registered');
});

it('histories, permissions, metadata and audits of the first version are read and changed', async () => {
  const { items } = await client.get<{ items: AssetView[] }>(200, 'GET', `${content}/assets`);
  const replaced = items.find(({ externalId }) => externalId === 'replaced');
  const restricted = items.find(({ externalId }) => externalId === 'restricted');
  const jobs = await client.get<{ items: { state: string }[] }>(
    200,
    'GET',
    `${content}/assets/${replaced?.assetId}/jobs`,
  );
  expect(jobs.items.map(({ state }) => state)).toEqual(['ready', 'ready']);
  expect(await client.get(200, 'GET', `${content}/assets/${restricted?.assetId}/metadata`)).toMatchObject({
    metadata: { shelf: 'north' },
  });
  await client.get(200, 'PUT', `${content}/assets/${restricted?.assetId}/permissions`, {
    body: { mode: 'restricted', principals: ['user:new'] },
  });
  expect(await found('amber', ['group:crew'])).toEqual([]);
  expect(await found('amber', ['user:new'])).toEqual(['restricted']);
  const audit = await admin.get<{ items: { action: string }[] }>(200, 'GET', '/api/account-audit');
  expect(audit.items.length).toBeGreaterThan(0);
  const reindexed = await client.get<{ jobId: string }>(202, 'POST', `${content}/assets/${replaced?.assetId}/reindex`, {
    headers: { 'Idempotency-Key': 'read-again' },
  });
  await client.reaches(reindexed.jobId, 'ready', 'failed');
  expect(
    (await client.get<{ items: unknown[] }>(200, 'GET', `${content}/assets/${replaced?.assetId}/jobs`)).items,
  ).toHaveLength(3);
});

it('blobs of the first version are found', () => {
  const [large] = stored<Asset>('assets').filter(({ externalId }) => externalId === 'large');
  const path = join(
    folder,
    'data',
    'blobs',
    'derived',
    large?.organizationId ?? '',
    large?._id ?? '',
    '1',
    'blocks.ndjson',
  );
  expect(existsSync(path) && readFileSync(path, 'utf8')).toContain('periscope249');
});

it('a second start migrates nothing, and a later schema is refused without changes', async () => {
  await program.stop();
  const database = new DatabaseSync(join(folder, 'data', 'records.db'));
  const before = String(database.prepare('select doc from schema').get()?.['doc']);
  database
    .prepare('update schema set doc = ?')
    .run(JSON.stringify({ ...(JSON.parse(before) as SchemaDocument), records: 2 }));
  database.close();
  program.start();
  await expect(program.ready(30_000)).rejects.toThrow();
  expect(readFileSync(join(folder, 'program.log'), 'utf8')).toMatch(
    /Ply could not start: The records are of schema 2, written by a later version of Ply; this version reads schema 1 .*Start that later version again/,
  );
});
