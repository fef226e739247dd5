import { join } from 'node:path';
import { startCluster } from '../../scripts/cluster/cluster.ts';
import { variables } from '../../models/configuration/table.ts';
import { commandLine, type CommandResult } from '../support/command-line.ts';
import { skipWithReason } from '../support/servers.ts';

const first = 'gateway,accounts,registrar,searcher,ledger';
const second = variables.PLY_ROLES.fallback.filter((role) => !first.split(',').includes(role)).join(',');
const started = await startCluster({
  environment: { PLY_EMBEDDING_THREADS: '0', PLY_LOG_LEVEL: 'warn' },
  layout: [
    { name: 'one', roles: first },
    { name: 'two', roles: second },
  ],
});

if ('unavailable' in started) skipWithReason('"ply doctor" in a cluster', started.unavailable);
else {
  const cluster = started;
  afterAll(() => cluster.stop(), 60_000);

  /** Runs it with the environment of the process without a gateway, as `kubectl exec` does. */
  function doctor(): Promise<CommandResult> {
    const url = cluster.processes.find(({ name }) => name === 'two')?.healthUrl ?? '';
    return commandLine({
      ...cluster.environment,
      PLY_ROLES: 'scheduler',
      PLY_METRICS_PORT: new URL(url).port,
      PLY_DATA_DIR: join(cluster.folder, 'two'),
    })(['doctor']);
  }

  describe('"ply doctor" in the container of a role without a gateway', () => {
    it('shows all processes and their stores in one table, and ends with 0', async () => {
      const { code, output } = await doctor();
      expect({ code, broken: output.split('\n').filter((line) => line.startsWith('broken')) }).toEqual({
        code: 0,
        broken: [],
      });
      const [head, ...rows] = output.slice(output.indexOf('\nprocess ') + 1).split('\n');
      expect(head?.split(/\s+/)).toEqual(expect.arrayContaining(['ready', 'blobs', 'broker', 'counters', 'records']));
      expect(rows.map((row) => row.split(/\s+/).slice(1, 4))).toEqual(
        expect.arrayContaining([first, second].map((roles) => [roles, expect.stringMatching(/^\d/) as string, 'yes'])),
      );
    });

    it('ends with 1 when a store is away, or a process', async () => {
      await cluster.servers.redis.stop();
      const without = await doctor();
      expect(without.code).toBe(1);
      expect(without.output).toMatch(/^broken {4}\S+: counters is down/m);
      await cluster.processes[0]?.stop();
      const alone = await doctor();
      expect(alone.code).toBe(1);
      expect(alone.output).toMatch(/^broken {4}no process runs the role gateway$/m);
    });
  });
}
