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

// Letters only, so that the text analyser keeps the words; new words for each run.
const letters = (): string => [...randomBytes(8)].map((byte) => String.fromCharCode(97 + (byte % 26))).join('');
const [erasedWord, keptWord] = [`zerased${letters()}z`, `zkept${letters()}z`];
// The word index omits the common prefix of consecutive words.
const trace = erasedWord.slice(5);

let program: TestProgram;
let ply: CommandLine;
let folder: string;
beforeAll(async () => {
  program = await startTestProgram();
  folder = join(program.folder, 'data');
  ply = commandLine({ PLY_DATA_DIR: folder });
});
afterAll(() => program.end());

it('covers every collection with data of organizations', () => {
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

it('erases a busy account in every store over kills, and no other account', async () => {
  const other = await createAccount(`${erasedWord} university`);
  const keptAccount = await useEverything(program.source, program.admin, program.standard, keptWord);
  const erasedAccount = await useEverything(program.source, other.admin, other.standard, erasedWord);
  expect((await ply(['account', 'list'])).output).toContain(`${erasedWord} university`);
  // Accounts do not see each other's data.
  expect((await program.standard.search({ query: 'lighthouses' })).items.map(({ assetId }) => assetId)).toEqual([
    keptAccount.assetIds[1],
  ]);

  // Jobs run when the erasure begins: their sources respond late.
  const late = Array.from({ length: 4 }, (_, at) =>
    program.source.hold(`held-${at}.txt`, `Late comes ${erasedWord}. `.repeat(50)),
  );
  for (const [at, { sourceUrl, sourceVersion }] of late.entries())
    await other.standard.register({ externalId: `held-${at}`, sourceUrl, sourceVersion });
  await until(
    () => Promise.resolve(program.source.count('held-0.txt')),
    (count) => count > 0,
  );

  // The erasure requires the id.
  const untyped = await ply(['account', 'erase', `${erasedWord} university`]);
  expect(untyped).toMatchObject({ code: 1, errors: expect.stringContaining(`erase --yes ${other.accountId}`) });
  expect((await other.standard.ask('GET', `${content}/assets`)).status).toBe(200);
  expect((await ply(['account', 'erase', `${erasedWord} university`, '--yes', 'yes'])).code).toBe(1);
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
  for (const table of ['passages', 'stem_counts', 'stem_parts', 'postings', 'files'])
    expect(held).toContain(`passages.db: ${table}`);

  await program.start();

  const said = await ply(['account', 'erase', '--yes', other.accountId]);
  expect(said).toMatchObject({ code: 0, output: expect.stringContaining('is being erased') });
  await pause(1100);
  expect((await other.standard.ask('GET', `${content}/assets`)).status).toBe(401);
  expect((await other.admin.as(erasedAccount.subOrganizationId).ask('GET', `${content}/assets`)).status).toBe(401);
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

  // No file contains its data while the program runs: databases with their logs, blobs, work folder.
  expect(filesHolding(folder, [trace])).toEqual({});
  await program.process.stop();
  expect(filesHolding(folder, [trace])).toEqual({});
  const ids = [
    other.accountId,
    other.organizationId,
    erasedAccount.subOrganizationId,
    ...erasedAccount.assetIds,
    erasedAccount.connectorId,
    other.standard.key,
    other.admin.key,
  ];
  // The ids of the account and its organizations are kept for a day, and rate limit counters by id for an hour.
  expect(Object.keys(tablesHolding(folder, ids)).filter((table) => table !== 'counters.sqlite: windows')).toEqual([
    'records.db: erasures',
  ]);
  expect(existsSync(join(folder, 'blobs', 'derived', other.organizationId))).toBe(false);

  // The other account is unchanged.
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
  const { items } = await program.standard.search({ query: keptWord, principals: [`user:${keptWord}`] });
  expect(items.map(({ assetId }) => assetId)).toContain(keptAccount.assetIds[0]);
  expect((await program.standard.search({ query: 'lighthouses' })).items.map(({ assetId }) => assetId)).toEqual([
    keptAccount.assetIds[1],
  ]);
});
