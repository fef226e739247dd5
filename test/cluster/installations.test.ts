import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startCluster } from '../../scripts/cluster/cluster.ts';
import { ProgramProcess } from '../../scripts/cluster/program-process.ts';
import { Client, content } from '../api/support/client.ts';
import { freePort } from '../servers/ports.ts';
import { commandLine } from '../support/command-line.ts';
import { installationOf } from '../support/installation.ts';
import { skipWithReason } from '../support/servers.ts';

const roles = 'gateway,accounts,registrar,ledger,scheduler,searcher';
const started = await startCluster({
  environment: { PLY_EMBEDDING_THREADS: '0', PLY_LOG_LEVEL: 'warn' },
  layout: [{ name: 'production', roles }],
});

if ('unavailable' in started) skipWithReason('two installations on one NATS server', started.unavailable);
else {
  const production = started;
  const running: ProgramProcess[] = [];
  afterAll(async () => {
    await Promise.all(running.map((program) => program.stop()));
    await production.stop();
  }, 60_000);

  /** A process of another installation on the same servers, with own records, index and keys. */
  async function staging(
    name: string,
    environment: Record<string, string> = {},
  ): Promise<{ program: ProgramProcess; url: string; log(): string; environment: Record<string, string> }> {
    const [apiPort, metricsPort] = [await freePort(), await freePort()];
    const logFile = join(production.folder, `${name}.log`);
    const own = {
      ...production.environment,
      PLY_MONGO_DATABASE: `${production.database}_staging`,
      PLY_MILVUS_COLLECTION: `${production.collections}_staging`,
      PLY_SECRET_KEY: randomBytes(32).toString('base64'),
      PLY_BOOTSTRAP_ADMIN_KEY: 'a-key-of-staging-for-admins',
      PLY_BOOTSTRAP_STANDARD_KEY: 'a-key-of-staging-for-clients',
      PLY_ROLES: roles,
      PLY_API_PORT: String(apiPort),
      PLY_METRICS_PORT: String(metricsPort),
      PLY_DATA_DIR: join(production.folder, name),
      ...environment,
    };
    const healthUrl = `http://127.0.0.1:${metricsPort}/health/ready`;
    const program = new ProgramProcess({ name, environment: own, healthUrl, logFile });
    program.start();
    running.push(program);
    const log = (): string => readFileSync(logFile, 'utf8');
    return { program, url: `http://127.0.0.1:${apiPort}`, log, environment: own };
  }

  const exit = async ({ program }: { program: ProgramProcess }): Promise<void> => {
    while (program.pid !== undefined) await pause(50);
  };

  describe('two installations on one NATS server', () => {
    it('do not see each other, and keys of one are unknown to the other', async () => {
      const other = await staging('staging');
      await other.program.ready();
      for (let times = 0; times < 8; times += 1) {
        const client = new Client(other.url, production.organizationId, production.standardKey);
        expect((await client.ask('GET', `${content}/assets`)).status).toBe(401);
        const own = new Client(production.apiUrl, production.organizationId, production.standardKey);
        expect((await own.ask('GET', `${content}/assets`)).status).toBe(200);
      }
      const { id, natsPrefix } = await installationOf(production);
      const shown = await commandLine(other.environment)(['installation']);
      expect(shown.output).toMatch(
        /^installation {2}[0-9a-f-]{36}\nNATS prefix {3}ply_[0-9a-f]{8} \(stream ply_\w+_stages\)$/,
      );
      expect(shown.output).not.toContain(id);
      expect(shown.output).not.toContain(natsPrefix);
      await other.program.stop();
    });

    it.each(['scheduler', 'gateway'])('a %s with the prefix of the other one does not start', async (role) => {
      const { id, natsPrefix } = await installationOf(production);
      const other = await staging(`mixed-${role}`, { PLY_NATS_PREFIX: natsPrefix, PLY_ROLES: role });
      await exit(other);
      expect(other.log()).toMatch(
        new RegExp(
          `Ply could not start: .* belongs to the installation ${id}, and this process to the installation [0-9a-f-]{36}, under the same NATS prefix ${natsPrefix}\\. Set PLY_NATS_PREFIX`,
        ),
      );
      const own = new Client(production.apiUrl, production.organizationId, production.standardKey);
      expect((await own.ask('GET', `${content}/assets`)).status).toBe(200);
    });

    it('a copy of the records gets an id of its own by "ply installation renew"', async () => {
      const { environment } = await staging('copy');
      const ply = commandLine(environment);
      await running.at(-1)?.stop();
      const before = (await ply(['installation'])).output;
      const id = /installation {2}(\S+)/.exec(before)?.[1] ?? '';
      const refused = await ply(['installation', 'renew', '--yes', 'another']);
      expect(refused).toMatchObject({ code: 1, errors: expect.stringContaining(`renew --yes ${id}`) as string });
      expect((await ply(['installation'])).output).toBe(before);
      const after = (await ply(['installation', 'renew', '--yes', id])).output;
      expect(after).not.toContain(id);
      expect((await ply(['installation'])).output).toBe(after);
    });
  });
}
