import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readConfiguration, variableNames } from '../../models/configuration/configuration.ts';
import { variables } from '../../models/configuration/table.ts';
import { filesPerProcess } from '../../services/extractor/extractor.service.ts';
import { Metrics } from '../../mixins/metrics.ts';
import { projectRoot } from '../../scripts/setup/paths.mjs';
import { skipWithReason } from '../support/servers.ts';
import {
  environmentOf,
  ofKind,
  render,
  renderWith,
  secretTemplates,
  selects,
  type Deployment,
} from './support/manifests.ts';
import { allValid, manifestValidator } from './support/validation.ts';

const roles: readonly string[] = variables.PLY_ROLES.fallback;

/** Variables with a default of the number of cores: of the node, not of the pod's share, so pods set them. */
const setByRole: Record<string, readonly string[]> = {
  PLY_EMBEDDING_THREADS: ['embedder', 'searcher'],
  PLY_TRANSCRIBER_WORKERS: ['transcriber'],
  PLY_TRANSCRIBER_SLOTS: ['transcriber'],
  PLY_ENCODER_THREADS: ['encoder'],
  PLY_EXTRACTOR_SLOTS: ['extractor'],
  PLY_EMBEDDER_SLOTS: ['embedder'],
  PLY_MEDIA_SLOTS: ['extractor'],
  PLY_SLIDE_READERS: ['extractor'],
  PLY_SEARCH_SLOTS: ['searcher'],
  // The embedded index does not exist in a cluster.
  PLY_READER_THREADS: [],
};

const units: Record<string, number> = { Mi: 2 ** 20, Gi: 2 ** 30 };

/** A quantity of memory as bytes. */
function bytesOf(quantity: string | undefined): number {
  const [, number = '', unit = ''] = /^(\d+)(Mi|Gi)$/.exec(quantity ?? '') ?? [];
  return Number(number) * (units[unit] ?? Number.NaN);
}

function containerOf({ spec }: Deployment): Deployment['spec']['template']['spec']['containers'][number] {
  const [container, ...others] = spec.template.spec.containers;
  if (container === undefined || others.length > 0) throw new Error('a pod has one container');
  return container;
}

const validate = await manifestValidator();

