import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { readConfiguration } from '../../models/configuration/configuration.ts';
import { makeChart, readChartSource, writeChart } from '../../scripts/make-chart.ts';
import { projectRoot } from '../../scripts/setup/paths.mjs';
import { runProgram } from '../../scripts/setup/system.ts';
import { skipWithReason } from '../support/servers.ts';
import { environmentOf, ofKind, render, type AnyManifest } from './support/manifests.ts';
import { helm, kubernetesVersion, renderer } from './support/tools.ts';
import { allValid, manifestValidator } from './support/validation.ts';

/** Values that turn everything on that is off by default. */
const everything = {
  image: { tag: 'other' },
  trustedProxies: '10.0.0.0/8,fd00::/8',
  ingress: { annotations: { 'example.com/limit': '32m' }, tlsSecret: '' },
  gateway: { enabled: true },
  autoscaling: { queue: true },
  monitoring: { operator: true, dashboards: true, labels: { release: 'prometheus' } },
  modelServers: { enabled: true },
  tracing: { url: 'http://collector.monitoring.svc:4318' },
  roles: { extractor: { environment: { PLY_EXTRACTOR_SLOTS: '1' } } },
};

const [tool, words, validate] = await Promise.all([helm(), renderer(), manifestValidator()]);
const missing = [tool, words, validate].flatMap((found) => ('unavailable' in found ? [found.unavailable] : []));

if ('unavailable' in tool || 'unavailable' in words || 'unavailable' in validate)
  skipWithReason('the Helm chart', missing.join('; '));
else {
  const work = mkdtempSync(join(tmpdir(), 'ply-chart-'));
  const { path } = tool;
  const folder = join(work, 'ply');
  writeChart(makeChart(await readChartSource(words.words)), folder);
  writeFileSync(join(work, 'everything.json'), JSON.stringify(everything));
  afterAll(() => rmSync(work, { recursive: true }));

  /** The manifests of the chart with these values. */
  async function template(...options: string[]): Promise<{ text: string; manifests: AnyManifest[] }> {
    const made = await runProgram(path, [
      'template',
      'ply',
      folder,
      '--namespace',
      'ply',
      '--kube-version',
      kubernetesVersion,
      ...options,
    ]);
    if (!made.ok) throw new Error(made.reason);
    const documents = parseAllDocuments(made.output).map((document): unknown => document.toJS());
    return { text: made.output, manifests: documents.filter((found): found is AnyManifest => found !== null) };
  }

  describe('the Helm chart', () => {
    it.each([[[]], [['--values', join(work, 'everything.json')]]])(
      'passes helm lint, and the schemas of its kinds: %j',
      async (options) => {
        expect(
          await runProgram(path, ['lint', '--strict', '--kube-version', kubernetesVersion, folder, ...options]),
        ).toMatchObject({ ok: true });
        const { text, manifests } = await template(...options);
        expect(await validate(text)).toEqual(allValid(manifests.length));
      },
    );

    it('has the Deployments, Services, budgets and policies of the kustomize tree', async () => {
      const [{ manifests }, rendered] = await Promise.all([template(), render('overlays/production')]);
      if ('unavailable' in rendered) throw new Error(rendered.unavailable);
      for (const kind of ['NetworkPolicy', 'PodDisruptionBudget', 'Service', 'HorizontalPodAutoscaler'] as const) {
        const specs = (from: readonly AnyManifest[]): [string, unknown][] =>
          ofKind(from, kind)
            .map(({ metadata, spec }): [string, unknown] => [metadata.name, spec])
            .toSorted(([one], [other]) => one.localeCompare(other));
        expect(specs(manifests)).toEqual(specs(rendered.manifests));
      }
      const pods = (from: readonly AnyManifest[]): unknown[] =>
        ofKind(from, 'Deployment')
          .toSorted((one, other) => one.metadata.name.localeCompare(other.metadata.name))
          .map((deployment) => {
            const { containers, ...pod } = deployment.spec.template.spec;
            const [{ env: _env, envFrom: _from, imagePullPolicy: _policy, ...container } = { env: [] }] = containers;
            return { pod, container, strategy: deployment.spec.strategy };
          });
      expect(pods(manifests)).toEqual(pods(rendered.manifests));
    });

    it('gives each role the environment of the kustomize tree', async () => {
      const [{ manifests }, rendered] = await Promise.all([
        template('--set', 'trustedProxies=10.0.0.0/8'),
        render('overlays/production'),
      ]);
      if ('unavailable' in rendered) throw new Error(rendered.unavailable);
      const deployments = ofKind(manifests, 'Deployment');
      const others = ofKind(rendered.manifests, 'Deployment');
      expect(deployments).toHaveLength(others.length);
      for (const deployment of deployments) {
        const other = others.find(({ metadata }) => metadata.name === deployment.metadata.name);
        const environment = environmentOf(deployment, manifests);
        expect(readConfiguration(environment).PLY_ROLES).toEqual([deployment.metadata.name]);
        expect(environment).toEqual(other === undefined ? {} : environmentOf(other, rendered.manifests));
      }
    });

    it('takes values: autoscaled roles have no fixed number of pods, and variables reach the pods', async () => {
      const { manifests } = await template('--values', join(work, 'everything.json'));
      const deployments = ofKind(manifests, 'Deployment');
      expect(
        deployments.filter(({ spec }) => spec.replicas === undefined).map(({ metadata }) => metadata.name),
      ).toEqual(expect.arrayContaining(['gateway', 'searcher', 'extractor', 'transcriber', 'embedder']));
      const extractor = deployments.find(({ metadata }) => metadata.name === 'extractor');
      expect(extractor?.spec.template.spec.containers[0]?.image).toMatch(/:other$/);
      const environment = extractor === undefined ? {} : environmentOf(extractor, manifests);
      expect(environment).toMatchObject({
        PLY_EXTRACTOR_SLOTS: '1',
        PLY_MEDIA_SLOTS: '2',
        PLY_OTLP_URL: 'http://collector.monitoring.svc:4318',
      });
    });

    it('has the version of the program', () => {
      const { version } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as { version: string };
      expect(parse(readFileSync(join(folder, 'Chart.yaml'), 'utf8'))).toMatchObject({ version, appVersion: version });
    });
  });
}
