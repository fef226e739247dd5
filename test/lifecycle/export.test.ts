import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { SearchAnalytics } from '../../models/analytics.ts';
import { content, until } from '../api/support/client.ts';
import { startTestProgram, type TestProgram } from '../api/support/program.ts';
import { commandLine, type CommandLine } from '../support/command-line.ts';
import { useEverything, type BusyAccount } from './busy-account.ts';
import { filesHolding, filesUnder, recordsHolding } from './stores.ts';

const word = 'zexportedz';
let program: TestProgram;
let ply: CommandLine;
let used: BusyAccount;
let target: string;
beforeAll(async () => {
  program = await startTestProgram();
  ply = commandLine({ PLY_DATA_DIR: join(program.folder, 'data') }, program.folder);
  used = await useEverything(program.source, program.admin, program.standard, word);
  // Searches are logged after their responses.
  await until(
    () => program.standard.get<SearchAnalytics>(200, 'GET', `${content}/analytics/searches`),
    ({ topQueries }) => topQueries.some(({ query }) => query === `${word} keeper`),
  );
  target = join(program.folder, 'exported');
});
afterAll(() => program.end());

function lines(path: string): { [field: string]: unknown }[] {
  return readFileSync(join(target, path), 'utf8')
    .trimEnd()
    .split('\n')
    .filter((line) => line !== '')
    .map((line): { [field: string]: unknown } => JSON.parse(line));
}

describe('the export of an account', () => {
  it('is written while the program runs, into an empty folder only', async () => {
    const said = await ply(['account', 'export', 'exported']);
    expect(said).toMatchObject({
      code: 0,
      output: expect.stringContaining(`Exported into ${target}: 2 organizations, 2 keys, `),
    });
    expect(await ply(['account', 'export', 'exported'])).toMatchObject({
      code: 1,
      errors: expect.stringContaining('is not empty'),
    });
  });

  it('contains all of its data', () => {
    const under = `organizations/${program.organizationId}`;
    expect(lines('organizations.jsonl').map(({ name }) => name)).toEqual(['Organization', `${word} faculty`]);
    expect(lines('audit.jsonl').map(({ action }) => action)).toEqual([
      'api_key.created',
      'api_key.created',
      'sub_organization.created',
    ]);
    const assets = lines(`${under}/assets.jsonl`);
    expect(assets.map(({ externalId }) => externalId).sort()).toEqual([
      'shared',
      `${word}-first`,
      `${word}-gone`,
      `${word}-imported`,
    ]);
    expect(assets.find(({ assetId }) => assetId === used.assetIds[0])).toMatchObject({
      metadata: { [word]: word },
      permissions: { mode: 'restricted', principals: [`user:${word}`] },
      job: { state: 'ready', revision: 2 },
    });
    expect(lines(`${under}/runs.jsonl`)).toEqual([
      expect.objectContaining({ assetId: used.assetIds[0], revision: 1, state: 'ready' }),
    ]);
    expect(lines(`${under}/collections.jsonl`)).toEqual([expect.objectContaining({ name: word })]);
    expect(
      lines(`${under}/tuning.jsonl`)
        .map(({ sort }) => sort)
        .sort(),
    ).toEqual(['boosts', 'synonyms']);
    expect(lines(`${under}/connectors.jsonl`)).toEqual([expect.objectContaining({ name: word, kind: 's3' })]);
    expect(lines(`${under}/settings.jsonl`)).toEqual([
      expect.objectContaining({ callbackUrl: `https://${word}.example.com/ask`, callbackSecretSet: true }),
    ]);
    expect(lines(`${under}/search-log.jsonl`).map(({ query }) => query)).toContain(`${word} keeper`);
    expect(lines('usage-events.jsonl').length).toBeGreaterThan(0);
    const texts = filesUnder(join(target, under, 'texts'));
    expect(texts.filter((file) => readFileSync(file, 'utf8').includes(`Here stands ${word}`)).length).toBeGreaterThan(
      0,
    );
  });

  it('lists each file with its SHA-256 and counts the lines', () => {
    const [manifest] = lines('manifest.json');
    const listed = lines('files.jsonl');
    for (const { path, bytes, sha256 } of [
      ...listed,
      ...(manifest?.['list'] === undefined ? [] : [manifest['list'] as { [field: string]: unknown }]),
    ]) {
      const content = readFileSync(join(target, String(path)));
      expect({ path, bytes: content.length, sha256: createHash('sha256').update(content).digest('hex') }).toEqual({
        path,
        bytes,
        sha256,
      });
    }
    const there = filesUnder(target)
      .map((file) => relative(target, file))
      .filter((file) => !['manifest.json', 'files.jsonl'].includes(file));
    expect(there.sort()).toEqual(listed.map(({ path }) => String(path)).sort());
    expect(manifest).toMatchObject({ counts: { organizations: 2, keys: 2, assets: 5, connectors: 1 } });
  });

  it('contains no secrets: no keys, hashes or sealed values', async () => {
    await program.process.stop();
    const rows = Object.values(recordsHolding(join(program.folder, 'data'), program.organizationId))
      .flat()
      .join('\n');
    const keys = [program.admin.key, program.standard.key];
    const sealed = [...rows.matchAll(/"sealed\w*":"([^"]+)"/g)].map(([, value]) => value ?? '');
    expect(sealed.length).toBeGreaterThanOrEqual(2);
    const secrets = [
      ...keys,
      ...keys.map((key) => createHash('sha256').update(key).digest('hex')),
      ...sealed,
      `${word}-credential`,
      `${word}-secret-of-many-characters`,
    ];
    expect(filesHolding(target, secrets)).toEqual({});
  });
});
