import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { collections } from '../../app/collections.ts';
import { ownedCollections } from '../../models/owned-collections.ts';
import { Client, content, until } from '../api/support/client.ts';
import { startTestProgram, type TestProgram } from '../api/support/program.ts';
import { integrityOf } from '../api/support/stores.ts';
import { commandLine, type CommandLine } from '../support/command-line.ts';
import { useEverything } from './busy-account.ts';
import { filesHolding, recordsHolding, tablesHolding } from './stores.ts';

// Letters alone, so that the text analyser leaves them together; each run has words of its own.
const letters = (): string => [...randomBytes(8)].map((byte) => String.fromCharCode(97 + (byte % 26))).join('');
const [erased, kept] = [`zerased${letters()}z`, `zkept${letters()}z`];
// The word index leaves out what a word has in common with the one before it.
const trace = erased.slice(5);

let program: TestProgram;
let ply: CommandLine;
let folder: string;
beforeAll(async () => {
  program = await startTestProgram();
  folder = join(program.folder, 'data');
  ply = commandLine({ PLY_DATA_DIR: folder });
});
afterAll(() => program.end());

it('erases everything that belongs to organizations: no collection is left out', () => {
  const owned = collections.filter(({ owner }) => owner === 'organization').map(({ name }) => name);
  expect(ownedCollections.map(({ name }) => name).sort()).toEqual(owned.sort());
});

async function createAccount(
  name: string,
): Promise<{ accountId: string; organizationId: string; admin: Client; standard: Client }> {
  const { output, code } = await ply(['account', 'create', '--name', name]);
  expect(code).toBe(0);
  const value = (label: string): string => new RegExp(`^${label} +(\\S+)$`, 'm').exec(output)?.[1] ?? '';
  const organizationId = value('organization');
  return {
    accountId: value('account'),
    organizationId,
    admin: new Client(program.url, organizationId, value('admin key')),
    standard: new Client(program.url, organizationId, value('standard key')),
  };
}

it('erases an account out of every store while it works and is killed, and leaves the other one as it was', async () => {
  const other = await createAccount(`${erased} university`);
  const stays = await useEverything(program.source, program.admin, program.standard, kept);
  const goes = await useEverything(program.source, other.admin, other.standard, erased);
  expect((await ply(['account', 'list'])).output).toContain(`${erased} university`);
  // Of another account nothing is seen, whatever is in both.
  expect((await program.standard.search({ query: 'lighthouses' })).items.map(({ assetId }) => assetId)).toEqual([
    stays.assetIds[1],
  ]);

  // Jobs that are under way when the erasure comes: their sources answer late.
  const late = Array.from({ length: 4 }, (_, at) =>
    program.source.hold(`held-${at}.txt`, `Late comes ${erased}. `.repeat(50)),
  );
  for (const [at, { sourceUrl, sourceVersion }] of late.entries())
    await other.standard.register({ externalId: `held-${at}`, sourceUrl, sourceVersion });
  await until(
    () => Promise.resolve(program.source.count('held-0.txt')),
    (count) => count > 0,
  );

  // Who erases types the id.
  const untyped = await ply(['account', 'erase', `${erased} university`]);
  expect(untyped).toMatchObject({ code: 1, errors: expect.stringContaining(`erase --yes ${other.accountId}`) });
  expect((await other.standard.ask('GET', `${content}/assets`)).status).toBe(200);
  expect((await ply(['account', 'erase', `${erased} university`, '--yes', 'yes'])).code).toBe(1);
  await program.process.stop();
  const before = recordsHolding(folder, program.organizationId);
  const held = Object.keys(tablesHolding(folder, [trace]));
  for (const table of [
    'assets',
    'blobs',
    'idempotency',
    'logged_queries',
    'tuning',
    'library_collections',
    'settings',
    'connectors',
    'organizations',
  ])
    expect(held).toContain(`records.db: ${table}`);
  for (const table of ['passages', 'stem_counts', 'stem_parts', 'words_data', 'files'])
    expect(held).toContain(`passages.db: ${table}`);

  await program.start();

  const said = await ply(['account', 'erase', '--yes', other.accountId]);
  expect(said).toMatchObject({ code: 0, output: expect.stringContaining('is being erased') });
  await pause(1100);
  expect((await other.standard.ask('GET', `${content}/assets`)).status).toBe(401);
  expect((await other.admin.as(goes.subOrganizationId).ask('GET', `${content}/assets`)).status).toBe(401);
  await program.process.kill();
  await program.start();
  for (const { release } of late) release();
  await pause(500);
  await program.process.kill();
  await program.start();
  await until(
    async () => (await ply(['account', 'erase', '--yes', other.accountId])).output,
    (output) => output.includes('is erased'),
  );
  expect((await ply(['account', 'list'])).output).not.toContain(other.accountId);

  // Nothing of it is in any file while the program runs: databases with their logs, blobs, work folder.
  expect(filesHolding(folder, [trace])).toEqual({});
  await program.process.stop();
  expect(filesHolding(folder, [trace])).toEqual({});
  const ids = [
    other.accountId,
    other.organizationId,
    goes.subOrganizationId,
    ...goes.assetIds,
    goes.connectorId,
    other.standard.key,
    other.admin.key,
  ];
  // The ids of account and organizations are remembered for a day, and requests are counted by them for an hour at
  // most.
  expect(Object.keys(tablesHolding(folder, ids)).filter((table) => table !== 'counters.sqlite: windows')).toEqual([
    'records.db: erasures',
  ]);
  expect(existsSync(join(folder, 'blobs', 'derived', other.organizationId))).toBe(false);

  // The other account is as it was.
  const after = recordsHolding(folder, program.organizationId);
  for (const table of [
    'organizations',
    'account_audit',
    'settings',
    'library_collections',
    'collection_members',
    'tuning',
    'imports',
    'usage_events',
    'runs',
  ]) {
    expect([table, after[table]]).toEqual([table, before[table]]);
  }
  expect(after['assets']?.length).toBe(before['assets']?.length);
  expect(integrityOf(program)).toEqual(['ok', 'ok']);
  await program.start();
  const { items } = await program.standard.search({ query: kept, principals: [`user:${kept}`] });
  expect(items.map(({ assetId }) => assetId)).toContain(stays.assetIds[0]);
  expect((await program.standard.search({ query: 'lighthouses' })).items.map(({ assetId }) => assetId)).toEqual([
    stays.assetIds[1],
  ]);
});
