import { ServiceBroker } from 'moleculer';
import { startCluster } from '../../scripts/cluster/cluster.ts';
import { Client, content, until, type Answer, type ErrorBody } from '../api/support/client.ts';
import { prepareFormerInstallation } from '../support/installation.ts';
import { skipWithReason } from '../support/servers.ts';

const started = await startCluster({
  prepare: prepareFormerInstallation,
  environment: { PLY_EMBEDDING_THREADS: '0', PLY_LOG_LEVEL: 'error' },
  layout: [
    { name: 'rest', roles: 'gateway,accounts,registrar,ledger' },
    { name: 'searcher', roles: 'searcher' },
  ],
});

if ('unavailable' in started) skipWithReason('processes of two versions in one cluster', started.unavailable);
else {
  const cluster = started;
  const client = new Client(cluster.apiUrl, cluster.organizationId, cluster.standardKey);
  /** A searcher of the previous version: it only has the action `search`, whose result the test sets. */
  const answer = { current: (): unknown => ({ searchId: 'of the version before', items: [] }) };
  const before = new ServiceBroker({
    namespace: 'ply',
    nodeID: 'searcher-before',
    logger: false,
    skipProcessEventRegistration: true,
    // Its packets carry no id of an installation.
    transporter: { type: 'NATS', options: { url: cluster.environment['PLY_NATS_URL'] ?? '' } },
  });
  before.createService({ name: 'searcher', actions: { search: { handler: () => answer.current() } } });
  afterAll(async () => {
    await before.stop();
    await cluster.stop();
  });

  const search = (): Promise<Answer<ErrorBody & { searchId?: string }>> =>
    client.ask('POST', `${content}/search`, { body: { query: 'anything' } });
  const health = (): Promise<Answer<ErrorBody & { items?: object[] }>> =>
    client.ask('GET', `${content}/tuning/synonyms`);
  const isRetryLater = ({ status, headers, body }: Answer<ErrorBody>): void => {
    expect({ status, code: body.code, retryable: body.retryable, retryAfter: headers.get('retry-after') }).toEqual({
      status: 503,
      code: 'content_service_unavailable',
      retryable: true,
      retryAfter: '2',
    });
  };

  describe('a rolling upgrade', () => {
    it('a missing action is a retryable 503 until a process has it', async () => {
      const [searcher] = cluster.processesOf('searcher');
      await searcher?.stop();
      await before.start();
      await until(search, ({ body }) => body.searchId === 'of the version before', 60_000);
      for (let times = 0; times < 3; times += 1) isRetryLater(await health());
      // Actions of the previous version keep working.
      expect((await search()).status).toBe(200);

      searcher?.start();
      await searcher?.ready();
      await until(health, ({ status }) => status === 200, 60_000);
      // Both versions run: common actions alternate, the others go to the version that has them.
      const ids = new Set<string | undefined>();
      for (let times = 0; times < 8; times += 1) {
        expect((await health()).status).toBe(200);
        const { status, body } = await search();
        expect(status).toBe(200);
        ids.add(body.searchId);
      }
      expect(ids.has('of the version before')).toBe(true);
      expect(ids.size).toBeGreaterThan(1);
    });

    it('an unknown error code of the other version is a retryable 503', async () => {
      await cluster.processesOf('searcher')[0]?.stop();
      answer.current = () => {
        throw Object.assign(new Error('Only a later version knows.'), {
          name: 'Refusal',
          type: 'a_later_code',
          code: 409,
          data: { detail: 'Only a later version knows.' },
        });
      };
      await until(search, ({ body }) => body.searchId === undefined);
      isRetryLater(await search());
    });

    it('the processes keep serving, with metrics', async () => {
      expect(cluster.processesOf('rest').map(({ unexpectedExits }) => unexpectedExits)).toEqual([0]);
      for (const { healthUrl } of cluster.processesOf('rest')) {
        const metrics = await fetch(healthUrl.replace('/health/ready', '/metrics'));
        expect({ status: metrics.status, text: await metrics.text() }).toMatchObject({
          status: 200,
          text: expect.stringMatching(/^ply_data_free_bytes \d/m),
        });
      }
      expect(await client.get<{ items: object[] }>(200, 'GET', `${content}/assets`)).toMatchObject({ items: [] });
    });
  });
}
