import { clusterObjectChaos } from '../../scripts/chaos/objects/cluster.ts';
import { isTrafficRight } from '../../scripts/chaos/objects/traffic.ts';
import { installServer, serverNames } from '../servers/install.ts';
import { skipWithReason } from '../support/servers.ts';

const missing: string[] = [];
for (const name of serverNames) {
  const reason = await installServer(name);
  if (reason !== null) missing.push(`${name}: ${reason}`);
}

if (missing.length > 0) skipWithReason('chaos with objects over a cluster', missing.join('; '));
else {
  it('answered changes of objects, and the bytes of downloads at three edges, survive kills and freezes', async () => {
    const report = await clusterObjectChaos({ faults: 4, log: () => undefined });
    if ('unavailable' in report) throw new Error(report.unavailable);
    expect(report.wrong).toEqual([]);
    expect(report).toMatchObject({ faults: 4, serversRestarted: ['nats', 'redis'] });
    expect(isTrafficRight(report.traffic) ? 'right' : report.traffic).toBe('right');
  }, 480_000);
}
