import { join } from 'node:path';
import type { ImportResult } from '../../models/api.ts';
import { startCluster } from '../../scripts/cluster/cluster.ts';
import { Client, content } from '../api/support/client.ts';
import { Source } from '../api/support/source.ts';
import { freePort } from '../servers/ports.ts';
import { commandLine } from '../support/command-line.ts';
import { skipWithReason } from '../support/servers.ts';

const [firstPort, secondPort] = [await freePort(), await freePort()];
const started = await startCluster({
  apiPort: firstPort,
  environment: { PLY_EMBEDDING_THREADS: '0', PLY_LOG_LEVEL: 'error' },
  layout: [
    { name: 'first', roles: 'gateway,accounts,registrar,ledger' },
    { name: 'second', roles: 'gateway,accounts,registrar', environment: { PLY_API_PORT: String(secondPort) } },
    { name: 'searcher', roles: 'searcher,scheduler,extractor,embedder' },
  ],
});

if ('unavailable' in started) skipWithReason('settings of a cluster', started.unavailable);
else {
  const cluster = started;
  afterAll(() => cluster.stop(), 60_000);
  const admin = new Client(cluster.apiUrl, cluster.organizationId, cluster.adminKey);
  const urls = [cluster.apiUrl, `http://127.0.0.1:${secondPort}`] as const;

  /** Clients of the same organization at both gateways. */
  const atBoth = (organizationId: string): [Client, Client] => [
    new Client(urls[0], organizationId, cluster.standardKey),
    new Client(urls[1], organizationId, cluster.standardKey),
  ];
  const change = (client: Client, body: object): Promise<unknown> =>
    client.get(200, 'PATCH', `${content}/settings`, { body });
  let files = 0;
  /** Registers a file; returns the mode of its permissions, or the error code. */
  const register = async (client: Client, fields: object = {}): Promise<string> => {
    files += 1;
    const { status, body } = await client.ask<{ assetId: string; code: string }>('POST', `${content}/assets`, {
      body: {
        externalId: `file-${files}`,
        filename: 'a.txt',
        kind: 'document',
        sourceUrl: 'https://files.example.com/a.txt',
        sourceVersion: '"1"',
        ...fields,
      },
    });
    if (status !== 202) return body.code;
    const { mode } = await client.get<{ mode: string }>(200, 'GET', `${content}/assets/${body.assetId}/permissions`);
    return mode;
  };

  // First of all: the files of the other tests cannot be read.
  describe('a quota of a cluster with two gateways', () => {
    const ply = commandLine({ ...cluster.environment, PLY_DATA_DIR: join(cluster.folder, 'command-line') });
    const set = async (quota: string): Promise<void> => {
      expect(await ply(['account', 'set', '--quota', quota])).toMatchObject({ code: 0 });
    };
    const [one, other] = atBoth(cluster.organizationId);
    const searchAt = async (client: Client): Promise<string | number> => {
      const { status, body } = await client.ask('POST', `${content}/search`, { body: { query: 'lighthouse' } });
      return status === 200 ? status : body.code;
    };
    /** Searches at both gateways in turn, all at once. */
    const search = (count: number): Promise<(string | number)[]> =>
      Promise.all(Array.from({ length: count }, (_, at) => searchAt(at % 2 === 0 ? one : other)));
    const used = async (client: Client): Promise<unknown> => {
      const { metrics } = await client.get<{ metrics: { metric: string; used: number }[] }>(
        200,
        'GET',
        `${content}/usage/quotas`,
      );
      return metrics.find(({ metric }) => metric === 'searches')?.used;
    };

    it('is used up at both in the same moment, for new work of its kind alone', async () => {
      const source = new Source();
      await source.start();
      try {
        await one.indexed({ ...source.put('a.txt', 'The lighthouse keeper sleeps.'), filename: 'a.txt' });
        await one.indexed({
          ...source.put('b.txt', 'The treasurer hides the lantern.'),
          externalId: 'of-the-board',
          filename: 'b.txt',
          principals: ['group:board'],
        });
      } finally {
        await source.stop();
      }
      // With a quota, its use is counted before a search is answered.
      await set('searches=1000');
      expect(await search(2)).toEqual([200, 200]);
      const before = Number(await used(one));
      expect(before).toBe(2);
      await set(`searches=${before + 7}`);
      for (let round = 1; round <= 7; round += 1) expect(await searchAt(round % 2 === 0 ? one : other)).toBe(200);
      // The seventh was answered just now.
      expect(await search(6)).toEqual(Array.from({ length: 6 }, () => 'quota_exceeded'));
      expect([await used(one), await used(other)]).toEqual([before + 7, before + 7]);
      for (const client of [one, other]) {
        expect((await client.ask('GET', `${content}/suggest?prefix=lig`)).status).toBe(200);
        expect((await client.ask('GET', `${content}/assets`)).status).toBe(200);
        expect(await register(client)).toBe('open');
      }
    });

    it('is free again at both when it is raised, and searches under way at once pass it by their number at most', async () => {
      const before = Number(await used(one));
      await set(`searches=${before + 10}`);
      const answers = await search(30);
      const passed = answers.filter((answer) => answer === 200).length;
      expect(answers.filter((answer) => answer !== 200 && answer !== 'quota_exceeded')).toEqual([]);
      expect(passed).toBeGreaterThanOrEqual(10);
      expect(await search(4)).toEqual(Array.from({ length: 4 }, () => 'quota_exceeded'));
      expect([await used(one), await used(other)]).toEqual([before + passed, before + passed]);
      await set('searches=none');
      expect(await search(2)).toEqual([200, 200]);
    });
  });

  describe('language models of a cluster', () => {
    const board = { principals: ['group:board'] };
    /** Calls a tool at a gateway; a refusal is returned as its code. */
    const use = async <T>(client: Client, name: string, given: object): Promise<T | string> => {
      const { result } = await client.get<{
        result: { structuredContent: T; content: { text: string }[]; isError?: boolean };
      }>(200, 'POST', '/mcp', {
        body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } },
      });
      if (result.isError !== true) return result.structuredContent;
      return (JSON.parse(result.content[0]?.text ?? '{}') as { code: string }).code;
    };

    it('find and read at every gateway what their reader may see, and nothing else', async () => {
      for (const client of atBoth(cluster.organizationId)) {
        const found = async (more: object): Promise<unknown> =>
          use(client, 'search', { query: 'treasurer hides the lantern', ...more });
        expect(await found({})).toMatchObject({ items: [] });
        const seen = await found(board);
        expect(seen).toMatchObject({ items: [{ filename: 'b.txt' }] });
        const { passageId } = (seen as { items: { passageId: string }[] }).items[0] ?? { passageId: '' };
        expect(await use(client, 'read_passage', { passageId, ...board })).toMatchObject({
          passages: [{ passageId, text: 'The treasurer hides the lantern.' }],
        });
        expect(await use(client, 'read_passage', { passageId })).toBe('asset_not_found');
        expect(await use(client, 'list_collections', board)).toMatchObject({ items: [] });
      }
    });
  });

  describe('a change of settings that was answered', () => {
    it('applies to the next registration at every process', async () => {
      const { id } = await admin.createOrganization('Own');
      const [one, other] = atBoth(id);
      for (let round = 0; round < 5; round += 1) {
        for (const [changed, asked] of [
          [one, other],
          [other, one],
        ] as const) {
          await change(changed, { requireAcl: true, sourceHosts: ['files.example.com'] });
          expect([await register(asked), await register(changed)]).toEqual(['restricted', 'restricted']);
          await change(changed, { requireAcl: false, sourceHosts: ['other.example.com'] });
          expect([await register(asked), await register(changed)]).toEqual([
            'source_host_not_allowed',
            'source_host_not_allowed',
          ]);
          await change(changed, { sourceHosts: null });
          expect([await register(asked), await register(changed)]).toEqual(['open', 'open']);
          const withCallback = { callbackKey: 'key' };
          expect(await register(asked, withCallback)).toBe('callback_not_configured');
          await change(changed, { callbackUrl: 'https://callback.example.com/', callbackSecret: 's'.repeat(32) });
          expect([await register(asked, withCallback), await register(changed, withCallback)]).toEqual([
            'open',
            'open',
          ]);
          await changed.get(200, 'DELETE', `${content}/settings`);
          expect(await register(asked, withCallback)).toBe('callback_not_configured');
        }
      }
    });

    it('applies to sub-organizations that inherit it, and to imports', async () => {
      const { id } = await admin.createOrganization('Heir');
      const [, subOrganization] = atBoth(id);
      const [owner] = atBoth(cluster.organizationId);
      for (const requireAcl of [true, false, true, null]) {
        await change(owner, { requireAcl });
        const mode = requireAcl === true ? 'restricted' : 'open';
        expect(await register(subOrganization)).toBe(mode);
        const { results } = await subOrganization.get<{ results: ImportResult[] }>(202, 'POST', `${content}/imports`, {
          body: {
            assets: [1, 2, 3].map((number) => ({
              externalId: `imported-${files}-${number}`,
              filename: 'a.txt',
              kind: 'document',
              sourceUrl: 'https://files.example.com/a.txt',
              sourceVersion: '"1"',
            })),
          },
        });
        for (const result of results) {
          if (!('assetId' in result)) throw new Error(result.code);
          expect(
            await subOrganization.get(200, 'GET', `${content}/assets/${result.assetId}/permissions`),
          ).toMatchObject({ mode });
        }
      }
      await owner.get(200, 'DELETE', `${content}/settings`);
    });

    it('applies at a process that was paused meanwhile', async () => {
      const { id } = await admin.createOrganization('Paused');
      const [one, other] = atBoth(id);
      const [paused] = cluster.processesOf('second');
      expect(await register(other)).toBe('open');
      paused?.freeze();
      try {
        // Calls to the paused process go elsewhere, or fail and are retried.
        for (let attempt = 0; ; attempt += 1) {
          const { status } = await one.ask('PATCH', `${content}/settings`, { body: { requireAcl: true } });
          if (status === 200) break;
          if (attempt === 20) throw new Error(`the settings answer ${status}`);
        }
      } finally {
        paused?.resume();
      }
      expect(await register(other)).toBe('restricted');
    });
  });
}
