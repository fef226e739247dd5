import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { AssetView } from '../../../models/api.ts';
import type { SearchAnalytics } from '../../../models/analytics.ts';
import { Client, content, until } from '../../api/support/client.ts';
import { skipWithReason } from '../../support/servers.ts';
import { organizationKey } from '../../../adapters/passages/milvus/keys.ts';
import { useEverything } from '../busy-account.ts';
import { filesHolding } from '../stores.ts';
import { startBusyCluster } from './busy-cluster.ts';
import { documentsOf, heldAnywhere, holding, keysOf, messagesOf, rowsOf, textsWith } from './held.ts';

// Letters only, so that the text analyser keeps the words; new words for each run.
const letters = (): string => [...randomBytes(8)].map((byte) => String.fromCharCode(97 + (byte % 26))).join('');
const [erasedWord, keptWord] = [`zerased${letters()}z`, `zkept${letters()}z`];
const started = await startBusyCluster();

if ('unavailable' in started) skipWithReason('the erasure of an account over a cluster', started.unavailable);
else {
  const { cluster, source, objects, ply } = started;
  afterAll(() => started.stop(), 60_000);

  /** Polls an expensive condition. */
  async function poll<T>(ask: () => Promise<T>, wanted: (value: T) => boolean): Promise<void> {
    await until(() => pause(300).then(ask), wanted, 120_000);
  }

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
      admin: new Client(cluster.apiUrl, organizationId, value('admin key')),
      standard: new Client(cluster.apiUrl, organizationId, value('standard key')),
    };
  }

  /** All stored data of an organization, except for what changes by itself. */
  async function everythingOf(organizationId: string): Promise<{ [location: string]: string[] }> {
    const documents = await textsWith(documentsOf(cluster), organizationId);
    return {
      ...documents,
      ...(await textsWith(rowsOf(cluster), organizationId)),
      objects: Object.keys(filesHolding(objects, [keptWord])).sort(),
    };
  }

  /** Results of searches and counts. */
  async function answersTo({
    search,
    get,
  }: {
    search: Client['search'];
    get(path: string): Promise<object>;
  }): Promise<object> {
    const searches = await Promise.all(
      [keptWord, `${keptWord}ine`, 'lighthouses'].map((query) => search({ query, principals: [`user:${keptWord}`] })),
    );
    return {
      found: searches.map(({ items }) =>
        items.map(({ assetId, relevance, snippet }) => ({ assetId, relevance, snippet })),
      ),
      assets: await get('assets'),
      collections: await get('collections'),
      activity: await get('activity'),
    };
  }
  const answers = (client: Client): Promise<object> =>
    answersTo({
      search: (request) => client.search(request),
      get: (path) => client.get<object>(200, 'GET', `${content}/${path}`),
    });

  it('exports and erases a busy account in every store over kills, and no other account', async () => {
    const other = await createAccount(`${erasedWord} university`);
    const keptAccount = await useEverything(source, started.admin, started.standard, keptWord);
    const erasedAccount = await useEverything(source, other.admin, other.standard, erasedWord);
    // Accounts do not see each other's data.
    const own = (await started.standard.get<{ items: AssetView[] }>(200, 'GET', `${content}/assets`)).items.map(
      ({ assetId }) => assetId,
    );
    const found = (await started.standard.search({ query: 'lighthouses' })).items.map(({ assetId }) => assetId);
    expect(found).toContain(keptAccount.assetIds[1]);
    expect(found.filter((assetId) => !own.includes(assetId))).toEqual([]);
    // Jobs run when the erasure begins: their sources respond late.
    const late = Array.from({ length: 4 }, (_, at) =>
      source.hold(`held-${at}.txt`, `Late comes ${erasedWord}. `.repeat(50)),
    );
    for (const [at, { sourceUrl, sourceVersion }] of late.entries())
      await other.standard.register({ externalId: `held-${at}`, sourceUrl, sourceVersion });
    await until(
      () => Promise.resolve(source.count('held-0.txt')),
      (count) => count > 0,
    );
    for (const client of [other.standard, started.standard])
      await until(
        () => client.get<SearchAnalytics>(200, 'GET', `${content}/analytics/searches`),
        ({ topQueries }) => topQueries.length >= 3,
      );

    const said = await ply(['account', 'export', 'exported', '--account', other.accountId]);
    expect(said).toMatchObject({ code: 0, output: expect.stringContaining('2 organizations, 2 keys, ') });
    const exported = join(started.folder, 'exported');
    expect(
      JSON.parse(readFileSync(join(exported, 'manifest.json'), 'utf8')) as {
        counts: { assets: number };
        texts: number;
      },
    ).toMatchObject({ counts: { assets: 9, connectors: 1, organizations: 2 }, texts: expect.any(Number) });
    const inExport = filesHolding(exported, [erasedWord]);
    expect(Object.keys(inExport).some((file) => file.includes('/texts/'))).toBe(true);
    expect(
      filesHolding(exported, [
        keptWord,
        started.standard.organizationId,
        other.standard.key,
        other.admin.key,
        `${erasedWord}-credential`,
        `${erasedWord}-secret-of-many-characters`,
      ]),
    ).toEqual({});

    const ids = [
      other.accountId,
      other.organizationId,
      erasedAccount.subOrganizationId,
      ...erasedAccount.assetIds,
      erasedAccount.connectorId,
      ...[other.organizationId, erasedAccount.subOrganizationId].map(organizationKey),
    ];
    const searched = [erasedWord, other.standard.key, other.admin.key, ...ids];
    const held = await heldAnywhere(cluster, objects, searched);
    for (const name of [
      'assets',
      'idempotency',
      'logged_queries',
      'tuning',
      'library_collections',
      'settings',
      'connectors',
      'organizations',
      'passage_stems',
      'passage_files',
      'passage_revisions',
      'passage_organizations',
      'usage_events',
      'account_audit',
    ])
      expect(Object.keys(held)).toContain(`mongo: ${name}`);
    expect(Object.keys(held).filter((location) => location.startsWith('milvus: '))).toHaveLength(1);
    expect(held).toMatchObject({ objects: expect.any(Number), redis: expect.any(Number) });
    const imported = async (): Promise<string | undefined> =>
      (await started.standard.get<{ items: AssetView[] }>(200, 'GET', `${content}/assets`)).items.find(
        ({ externalId }) => externalId === `${keptWord}-imported`,
      )?.latestJob.state;
    await until(imported, (state) => state === 'ready', 60_000);
    const before = {
      stored: await everythingOf(started.standard.organizationId),
      answers: await answers(started.standard),
    };

    expect(await ply(['account', 'erase', '--yes', other.accountId])).toMatchObject({
      code: 0,
      output: expect.stringContaining('is being erased'),
    });
    await pause(1100);
    expect((await other.standard.ask('GET', `${content}/assets`)).status).toBe(401);
    expect((await other.admin.as(erasedAccount.subOrganizationId).ask('GET', `${content}/assets`)).status).toBe(401);
    await started.killAndStart();
    for (const { release } of late) release();
    await pause(500);
    await started.killAndStart();
    await poll(
      () => holding(documentsOf(cluster), [`"accountId":"${other.accountId}","kind":"account"`, '"until":']),
      ({ 'mongo: erasures': known = 0 }) => known > 1,
    );
    expect((await ply(['account', 'erase', '--yes', other.accountId])).output).toContain('is erased');
    expect((await ply(['account', 'list'])).output).not.toContain(other.accountId);

    // Workers remove queue messages of erased jobs.
    await poll(
      () => holding(messagesOf(cluster), searched),
      (messages) => Object.keys(messages).length === 0,
    );
    // The ids of the account and its organizations are kept for a day, and rate limit counters by id for an hour.
    const { 'mongo: erasures': remembered, redis: _counted, ...left } = await heldAnywhere(cluster, objects, searched);
    expect(left).toEqual({});
    expect(remembered).toBe(3);
    expect(await holding(documentsOf(cluster), [erasedWord, ...erasedAccount.assetIds])).toEqual({});
    for await (const { text, expiresIn } of keysOf(cluster)) {
      expect(text).not.toContain(erasedWord);
      expect([text, expiresIn > 0 && expiresIn <= 3600]).toEqual([text, true]);
    }

    expect(await answers(started.standard)).toEqual(before.answers);
    const after = await everythingOf(started.standard.organizationId);
    for (const [location, texts] of Object.entries(before.stored)) {
      const now = after[location] ?? [];
      // Meanwhile searches are counted and charged, Idempotency-Keys stored, and the connector retries its source;
      // nothing is removed.
      if (/search|logged|idempotency|connectors|usage|assets/.test(location))
        expect([location, now.length >= texts.length]).toEqual([location, true]);
      else expect([location, now]).toEqual([location, texts]);
    }
  }, 600_000);
}
