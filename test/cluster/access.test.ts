import { join } from 'node:path';
import type { AuditView } from '../../models/api.ts';
import { startCluster } from '../../scripts/cluster/cluster.ts';
import { Client, content, until } from '../api/support/client.ts';
import { freePort } from '../servers/ports.ts';
import { commandLine } from '../support/command-line.ts';
import { skipWithReason } from '../support/servers.ts';

const [firstPort, secondPort] = [await freePort(), await freePort()];
const started = await startCluster({
  apiPort: firstPort,
  environment: { PLY_EMBEDDING_THREADS: '0', PLY_LOG_LEVEL: 'error' },
  layout: [
    { name: 'first', roles: 'gateway,accounts,registrar,ledger' },
    { name: 'second', roles: 'gateway', environment: { PLY_API_PORT: String(secondPort) } },
    { name: 'searcher', roles: 'searcher' },
  ],
});

if ('unavailable' in started) skipWithReason('authentication in a cluster of two gateways', started.unavailable);
else {
  const cluster = started;
  afterAll(() => cluster.stop(), 60_000);
  const gateways = [cluster.apiUrl, `http://127.0.0.1:${secondPort}`];
  const ply = commandLine({ ...cluster.environment, PLY_DATA_DIR: join(cluster.folder, 'command-line') });
  const admin = new Client(cluster.apiUrl, cluster.organizationId, cluster.adminKey);

  const atBoth = (organizationId: string, key: string): Client[] =>
    gateways.map((url) => new Client(url, organizationId, key));
  const statusAt = async (client: Client): Promise<number> => (await client.ask('GET', `${content}/assets`)).status;
  const areAccepted = async (clients: readonly Client[]): Promise<void> => {
    for (const client of clients)
      await until(
        () => statusAt(client),
        (status) => status === 200,
      );
  };

  /**
   * Sends requests to a gateway until one has the given status. Returns the start of the last accepted request, in
   * milliseconds from now.
   */
  const lastAccepted = async (client: Client, refused: number): Promise<number> => {
    const began = performance.now();
    for (let last = 0; ;) {
      const asked = performance.now() - began;
      const status = await statusAt(client);
      if (status === refused) return last;
      expect(status).toBe(200);
      last = asked;
      if (last > 60_000) throw new Error(`${client.url} still accepts it`);
    }
  };

  const shownKey = (output: string): string =>
    /The key, which is only shown now: (ply_\S+)$/.exec(output)?.[1] ?? `none in ${output}`;
  const keyId = async (label: string): Promise<string> =>
    (await ply(['keys'])).output
      .split('\n')
      .find((line) => line.endsWith(label))
      ?.split(' ')[0] ?? `no key ${label}`;
  const searchesAs = async (): Promise<AuditView[]> =>
    (await admin.get<{ items: AuditView[] }>(200, 'GET', '/api/account-audit?limit=100')).items.filter(
      ({ action }) => action === 'dashboard.search_as',
    );

  describe('a cluster of two gateways', () => {
    it('applies the deactivation and reactivation of a sub-organization within a second', async () => {
      const { id } = await admin.createOrganization('Sleeper');
      const clients = atBoth(id, cluster.standardKey);
      for (const change of [
        () => admin.get(200, 'DELETE', `/api/sub-organizations/${id}`),
        () => admin.get(200, 'PUT', `/api/sub-organizations/${id}`, { body: { is_active: false } }),
      ]) {
        await areAccepted(clients);
        await change();
        for (const last of await Promise.all(clients.map((client) => lastAccepted(client, 403))))
          expect(last).toBeLessThan(1000);
        await admin.get(200, 'PUT', `/api/sub-organizations/${id}`, { body: { is_active: true } });
      }
      await areAccepted(clients);
    });

    it('refuses a rotated or deactivated key within a second', async () => {
      const id = await keyId('First standard key');
      const before = atBoth(cluster.organizationId, cluster.standardKey);
      await areAccepted(before);
      const { output } = await ply(['keys', 'rotate', id]);
      for (const last of await Promise.all(before.map((client) => lastAccepted(client, 401))))
        expect(last).toBeLessThan(1000);
      const after = atBoth(cluster.organizationId, shownKey(output));
      await areAccepted(after);
      expect((await ply(['keys', 'deactivate', id])).code).toBe(0);
      for (const last of await Promise.all(after.map((client) => lastAccepted(client, 401))))
        expect(last).toBeLessThan(1000);
      expect((await ply(['keys', 'reactivate', id])).code).toBe(0);
      await areAccepted(after);
    });

    it('allows a search as another reader if the audit can be written', async () => {
      expect(await ply(['search', 'narwhal', '--as', 'group:staff'])).toMatchObject({
        code: 0,
        errors: '',
        output: expect.stringMatching(/^Nothing found/),
      });
      expect(await searchesAs()).toMatchObject([
        {
          actor: { kind: 'plycdn', label: 'command line' },
          detail: { principals: ['group:staff'], principalCount: 1 },
        },
      ]);
      const [accounts] = cluster.processesOf('first');
      await accounts?.kill();
      expect(await ply(['search', 'narwhal', '--as', 'group:staff'])).toMatchObject({
        code: 1,
        output: '',
        errors: expect.stringMatching(/^The search as another reader was not run/),
      });
      accounts?.start();
      await accounts?.ready();
      expect(await searchesAs()).toHaveLength(1);
    });
  });
}
