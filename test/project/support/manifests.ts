import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { projectRoot } from '../../../scripts/setup/paths.mjs';
import { runProgram } from '../../../scripts/setup/system.ts';
import { renderer } from './tools.ts';

/** The used fields of every manifest. */
interface Manifest {
  apiVersion: string;
  metadata: { name: string; namespace?: string; annotations?: Record<string, string> };
}

interface Probe {
  httpGet: { path: string; port: string };
}

interface EnvironmentVariable {
  name: string;
  value?: string;
  valueFrom?: { secretKeyRef: { name: string; key: string } };
}

/** The used fields of a container. */
export interface Container {
  image: string;
  imagePullPolicy?: string;
  env?: EnvironmentVariable[];
  envFrom?: { configMapRef?: { name: string }; secretRef?: { name: string } }[];
  ports: { name: string; containerPort: number }[];
  startupProbe: Probe;
  livenessProbe: Probe;
  readinessProbe: Probe;
  lifecycle?: { preStop: { exec: { command: string[] } } };
  securityContext: unknown;
  resources: { requests: Record<string, string>; limits: Record<string, string> };
  volumeMounts: { name: string; mountPath: string }[];
}

/** The used fields of a Deployment. */
export interface Deployment extends Manifest {
  kind: 'Deployment';
  spec: {
    replicas?: number;
    strategy: unknown;
    selector: { matchLabels: Record<string, string> };
    template: {
      metadata: { labels: Record<string, string>; annotations: Record<string, string> };
      spec: {
        containers: Container[];
        volumes: { name: string; emptyDir?: { sizeLimit?: string } }[];
        securityContext: unknown;
        serviceAccountName: string;
        automountServiceAccountToken: boolean;
        enableServiceLinks: boolean;
        terminationGracePeriodSeconds: number;
        topologySpreadConstraints: { topologyKey: string }[];
      };
    };
  };
}

/** The pods of a policy or a disruption budget. */
export interface PodSelector {
  matchLabels: Record<string, string>;
  matchExpressions?: { key: string; operator: string; values: string[] }[];
}

/** A peer of a connection that a policy allows. */
interface Peer {
  ipBlock?: { cidr: string; except?: string[] };
  namespaceSelector?: { matchLabels: Record<string, string> };
}

/** The used fields of a NetworkPolicy. */
export interface NetworkPolicy extends Manifest {
  kind: 'NetworkPolicy';
  spec: {
    podSelector: PodSelector;
    policyTypes: string[];
    egress?: { to: Peer[]; ports: { protocol: string; port: number | string }[] }[];
    ingress?: { from: Peer[]; ports: { protocol: string; port: number | string }[] }[];
  };
}

interface Service extends Manifest {
  kind: 'Service';
  spec: { selector: Record<string, string>; ports: { name: string; port: number; targetPort: string }[] };
}

interface Ingress extends Manifest {
  kind: 'Ingress';
  spec: {
    ingressClassName?: string;
    rules: { host: string; http: { paths: { backend: { service: { name: string; port: { name: string } } } }[] } }[];
  };
}

interface Budget extends Manifest {
  kind: 'PodDisruptionBudget';
  spec: { maxUnavailable: number; unhealthyPodEvictionPolicy: string; selector: PodSelector };
}

interface Autoscaler extends Manifest {
  kind: 'HorizontalPodAutoscaler';
  spec: { scaleTargetRef: { name: string }; minReplicas: number };
}

interface ScaledObject extends Manifest {
  kind: 'ScaledObject';
  spec: {
    scaleTargetRef: { name: string };
    minReplicaCount: number;
    triggers: { type: string; metadata: { query: string; threshold: string } }[];
  };
}

interface ConfigMap extends Manifest {
  kind: 'ConfigMap';
  data: Record<string, string>;
}

interface Plain<K extends string> extends Manifest {
  kind: K;
}

/** The manifests that the folders of `k8s` render to. */
export type AnyManifest =
  | Deployment
  | NetworkPolicy
  | Service
  | Ingress
  | Budget
  | Autoscaler
  | ScaledObject
  | ConfigMap
  | Plain<'Namespace'>
  | Plain<'ServiceAccount'>
  | Plain<'CronJob'>
  | Plain<'HTTPRoute'>
  | Plain<'PodMonitor'>
  | Plain<'PrometheusRule'>
  | Plain<'Secret'>;

