import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ipaddr from 'ipaddr.js';
import { usesStore } from '../../adapters/open.ts';
import { variables, type Role } from '../../models/configuration/table.ts';
import { projectRoot } from '../../scripts/setup/paths.mjs';
import { skipWithReason } from '../support/servers.ts';
import { ofKind, render, renderWith, selects, type NetworkPolicy } from './support/manifests.ts';

const roles: readonly Role[] = variables.PLY_ROLES.fallback;

const within = (address: string, range: string): boolean => {
  const parsed = ipaddr.parse(address);
  const [network, bits] = ipaddr.parseCIDR(range);
  return parsed.kind() === network.kind() && parsed.match(network, bits);
};

/** Whether a policy allows egress to an external address. */
function allowsEgress({ spec }: NetworkPolicy, address: string): boolean {
  return (spec.egress ?? []).some(({ to }) =>
    to.some(
      ({ ipBlock }) =>
        ipBlock !== undefined &&
        within(address, ipBlock.cidr) &&
        !(ipBlock.except ?? []).some((range) => within(address, range)),
    ),
  );
}

/** Ports that a role may reach in the namespace of the stores. */
function storePorts(policies: readonly NetworkPolicy[], role: string): (number | string)[] {
  return policies
    .filter(({ spec }) => selects(spec.podSelector, role))
    .flatMap(({ spec }) => spec.egress ?? [])
    .filter(({ to }) =>
      to.some(
        ({ namespaceSelector }) => namespaceSelector?.matchLabels['kubernetes.io/metadata.name'] === 'ply-stores',
      ),
    )
    .flatMap(({ ports }) => ports.map(({ port }) => port));
}

/** Roles with a client for customer addresses. */
function readersOfSources(): string[] {
  return roles.filter((role) => {
    const folder = join(projectRoot, 'services', role);
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
      (name) => name.endsWith('.ts') && !/\.test\.ts$|testing/.test(name),
    );
    return files.some((name) =>
      /^import \{[^}]*\bguardedClient\b[^}]*\} from/m.test(readFileSync(join(folder, name), 'utf8')),
    );
  });
}

const closed = [
  '10.1.2.3',
  '100.64.0.1',
  '127.0.0.1',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '0.0.0.0',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '::1',
  'fe80::1',
  'fd00::1',
  'fc00::1',
  'ff02::1',
  '::ffff:10.1.2.3',
  '64:ff9b::a01:203',
  '2002:a01:203::1',
  '2001:0:a01:203::1',
];
const open = ['93.184.216.34', '1.1.1.1', '172.32.0.1', '2606:4700::1111', '2a00:1450::1'];

const [rendered, withModels, withTraces] = [
  await render('base'),
  await renderWith('model-servers'),
  await renderWith('tracing'),
];
if ('unavailable' in rendered) skipWithReason('network policies', rendered.unavailable);
else if ('unavailable' in withModels) skipWithReason('network policies', withModels.unavailable);
else if ('unavailable' in withTraces) skipWithReason('network policies', withTraces.unavailable);
else {
  const policies = ofKind(rendered.manifests, 'NetworkPolicy');
  describe('network policies', () => {
    it('deny all traffic by default', () => {
      const [nothing] = policies.filter(({ metadata }) => metadata.name === 'nothing');
      expect(nothing?.spec).toEqual({
        podSelector: { matchLabels: { 'app.kubernetes.io/name': 'ply' } },
        policyTypes: ['Ingress', 'Egress'],
      });
    });

    it.each(roles)('allow %s to reach exactly its stores', (role) => {
      // Every role opens the blobs at start.
      const wanted = [
        4222,
        27017,
        9000,
        ...(usesStore([role], 'passages') ? [19530] : []),
        ...(usesStore([role], 'counters') ? [6379] : []),
      ];
      expect(storePorts(policies, role).sort()).toEqual(wanted.sort());
    });

    it('allow egress to outside addresses for exactly the roles that need it', () => {
      const out = roles.filter((role) =>
        policies.some((policy) => selects(policy.spec.podSelector, role) && allowsEgress(policy, '93.184.216.34')),
      );
      const readers = readersOfSources();
      // Storage looks at the DNS of custom domains and orders their certificates.
      expect(out).toEqual(roles.filter((role) => role === 'storage' || readers.includes(role)));
      expect(out.length).toBeGreaterThan(0);
    });

    it.each(closed)('allow no egress to %s', (address) => {
      expect(policies.filter((policy) => allowsEgress(policy, address)).map(({ metadata }) => metadata.name)).toEqual(
        [],
      );
    });

    it.each(open)('allow egress of source readers and storage to %s', (address) => {
      const allowing = policies.filter((policy) => allowsEgress(policy, address));
      expect(allowing.map(({ metadata }) => metadata.name).sort()).toEqual(['domains', 'sources']);
    });

    it('optionally allow HTTPS egress to model servers', () => {
      const [policy, ...others] = ofKind(withModels.manifests, 'NetworkPolicy').filter(
        ({ metadata }) => metadata.name === 'model-servers',
      );
      if (policy === undefined || others.length > 0) throw new Error('there is one policy for model servers');
      expect(roles.filter((role) => selects(policy.spec.podSelector, role))).toEqual(
        roles.filter((role) => (['embeddings', 'speech', 'chat'] as const).some((store) => usesStore([role], store))),
      );
      expect(open.every((address) => allowsEgress(policy, address))).toBe(true);
      expect(closed.filter((address) => allowsEgress(policy, address))).toEqual([]);
    });

    it('optionally allow egress to the trace collector, and configure its address', () => {
      const [policy] = ofKind(withTraces.manifests, 'NetworkPolicy').filter(
        ({ metadata }) => metadata.name === 'traces',
      );
      if (policy === undefined) throw new Error('there is no policy for traces');
      expect(roles.filter((role) => selects(policy.spec.podSelector, role))).toEqual(roles);
      const [configMap] = ofKind(withTraces.manifests, 'ConfigMap').filter(
        ({ data }) => 'PLY_ROLES' in data || 'PLY_OTLP_URL' in data,
      );
      const address = new URL(configMap?.data['PLY_OTLP_URL'] ?? '');
      expect((policy.spec.egress ?? []).flatMap(({ ports }) => ports)).toEqual([
        { protocol: 'TCP', port: Number(address.port) },
      ]);
      expect(address.hostname.split('.')[1]).toBe('monitoring');
      expect([...open, ...closed].filter((outside) => allowsEgress(policy, outside))).toEqual([]);
    });

    it.each([
      ['sources', [{ protocol: 'TCP', port: 443 }]],
      [
        'domains',
        [
          { protocol: 'UDP', port: 53 },
          { protocol: 'TCP', port: 53 },
          { protocol: 'TCP', port: 443 },
        ],
      ],
    ])('allow %s the ports that it needs, and no other', (name, ports) => {
      const [policy] = policies.filter(({ metadata }) => metadata.name === name);
      expect((policy?.spec.egress ?? []).flatMap((rule) => rule.ports)).toEqual(ports);
    });

    it('allow API traffic to the gateway only', () => {
      const listening = policies.filter(({ spec }) =>
        (spec.ingress ?? []).some(({ ports }) => ports.some(({ port }) => port === 'api')),
      );
      expect(roles.filter((role) => listening.some(({ spec }) => selects(spec.podSelector, role)))).toEqual([
        'gateway',
      ]);
    });
  });
}
