import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { readConfiguration } from '../../models/configuration/configuration.ts';
import { variables } from '../../models/configuration/table.ts';
import { projectRoot } from '../../scripts/setup/paths.mjs';
import { runProgram } from '../../scripts/setup/system.ts';
import { skipWithReason } from '../support/servers.ts';
import { composeReader } from './support/tools.ts';

interface Service {
  image: string;
  command?: string[];
  entrypoint?: string[];
  environment?: Record<string, string>;
  build?: unknown;
  mem_limit?: string;
  logging?: { options?: Record<string, string> };
  read_only?: boolean;
  cap_drop?: string[];
  stop_grace_period?: string;
  ports?: { host_ip?: string; target: number }[];
  volumes?: { type: string; source: string }[];
}

/** The used fields of a Compose file after interpolation. */
interface Compose {
  services: Record<string, Service>;
  configs: Record<string, { content: string }>;
}

/** The values of `.env`. */
const secrets: Record<string, string> = {
  OBJECTS_PASSWORD: 'some-password',
  STORES_PASSWORD: 'another-password',
  GRAFANA_PASSWORD: 'some-password',
  PLY_SECRET_KEY: Buffer.alloc(32).toString('base64'),
  PLY_BOOTSTRAP_ORGANIZATION_ID: '7d0c9e55-2b1f-4a4e-9a53-3f0e6d2c8b17',
  PLY_BOOTSTRAP_ADMIN_KEY: 'some-key-of-an-administrator',
  PLY_BOOTSTRAP_STANDARD_KEY: 'some-key-for-everything-else',
};

const file = readFileSync(join(projectRoot, 'compose.yaml'), 'utf8');
const filled = file.replace(/\$\{(\w+):\?[^}]*\}/g, (_all, name: string) => secrets[name] ?? `no value for ${name}`);
const stores = ['nats', 'mongodb', 'redis', 'milvus', 'etcd', 'objects', 'prometheus', 'alertmanager', 'grafana'];

const reader = await composeReader();
if ('unavailable' in reader) skipWithReason('compose.yaml', reader.unavailable);
else {
  const work = mkdtempSync(join(tmpdir(), 'ply-compose-'));
  writeFileSync(join(work, 'compose.yaml'), filled);
  const read = await runProgram(reader.path, ['--no-path-resolution', '--format', 'json', join(work, 'compose.yaml')]);
  rmSync(work, { recursive: true });
  if (!read.ok) throw new Error(`compose.yaml cannot be read: ${read.reason}`);
  const { services, configs } = JSON.parse(read.output) as Compose;
  const roles = Object.keys(services).filter((name) => !stores.includes(name));

  describe('compose.yaml', () => {
    it('has a service for each role', () => {
      expect(roles.sort()).toEqual([...variables.PLY_ROLES.fallback].sort());
    });

    it.each(roles)('starts %s with a valid environment', (role) => {
      const {
        environment = {},
        read_only: readOnly,
        cap_drop: dropped,
        stop_grace_period: grace,
      } = services[role] ?? { image: '' };
      const configuration = readConfiguration(environment);
      expect([configuration.PLY_ROLES, configuration.PLY_PRIVATE_NETWORKS, readOnly, dropped]).toEqual([
        [role],
        'deny',
        true,
        ['ALL'],
      ]);
      expect(Number.parseInt(grace ?? '', 10)).toBeGreaterThan(configuration.PLY_STOP_TIMEOUT + 2);
    });

    it('publishes ports on the loopback interface only', () => {
      const open = Object.entries(services).flatMap(([name, { ports = [] }]) =>
        ports.map((port) => [name, port.host_ip, port.target]),
      );
      expect(open).toEqual([
        ['alertmanager', '127.0.0.1', 9093],
        ['blob', '127.0.0.1', 3004],
        ['delivery', '127.0.0.1', 3001],
        ['gateway', '127.0.0.1', 3000],
        ['grafana', '127.0.0.1', 3000],
        ['prometheus', '127.0.0.1', 9090],
        ['s3', '127.0.0.1', 3003],
        ['storage', '127.0.0.1', 3002],
      ]);
    });

    it('makes the stores durable', () => {
      expect(configs['nats']?.content).toMatch(/max_payload: 64MB[\s\S]*jetstream \{\s*store_dir: \/data/);
      expect(services['mongodb']?.entrypoint?.join(' ')).toContain('--replSet rs0');
      expect(services['redis']?.command?.join(' ')).toContain(
        '--appendonly yes --appendfsync everysec --maxmemory 256mb --maxmemory-policy noeviction',
      );
    });

    it('has every process scraped by Prometheus', () => {
      const { scrape_configs: jobs } = parse(configs['prometheus']?.content ?? '') as {
        scrape_configs: { static_configs: { targets: string[] }[] }[];
      };
      const targets = jobs.flatMap((job) => job.static_configs.flatMap((config) => config.targets));
      expect(targets.sort()).toEqual(roles.map((role) => `${role}:${variables.PLY_METRICS_PORT.fallback}`).sort());
    });

    it('builds one image, limits memory, and rotates logs', () => {
      expect(Object.keys(services).filter((name) => services[name]?.build !== undefined)).toEqual(['gateway']);
      expect(new Set(roles.map((role) => services[role]?.image))).toEqual(new Set(['ply:local']));
      for (const [name, { mem_limit: memory, logging }] of Object.entries(services))
        expect({ name, memory, size: logging?.options?.['max-size'] }).toEqual({
          name,
          memory: expect.stringMatching(/^\d+[mg]$/) as string,
          size: '10m',
        });
    });

    it('has stores that ask for a password, and sends alerts to Alertmanager', () => {
      for (const name of ['PLY_NATS_URL', 'PLY_MONGO_URL', 'PLY_REDIS_URL'])
        expect(new URL(services['extractor']?.environment?.[name] ?? '').password).toBe('another-password');
      expect(configs['nats']?.content).toContain('password: "another-password"');
      expect(services['redis']?.command).toContain('--requirepass');
      expect(services['mongodb']?.entrypoint?.join(' ')).toContain('--keyFile');
      expect(configs['prometheus']?.content).toContain('targets: [alertmanager:9093]');
    });

    it('mounts existing folders', () => {
      const mounted = Object.values(services).flatMap(({ volumes = [] }) =>
        volumes.filter(({ type }) => type === 'bind').map(({ source }) => source),
      );
      expect(mounted.filter((source) => !existsSync(join(projectRoot, source)))).toEqual([]);
      expect(mounted.length).toBeGreaterThan(0);
    });
  });
}

describe('the secrets of compose.yaml', () => {
  it('are in the guide', () => {
    const guide = readFileSync(join(projectRoot, 'docs/operations.md'), 'utf8');
    expect(Object.keys(secrets).filter((name) => !guide.includes(`${name}=`))).toEqual([]);
    const asked = [...file.matchAll(/\$\{(\w+)(:-)?/g)].map(([, name = '', otherwise]) => ({
      name,
      isNeeded: otherwise === undefined,
    }));
    expect(asked.filter(({ name, isNeeded }) => isNeeded && secrets[name] === undefined)).toEqual([]);
    expect(asked.filter(({ name, isNeeded }) => !isNeeded && !guide.includes(name))).toEqual([]);
  });
});
