import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseAllDocuments, stringify } from 'yaml';
import { projectRoot } from './setup/paths.mjs';
import { runProgram } from './setup/system.ts';
import { alertGroups, dashboardFile, dashboards } from './make-dashboards.ts';
import { Holes } from './chart/holes.ts';
import { commonTo, deploymentText, ingressText, routeText } from './chart/manifests.ts';
import { configTemplate, dashboardTemplate, ruleTemplate, valuesHead } from './chart/templates.ts';
import { at, isTree, treeAt, type Tree } from './chart/tree.ts';

function documentsOf(text: string): Tree[] {
  return parseAllDocuments(text)
    .map((document) => document.toJS() as unknown)
    .filter(isTree);
}

function read(path: string): string {
  return readFileSync(join(projectRoot, path), 'utf8');
}

/** What the chart is made of: the rendered base, and the resources of the components. */
export interface ChartSource {
  version: string;
  base: Tree[];
}

/** Renders the kustomize base. @param words the program that renders a folder, which becomes the last argument */
export async function readChartSource([program, ...words]: [string, ...string[]]): Promise<ChartSource> {
  const rendered = await runProgram(program, [...words, join(projectRoot, 'k8s/base')]);
  if (!rendered.ok) throw new Error(`k8s/base cannot be rendered: ${rendered.reason}`);
  const { version } = JSON.parse(read('package.json')) as { version: string };
  return { version, base: documentsOf(rendered.output) };
}

/** A chart: the files of its folder by path. */
export type Chart = Map<string, string>;

/** Makes the Helm chart of the same manifests that kustomize uses. */
export function makeChart({ version, base }: ChartSource): Chart {
  const chart: Chart = new Map();
  const roles: Tree = {};
  const configMap = base.find(({ kind }) => kind === 'ConfigMap');
  const configName = String(at(configMap, 'metadata', 'name'));
  const { PLY_PUBLIC_URL: _url, PLY_TRUSTED_PROXIES: _proxies, ...environment } = treeAt(configMap, 'data');
  const put = (path: string, texts: readonly string[], condition?: string): void => {
    const all = texts.join('---\n');
    chart.set(`templates/${path}.yaml`, condition === undefined ? all : `{{- if ${condition} }}\n${all}{{- end }}\n`);
  };
  const common = commonTo(configName);
  const plain = (manifest: Tree): string => {
    const holes = new Holes();
    return holes.text(common(manifest, holes));
  };
  const component = (name: string, file: string): Tree[] => documentsOf(read(`k8s/components/${name}/${file}`));

  const byKind = new Map<string, string[]>();
  for (const manifest of base) {
    const kind = String(manifest['kind']);
    if (kind === 'ConfigMap' || kind === 'Ingress') continue;
    const text = kind === 'Deployment' ? deploymentText(manifest, common, roles) : plain(manifest);
    byKind.set(kind, [...(byKind.get(kind) ?? []), text]);
  }
  for (const [kind, texts] of byKind) put(kind.toLowerCase(), texts);

  put('configmap', [configTemplate]);
  put('ingress', [ingressText(base, common)], '.Values.ingress.enabled');
  put('httproute', [routeText(component('gateway-api', 'route.yaml'), common)], '.Values.gateway.enabled');
  put('autoscaling-cpu', component('cpu-autoscaling', 'autoscalers.yaml').map(plain), '.Values.autoscaling.cpu');
  put(
    'autoscaling-queue',
    component('queue-autoscaling', 'scaled-objects.yaml').map(plain),
    '.Values.autoscaling.queue',
  );
  put('model-servers', component('model-servers', 'network-policy.yaml').map(plain), '.Values.modelServers.enabled');
  put('tracing', component('tracing', 'network-policy.yaml').map(plain), '.Values.tracing.url');
  put('podmonitor', documentsOf(read('grafana/operator/pod-monitor.yaml')).map(plain), '.Values.monitoring.operator');
  put('prometheusrule', [ruleTemplate], '.Values.monitoring.operator');
  put('dashboards', [dashboardTemplate], '.Values.monitoring.dashboards');
  chart.set('files/rules.yaml', stringify({ groups: alertGroups() }, { lineWidth: 0 }));
  for (const { name, content } of dashboards.map(dashboardFile)) chart.set(`files/dashboards/${name}`, content);

  chart.set(
    'Chart.yaml',
    stringify({
      apiVersion: 'v2',
      name: 'ply',
      description: 'Ply, a Deployment for each role. The stores are not part of it.',
      type: 'application',
      version,
      appVersion: version,
      kubeVersion: '>=1.31.0-0',
    }),
  );
  chart.set('values.yaml', `${valuesHead}${stringify({ environment, roles }, { lineWidth: 0 })}`);
  return chart;
}

/** Writes a chart into a folder, in place of what is there. */
export function writeChart(chart: Chart, folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  for (const [path, content] of chart) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

if (import.meta.main) {
  const folder = resolve(process.argv[2] ?? join(projectRoot, 'dist/ply'));
  writeChart(makeChart(await readChartSource(['kubectl', 'kustomize'])), folder);
  console.log(folder);
}
