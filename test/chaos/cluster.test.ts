import { isClean } from '../../scripts/chaos/checker.ts';
import { clusterChaos } from '../../scripts/chaos/cluster.ts';
import { installServer, serverNames } from '../servers/install.ts';
import { skipWithReason } from '../support/servers.ts';

const missing: string[] = [];
for (const name of serverNames) {
  const reason = await installServer(name);
  if (reason !== null) missing.push(`${name}: ${reason}`);
}

if (missing.length > 0) skipWithReason('chaos over a cluster', missing.join('; '));
else {
  it('a cluster loses, duplicates and leaks nothing when processes are killed or frozen and servers restart', async () => {
    const report = await clusterChaos({ documents: 20, recordings: 4, faults: 3, log: () => undefined });
    if ('unavailable' in report) throw new Error(report.unavailable);
    expect(report).toMatchObject({
      documents: 20,
      faults: 3,
      rowCountDifference: 0,
      ledgerFaults: [],
      serversRestarted: ['nats', 'redis'],
      states: { ready: 20 },
    });
    expect(isClean(report) ? 'clean' : report).toBe('clean');
  }, 480_000);
}
