import { isClean } from '../../scripts/chaos/checker.ts';
import { clusterChaos } from '../../scripts/chaos/cluster.ts';
import { installServer, serverNames } from '../servers/install.ts';
import { skipLoudly } from '../support/servers.ts';

const missing: string[] = [];
for (const name of serverNames) {
  const reason = await installServer(name);
  if (reason !== null) missing.push(`${name}: ${reason}`);
}

if (missing.length > 0) skipLoudly('chaos over a cluster', missing.join('; '));
else {
  it('nothing is lost, doubled or leaked when processes of a cluster are killed and frozen, and its servers restarted', async () => {
    const report = await clusterChaos({ documents: 20, recordings: 4, faults: 3, log: () => undefined });
    if ('unavailable' in report) throw new Error(report.unavailable);
    expect(report).toMatchObject({
      documents: 20,
      faults: 3,
      rowsAstray: 0,
      serversRestarted: ['nats', 'redis'],
      states: { ready: 20 },
    });
    expect(isClean(report) ? 'clean' : report).toBe('clean');
  }, 480_000);
}