for (const overlay of ['base', 'overlays/dev', 'overlays/production']) {
  const rendered = await render(overlay);
  if ('unavailable' in rendered) {
    skipWithReason(`k8s/${overlay}`, rendered.unavailable);
    continue;
  }
  const { text, manifests } = rendered;
  const deployments = ofKind(manifests, 'Deployment');
  const byRole = deployments.map((deployment): [string, Deployment] => [deployment.metadata.name, deployment]);

  describe(`k8s/${overlay}`, () => {
    it('has exactly one Deployment for each role', () => {
      expect(deployments.map(({ metadata }) => metadata.name).sort()).toEqual([...roles].sort());
    });

    it('contains no Secret', () => {
      expect(ofKind(manifests, 'Secret')).toEqual([]);
      expect(text).not.toContain('change-me');
    });

    it('has one autoscaler per Deployment', () => {
      const scaled = [...ofKind(manifests, 'HorizontalPodAutoscaler'), ...ofKind(manifests, 'ScaledObject')].map(
        ({ spec }) => spec.scaleTargetRef.name,
      );
      expect(new Set(scaled).size).toBe(scaled.length);
      expect(
        deployments
          .filter(({ spec }) => spec.replicas === undefined)
          .map(({ metadata }) => metadata.name)
          .sort(),
      ).toEqual(scaled.sort());
    });

    it('queries existing metrics and stages', () => {
      const names = new Metrics().registry.getMetricsAsArray().map(({ name }) => name);
      const queries = ofKind(manifests, 'ScaledObject').flatMap(({ spec }) =>
        spec.triggers.map(({ metadata }) => metadata.query),
      );
      expect(
        queries.flatMap((query) => query.match(/\bply_\w+/g) ?? []).filter((name) => !names.includes(name)),
      ).toEqual([]);
      const [namespace] = ofKind(manifests, 'Namespace');
      expect(
        queries.filter(
          (query) =>
            query.match(/ply_\w+\{/g)?.length !==
            query.split(`{namespace="${namespace?.metadata.name ?? ''}",`).length - 1,
        ),
      ).toEqual([]);
      expect(
        queries
          .flatMap((query) => [...query.matchAll(/stage="(\w+)"/g)].map(([, stage]) => stage))
          .filter(
            (stage) =>
              !['extracting', 'transcribing', 'embedding', 'encoding_first', 'encoding_rest'].includes(stage ?? ''),
          ),
      ).toEqual([]);
    });

    it('routes its host to the gateway, and Services to existing ports', () => {
      const services = ofKind(manifests, 'Service');
      const [ingress, ...others] = ofKind(manifests, 'Ingress');
      expect(others).toEqual([]);
      expect(ingress?.spec.ingressClassName).toMatch(/^\w+$/);
      expect(ingress?.spec.rules.map(({ http }) => http.paths.map(({ backend }) => backend.service))).toEqual([
        [{ name: 'gateway', port: { name: 'api' } }],
      ]);
      for (const { metadata, spec } of services) {
        const behind = deployments.filter((deployment) =>
          selects({ matchLabels: spec.selector }, deployment.metadata.name),
        );
        expect({ service: metadata.name, pods: behind.length }).toEqual({
          service: metadata.name,
          pods: metadata.name === 'metrics' ? roles.length : 1,
        });
        for (const deployment of behind)
          for (const { targetPort } of spec.ports)
            expect(containerOf(deployment).ports.map(({ name }) => name)).toContain(targetPort);
      }
    });

    describe.each(byRole)('%s', (role, deployment) => {
      const pod = deployment.spec.template.spec;
      const container = containerOf(deployment);
      const environment = environmentOf(deployment, manifests);

      it('has a valid environment, and runs its role', () => {
        expect(readConfiguration(environment).PLY_ROLES).toEqual([role]);
        // Kubernetes' variables for Services would be refused.
        expect(pod.enableServiceLinks).toBe(false);
      });

      it('listens on its ports and probes', () => {
        const {
          PLY_API_PORT,
          PLY_METRICS_PORT,
          PLY_UPLOAD_PORT,
          PLY_DELIVERY_PORT,
          PLY_S3_PORT,
          PLY_BLOB_PORT,
          PLY_HOST,
        } = readConfiguration(environment);
        expect(PLY_HOST).toBe('0.0.0.0');
        const ports = Object.fromEntries(container.ports.map(({ name, containerPort }) => [name, containerPort]));
        const own: { [name: string]: { [port: string]: number } } = {
          gateway: { api: PLY_API_PORT },
          storage: { upload: PLY_UPLOAD_PORT },
          delivery: { delivery: PLY_DELIVERY_PORT },
          s3: { s3: PLY_S3_PORT },
          blob: { blob: PLY_BLOB_PORT },
        };
        expect(ports).toEqual({ metrics: PLY_METRICS_PORT, ...own[role] });
        expect(deployment.spec.template.metadata.annotations['prometheus.io/port']).toBe(String(PLY_METRICS_PORT));
        const probes = [container.startupProbe, container.livenessProbe, container.readinessProbe].map(
          ({ httpGet }) => httpGet,
        );
        expect(probes).toEqual([
          { path: '/health/live', port: 'metrics' },
          { path: '/health/live', port: 'metrics' },
          { path: '/health/ready', port: role === 'gateway' ? 'api' : 'metrics' },
        ]);
      });

      it('has time to stop', () => {
        const [, pause = '0'] = container.lifecycle?.preStop.exec.command ?? [];
        // A process exits at most two seconds after its stop timeout.
        expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(
          Number(pause) + readConfiguration(environment).PLY_STOP_TIMEOUT + 2,
        );
      });

      it('is unprivileged', () => {
        expect(pod.securityContext).toEqual({
          runAsNonRoot: true,
          runAsUser: 10001,
          runAsGroup: 10001,
          fsGroup: 10001,
          seccompProfile: { type: 'RuntimeDefault' },
        });
        expect(container.securityContext).toEqual({
          allowPrivilegeEscalation: false,
          privileged: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
        expect([pod.serviceAccountName, pod.automountServiceAccountToken]).toEqual(['ply', false]);
      });

      it('can only write to its data folder, /tmp, and the objects of its role', () => {
        const objects = environment['PLY_OBJECTS_URL'];
        const folders = [
          { name: 'data', mountPath: environment['PLY_DATA_DIR'] },
          { name: 'tmp', mountPath: '/tmp' },
          ...(objects === undefined ? [] : [{ name: 'objects', mountPath: new URL(objects).pathname }]),
        ];
        expect(container.volumeMounts).toHaveLength(folders.length);
        expect(container.volumeMounts).toEqual(expect.arrayContaining(folders));
        expect(pod.volumes.map(({ name }) => name).sort()).toEqual(folders.map(({ name }) => name).sort());
      });

      it('has resource limits', () => {
        const wanted = Object.entries(setByRole)
          .filter(([, users]) => users.includes(role))
          .map(([name]) => name);
        expect(wanted.filter((name) => environment[name] === undefined)).toEqual([]);
        const configuration = readConfiguration(environment);
        const separate =
          role === 'transcriber'
            ? configuration.PLY_TRANSCRIBER_WORKERS * configuration.PLY_SPEECH_MEMORY_MB
            : role !== 'extractor'
              ? 0
              : configuration.PLY_EXTRACTOR_SLOTS * configuration.PLY_EXTRACTION_MEMORY_MB +
                configuration.PLY_MEDIA_SLOTS * configuration.PLY_MEDIA_MEMORY_MB +
                configuration.PLY_SLIDE_READERS * configuration.PLY_SLIDE_MEMORY_MB;
        expect(bytesOf(container.resources.limits['memory'])).toBeGreaterThanOrEqual((512 + separate) * 2 ** 20);
        expect(bytesOf(container.resources.requests['memory'])).toBeLessThanOrEqual(
          bytesOf(container.resources.limits['memory']),
        );
      });

      it('has room for the documents that wait to be read', () => {
        const { PLY_EXTRACTOR_SLOTS, PLY_MAX_DOCUMENT_BYTES } = readConfiguration(environment);
        const needed = role === 'extractor' ? PLY_EXTRACTOR_SLOTS * filesPerProcess * PLY_MAX_DOCUMENT_BYTES : 0;
        const size = pod.volumes.find(({ name }) => name === 'data')?.emptyDir?.sizeLimit;
        const limit = bytesOf(container.resources.limits['ephemeral-storage']);
        expect(bytesOf(size ?? '0Mi')).toBeGreaterThanOrEqual(needed);
        expect(size === undefined || limit > bytesOf(size)).toBe(true);
      });

      it('is spread over nodes, and loses one pod at a time', () => {
        expect(pod.topologySpreadConstraints.map(({ topologyKey }) => topologyKey)).toEqual([
          'topology.kubernetes.io/zone',
          'kubernetes.io/hostname',
        ]);
        const budgets = ofKind(manifests, 'PodDisruptionBudget').filter(({ spec }) => selects(spec.selector, role));
        expect(budgets.map(({ spec }) => [spec.maxUnavailable, spec.unhealthyPodEvictionPolicy])).toEqual([
          [1, 'AlwaysAllow'],
        ]);
        expect(selects({ matchLabels: deployment.spec.selector.matchLabels }, role)).toBe(true);
      });
    });
  });

  if ('unavailable' in validate) {
    skipWithReason(`k8s/${overlay} against the schemas`, validate.unavailable);
    continue;
  }
  it(`k8s/${overlay} matches the schemas of Kubernetes and KEDA`, async () => {
    expect(await validate(text)).toEqual(allValid(manifests.length));
  });
}

for (const [component, kinds, without] of [
  ['gateway-api', ['HTTPRoute'], ['Ingress']],
  ['backup', ['CronJob'], []],
  ['../../grafana', ['PodMonitor', 'PrometheusRule'], []],
] as const) {
  const rendered = await renderWith(component);
  if ('unavailable' in rendered) skipWithReason(`the component ${component}`, rendered.unavailable);
  else if ('unavailable' in validate) skipWithReason(`the component ${component}`, validate.unavailable);
  else
    it(`the component ${component} matches the schemas of its kinds`, async () => {
      const { text, manifests } = rendered;
      const rendersKinds: string[] = manifests.map(({ kind }) => kind);
      for (const kind of kinds) expect(rendersKinds).toContain(kind);
      for (const kind of without) expect(rendersKinds).not.toContain(kind);
      expect(await validate(text)).toEqual(allValid(manifests.length));
    });
}

describe('the sources of the manifests', () => {
  it('every variable with a default of the number of cores is known', () => {
    expect(variableNames.filter((name) => variables[name].shownFallback.includes('number of cores')).sort()).toEqual(
      Object.keys(setByRole).sort(),
    );
  });

  it('the templates of Secrets complete the ConfigMap without duplicates', () => {
    expect(Object.keys(secretTemplates['ply'] ?? {})).toEqual([
      'PLY_NATS_URL',
      'PLY_MONGO_URL',
      'PLY_MILVUS_URL',
      'PLY_REDIS_URL',
      'PLY_BLOBS_URL',
      'PLY_SECRET_KEY',
    ]);
  });

  it('production knows its address and its proxies', async () => {
    const rendered = await render('overlays/production');
    if ('unavailable' in rendered) return skipWithReason('the address of production', rendered.unavailable);
    const [ingress] = ofKind(rendered.manifests, 'Ingress');
    const settings = ofKind(rendered.manifests, 'ConfigMap').find(({ metadata }) => metadata.name.startsWith('ply-'));
    expect(settings?.data).toMatchObject({
      PLY_PUBLIC_URL: `https://${ingress?.spec.rules[0]?.host ?? ''}`,
      PLY_TRUSTED_PROXIES: '10.0.0.0/8',
    });
  });

  it('production runs the current version', () => {
    const { version } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as { version: string };
    expect(readFileSync(join(projectRoot, 'k8s/overlays/production/kustomization.yaml'), 'utf8')).toContain(
      `newTag: ${version}\n`,
    );
  });
});
