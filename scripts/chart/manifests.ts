import { Holes } from './holes.ts';
import { at, isTree, listAt, mapTexts, treeAt, type Tree } from './tree.ts';

/** Roles whose number of pods an autoscaler sets, by the value that turns it on. */
const scaledBy: Readonly<Record<string, string>> = {
  gateway: 'cpu',
  searcher: 'cpu',
  extractor: 'queue',
  transcriber: 'queue',
  embedder: 'queue',
  encoder: 'queue',
};

/** Namespaces of other programs in the manifests, and the values that name them. */
const namespaceNames: Readonly<Record<string, string>> = {
  'ply-stores': 'stores',
  ingress: 'ingress',
  monitoring: 'monitoring',
};

/** Changes a manifest to one of the chart. */
export type Common = (manifest: Tree, holes: Holes) => Tree;

/** What every manifest of the chart has in common. @param configName the generated name of the ConfigMap */
export function commonTo(configName: string): Common {
  return (manifest, holes) => {
    const made = mapTexts(manifest, (text, field) => {
      const name = field === 'kubernetes.io/metadata.name' ? namespaceNames[text] : undefined;
      if (name !== undefined) return holes.inline(`.Values.namespaces.${name}`);
      if (field === 'query')
        return text.replaceAll('namespace="ply"', `namespace="${holes.inline('.Release.Namespace')}"`);
      if (field === 'serverAddress') return holes.inline('.Values.autoscaling.prometheus');
      return text === configName ? 'ply' : text;
    });
    if (!isTree(made)) throw new Error('a manifest is not an object');
    const metadata = treeAt(made, 'metadata');
    return {
      ...made,
      metadata: {
        ...metadata,
        labels: {
          'app.kubernetes.io/name': 'ply',
          'app.kubernetes.io/part-of': 'ply',
          ...(isTree(metadata['labels']) ? metadata['labels'] : {}),
          'app.kubernetes.io/managed-by': holes.inline('.Release.Service'),
        },
      },
    };
  };
}

/** A Deployment whose image, pods, resources and own variables are values. Notes the role's values in `roles`. */
export function deploymentText(manifest: Tree, common: Common, roles: Tree): string {
  const holes = new Holes();
  const made = common(manifest, holes);
  const role = String(at(made, 'metadata', 'name'));
  const spec = treeAt(made, 'spec');
  const template = treeAt(spec, 'template');
  const pod = treeAt(template, 'spec');
  const [container] = listAt(pod, 'containers');
  if (container === undefined) throw new Error(`${role} has no container`);
  const value = (name: string): string => `(index .Values.roles "${role}").${name}`;
  const variables = listAt(container, 'env');
  const fixed = variables.filter(({ name, valueFrom }) => name === 'PLY_ROLES' || valueFrom !== undefined);
  const own = Object.fromEntries(
    variables.filter((one) => !fixed.includes(one)).map(({ name, value: text }) => [String(name), text]),
  );
  roles[role] = { replicas: spec['replicas'] ?? 1, environment: own, resources: container['resources'] };
  const secretNames = (part: unknown): unknown =>
    mapTexts(part, (text, field) =>
      field === 'name' && text === 'ply-bootstrap' ? holes.inline('.Values.secrets.bootstrap') : text,
    );
  const changed: Tree = {
    ...container,
    image: holes.inline('printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion)'),
    imagePullPolicy: holes.inline('.Values.image.pullPolicy'),
    envFrom: [{ configMapRef: { name: 'ply' } }, { secretRef: { name: holes.inline('.Values.secrets.ply') } }],
    env: [...fixed.map(secretNames), 'OWN-VARIABLES'],
    resources: holes.block(`toYaml ${value('resources')}`),
  };
  const annotations = isTree(at(template, 'metadata', 'annotations'))
    ? treeAt(template, 'metadata', 'annotations')
    : {};
  const text = holes.text({
    ...made,
    spec: {
      ...spec,
      replicas: 'REPLICAS',
      template: {
        ...template,
        metadata: {
          ...treeAt(template, 'metadata'),
          annotations: {
            ...annotations,
            'checksum/config': holes.inline('include (print $.Template.BasePath "/configmap.yaml") . | sha256sum'),
          },
        },
        spec: { ...pod, containers: [changed] },
      },
    },
  });
  const scaled = scaledBy[role];
  const replicas = `  replicas: {{ ${value('replicas')} }}`;
  return text
    .replace(
      '  replicas: REPLICAS',
      scaled === undefined ? replicas : `  {{- if not .Values.autoscaling.${scaled} }}\n${replicas}\n  {{- end }}`,
    )
    .replace(
      /^( *)- OWN-VARIABLES$/m,
      (_, indent: string) =>
        `${indent}{{- range $name, $value := ${value('environment')} }}\n${indent}- name: {{ $name }}\n${indent}  value: {{ $value | quote }}\n${indent}{{- end }}`,
    );
}

/** The Ingress, with its class, host and certificate as values. */
export function ingressText(base: readonly Tree[], common: Common): string {
  const ingress = base.find(({ kind }) => kind === 'Ingress');
  if (ingress === undefined) throw new Error('the base has no Ingress');
  const holes = new Holes();
  const made = common(ingress, holes);
  const host = holes.inline('.Values.host');
  const [rule] = listAt(made, 'spec', 'rules');
  const { tls: _tls, ...spec } = treeAt(made, 'spec');
  const text = holes.text({
    ...made,
    metadata: { ...treeAt(made, 'metadata'), annotations: holes.block('toYaml .Values.ingress.annotations') },
    spec: { ...spec, ingressClassName: holes.inline('.Values.ingress.className'), rules: [{ ...rule, host }] },
  });
  return `${text}  {{- with .Values.ingress.tlsSecret }}\n  tls:\n    - hosts: [{{ $.Values.host }}]\n      secretName: {{ . }}\n  {{- end }}\n`;
}

/** The route of the Gateway API, with its gateway and host as values. */
export function routeText([route]: readonly Tree[], common: Common): string {
  if (route === undefined) throw new Error('there is no route');
  const holes = new Holes();
  const made = common(route, holes);
  const gateway = (name: string): string => holes.inline(`.Values.gateway.${name}`);
  return holes.text({
    ...made,
    spec: {
      ...treeAt(made, 'spec'),
      parentRefs: [{ name: gateway('name'), namespace: gateway('namespace'), sectionName: gateway('sectionName') }],
      hostnames: [holes.inline('.Values.host')],
    },
  });
}