/** The manifests of one kind. */
export function ofKind<K extends AnyManifest['kind']>(
  manifests: readonly AnyManifest[],
  kind: K,
): Extract<AnyManifest, { kind: K }>[] {
  return manifests.filter((manifest): manifest is Extract<AnyManifest, { kind: K }> => manifest.kind === kind);
}

/** The rendered manifests of a folder as text and parsed, or why they cannot be rendered here. */
export type Rendered = { text: string; manifests: AnyManifest[] } | { unavailable: string };

/** Renders the base with one component, like an operator's overlay. */
export async function renderWith(component: string): Promise<Rendered> {
  const overlay = realpathSync(mkdtempSync(join(tmpdir(), 'ply-overlay-')));
  const from = relative(overlay, join(realpathSync(projectRoot), 'k8s'));
  writeFileSync(
    join(overlay, 'kustomization.yaml'),
    `resources: [${from}/base]\ncomponents: [${from}/components/${component}]\n`,
  );
  try {
    return await render(overlay);
  } finally {
    rmSync(overlay, { recursive: true });
  }
}

/** Renders a folder of `k8s`, or one with an absolute path. */
export async function render(folder: string): Promise<Rendered> {
  const found = await renderer();
  if ('unavailable' in found) return found;
  const [program, ...words] = found.words;
  const rendered = await runProgram(program, [...words, resolve(projectRoot, 'k8s', folder)]);
  if (!rendered.ok) throw new Error(`${folder} cannot be rendered: ${rendered.reason}`);
  return {
    text: rendered.output,
    manifests: parseAllDocuments(rendered.output).map((document) => document.toJS() as AnyManifest),
  };
}

/** Variables of a file with lines `NAME=value`; lines that start with # are comments. */
export function variablesOf(path: string): Record<string, string> {
  const lines = readFileSync(join(projectRoot, path), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
}

/** The variables of a template with the values that an operator fills in. */
function filledIn(path: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(variablesOf(path)).map(([name, value]) => [
      name,
      name === 'PLY_SECRET_KEY'
        ? Buffer.alloc(32, 7).toString('base64')
        : value.replaceAll('change-me', 'own-secret').replace(/^0{8}-/, '1b5e0f2a-'),
    ]),
  );
}

/** The Secrets that an operator creates from their templates. */
export const secretTemplates: Readonly<Record<string, Record<string, string>>> = {
  ply: filledIn('k8s/base/secret.example.env'),
  'ply-bootstrap': filledIn('k8s/base/bootstrap.example.env'),
};

function known(name: string, source: Record<string, string> | undefined): Record<string, string> {
  if (source === undefined) throw new Error(`there is no ${name}`);
  return source;
}

/** The environment of a Deployment's container. @throws for a missing ConfigMap, Secret or key */
export function environmentOf({ spec }: Deployment, manifests: readonly AnyManifest[]): Record<string, string> {
  const [container] = spec.template.spec.containers;
  const environment: Record<string, string> = {};
  for (const { configMapRef, secretRef } of container?.envFrom ?? []) {
    if (configMapRef !== undefined)
      Object.assign(
        environment,
        known(
          configMapRef.name,
          ofKind(manifests, 'ConfigMap').find(({ metadata }) => metadata.name === configMapRef.name)?.data,
        ),
      );
    if (secretRef !== undefined) Object.assign(environment, known(secretRef.name, secretTemplates[secretRef.name]));
  }
  for (const { name, value, valueFrom } of container?.env ?? []) {
    const secret = valueFrom?.secretKeyRef;
    const text = secret === undefined ? value : known(secret.name, secretTemplates[secret.name])[secret.key];
    if (text === undefined) throw new Error(`${name} has no value`);
    environment[name] = text;
  }
  return environment;
}

/** Whether a selector matches the pods of a role. */
export function selects({ matchLabels, matchExpressions = [] }: PodSelector, role: string): boolean {
  const labels: Record<string, string> = {
    'app.kubernetes.io/name': 'ply',
    'app.kubernetes.io/part-of': 'ply',
    'app.kubernetes.io/component': role,
  };
  return (
    Object.entries(matchLabels).every(([label, value]) => labels[label] === value) &&
    matchExpressions.every(({ key, operator, values }) => operator === 'In' && values.includes(labels[key] ?? ''))
  );
}
