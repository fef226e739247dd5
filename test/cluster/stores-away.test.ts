import { setTimeout as pause } from 'node:timers/promises';
import { ServiceBroker } from 'moleculer';
import { openNatsTransporter } from '../../adapters/transport/nats.ts';
import type { Cluster } from '../../scripts/cluster/cluster.ts';
import { startCluster } from '../../scripts/cluster/cluster.ts';
import { installationOf } from '../support/installation.ts';
import { skipWithReason } from '../support/servers.ts';

const started = await startCluster({
  environment: { PLY_EMBEDDING_THREADS: '0', PLY_LOG_LEVEL: 'error' },
  layout: [
    { name: 'gateway', roles: 'gateway,accounts,registrar,ledger,scheduler' },
    { name: 'searcher', roles: 'searcher' },
  ],
});

/** Servers that each process needs. Redis is optional, because limits are then counted in memory. */
const needed: readonly [server: keyof Cluster['servers'], process: string, part: string][] = [
  ['mongo', 'gateway', 'records'],
  ['mongo', 'searcher', 'records'],
  ['nats', 'gateway', 'queue'],
  ['nats', 'gateway', 'broker'],
  ['nats', 'searcher', 'broker'],
  ['milvus', 'searcher', 'passages'],
  ['milvus', 'gateway', 'passages'],
];

interface Health {
  status: number;
  parts: { [name: string]: { state: string } };
}

if ('unavailable' in started) skipWithReason('a cluster whose servers become unavailable', started.unavailable);
else {
  const cluster = started;
  afterAll(() => cluster.stop(), 60_000);

  const health = async (name: string): Promise<Health> => {
    const response = await fetch(cluster.processesOf(name)[0]?.healthUrl ?? '');
    return { status: response.status, parts: ((await response.json()) as Health).parts };
  };
  const awaitReady = async (name: string, wanted: (now: Health) => boolean): Promise<Health> => {
    for (let attempts = 900; ; attempts--) {
      const now = await health(name);
      if (wanted(now)) return now;
      if (attempts === 0) throw new Error(`${name} stays ${JSON.stringify(now)}`);
      await pause(100);
    }
  };
  const headers = {
    Authorization: `ApiKey ${cluster.standardKey}`,
    'X-Organization-Id': cluster.organizationId,
    'Content-Type': 'application/json',
  };
  const ask = async (method: string, path: string): Promise<{ status: number; milliseconds: number }> => {
    const began = performance.now();
    const response = await fetch(`${cluster.apiUrl}/api/content/v1${path}`, {
      method,
      headers,
      ...(method === 'POST' ? { body: '{"query":"anything"}' } : {}),
    });
    await response.arrayBuffer();
    return { status: response.status, milliseconds: performance.now() - began };
  };
  /** Nodes reconnect to NATS one after another. */
  const awaitRecovery = async (): Promise<void> => {
    for (
      let attempts = 900;
      (await ask('GET', '/assets')).status !== 200 || (await ask('POST', '/search')).status !== 200;
      attempts--
    ) {
      if (attempts === 0) throw new Error('the API does not recover');
      await pause(100);
    }
  };

  describe('a cluster', () => {
    it('discovers its nodes, each with a unique name', async () => {
      const url = cluster.environment['PLY_NATS_URL'] ?? '';
      const installation = await installationOf(cluster);
      const observer = new ServiceBroker({
        namespace: installation.natsPrefix,
        nodeID: 'observer',
        logger: false,
        skipProcessEventRegistration: true,
        transporter: openNatsTransporter(url, 'observer', { installation, foreign: () => undefined }),
      });
      await observer.start();
      try {
        await observer.waitForServices(['gateway', 'accounts', 'registrar', 'ledger', 'scheduler', 'searcher'], 60_000);
        const nodes: { id: string }[] = observer.registry.getNodeList({ onlyAvailable: true, withServices: false });
        const names = nodes.map(({ id }) => id).filter((id) => id !== 'observer');
        expect(new Set(names).size).toBe(2);
        for (const { pid } of cluster.processes)
          expect(names.filter((name) => name.includes(`-${pid}-`))).toHaveLength(1);
      } finally {
        await observer.stop();
      }
    });

    it.each(['mongo', 'nats', 'milvus'] as const)(
      'responds with 503 quickly while %s is unavailable, and recovers',
      async (server) => {
        await cluster.servers[server].kill();
        for (const [, name, part] of needed.filter(([which]) => which === server)) {
          const { status } = await awaitReady(name, (now) => now.parts[part]?.state === 'down');
          expect(status).toBe(503);
        }
        const { status, milliseconds } = server === 'nats' ? await ask('POST', '/search') : await ask('GET', '/assets');
        // Operations without passages continue.
        expect(status).toBe(server === 'milvus' ? 200 : 503);
        expect(milliseconds).toBeLessThan(20_000);
        await cluster.servers[server].restart();
        for (const { name } of cluster.processes)
          expect((await awaitReady(name, (now) => now.status === 200)).status).toBe(200);
        await awaitRecovery();
      },
    );

    it('is ready and serves without Redis', async () => {
      await cluster.servers.redis.kill();
      const { status } = await awaitReady('gateway', (now) => now.parts['counters']?.state === 'down');
      expect(status).toBe(200);
      expect((await ask('GET', '/assets')).status).toBe(200);
      await cluster.servers.redis.restart();
      await awaitReady('gateway', (now) => now.parts['counters']?.state === 'up');
    });

    it('fails requests to a killed process immediately, and uses the next process', async () => {
      const [searcher] = cluster.processesOf('searcher');
      if (searcher === undefined) throw new Error('there is no searcher');
      await searcher.kill();
      const { status, milliseconds } = await ask('POST', '/search');
      expect(status).toBe(503);
      // The timeout of a call is half a minute.
      expect(milliseconds).toBeLessThan(15_000);
      searcher.start();
      await searcher.ready();
      await awaitRecovery();
    });
  });
}
