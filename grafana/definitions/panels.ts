/**
 * The parts of Grafana's dashboards that ours use. JSON model:
 * https://grafana.com/docs/grafana/latest/dashboards/build-dashboards/view-dashboard-json-model/
 */

/** One query of a panel: a line, or a line for each label value. */
export interface Line {
  /** PromQL. */
  expr: string;
  /** Its name; `{{label}}` stands for a label's value. */
  legend: string;
}

/** The unit in which a panel shows its values. */
export type Unit = 's' | 'reqps' | 'ops' | 'percentunit' | 'bytes' | 'short';

/** A panel: lines over time, or current numbers. */
export interface Panel {
  title: string;
  /** What it shows, for a first-time reader. */
  description: string;
  unit: Unit;
  kind?: 'timeseries' | 'stat';
  /** A current number is yellow from `warnFrom` and red from `badFrom` on. */
  warnFrom?: number;
  badFrom?: number;
  lines: readonly Line[];
}

/** A row of panels with a heading. */
export interface Row {
  title: string;
  panels: readonly Panel[];
}

/** A choice at the top of a dashboard: the values of a label. */
export interface Choice {
  name: string;
  label: string;
  query: string;
}

/** A dashboard. */
export interface Dashboard {
  uid: string;
  title: string;
  description: string;
  choices?: readonly Choice[];
  rows: readonly Row[];
}

/** The Prometheus that is chosen at the top of the dashboard. */
const datasource = { type: 'prometheus', uid: '${datasource}' } as const;
const width = 24;
const panelHeight = 8;

function thresholds({ warnFrom, badFrom }: Panel): object {
  const steps = [
    { color: 'green', value: null },
    ...(warnFrom === undefined ? [] : [{ color: 'yellow', value: warnFrom }]),
    ...(badFrom === undefined ? [] : [{ color: 'red', value: badFrom }]),
  ];
  return { mode: 'absolute', steps };
}

function panelJson(panel: Panel, id: number, x: number, y: number, w: number): object {
  const kind = panel.kind ?? 'timeseries';
  const targets = panel.lines.map(({ expr, legend }, at) => ({
    datasource,
    expr: inNamespace(expr),
    legendFormat: legend,
    refId: String.fromCharCode(65 + at),
    ...(kind === 'stat' ? { instant: true } : {}),
  }));
  const options =
    kind === 'stat'
      ? { colorMode: 'background', graphMode: 'none', reduceOptions: { calcs: ['lastNotNull'] } }
      : { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi', sort: 'desc' } };
  return {
    id,
    type: kind,
    title: panel.title,
    description: panel.description,
    datasource,
    gridPos: { x, y, w, h: panelHeight },
    targets,
    options,
    fieldConfig: {
      defaults: {
        unit: panel.unit,
        min: 0,
        color: { mode: kind === 'stat' ? 'thresholds' : 'palette-classic' },
        thresholds: thresholds(panel),
      },
      overrides: [],
    },
  };
}

const datasourceChoice = {
  name: 'datasource',
  label: 'Data source',
  type: 'datasource',
  query: 'prometheus',
  refresh: 1,
  includeAll: false,
  multi: false,
};

/** Every dashboard shows one Kubernetes namespace, or all; without Kubernetes there is no such label. */
const namespaceChoice = {
  name: 'namespace',
  label: 'Namespace',
  type: 'query',
  datasource,
  query: { query: 'label_values(ply_role, namespace)', refId: 'namespace' },
  definition: 'label_values(ply_role, namespace)',
  refresh: 2,
  sort: 1,
  includeAll: true,
  allValue: '.*',
  multi: false,
  current: { text: 'All', value: '$__all' },
};

/** A query restricted to the namespace that the dashboard shows: each of its metrics gets a selector. */
export function inNamespace(expr: string): string {
  return expr.replaceAll(
    /(?<![\w:$])(ply[_:][\w:]+)(?:\{([^}]*)\})?/g,
    (_, metric: string, labels?: string) =>
      `${metric}{namespace=~"$namespace"${labels === undefined || labels === '' ? '' : `, ${labels}`}}`,
  );
}

/** The dashboard as Grafana's JSON. */
export function dashboardJson(dashboard: Dashboard): object {
  const panels: object[] = [];
  let y = 0;
  let id = 1;
  for (const row of dashboard.rows) {
    panels.push({
      id: id++,
      type: 'row',
      title: row.title,
      collapsed: false,
      gridPos: { x: 0, y, w: width, h: 1 },
      panels: [],
    });
    y += 1;
    const perLine = Math.min(row.panels.length, 4);
    const w = Math.floor(width / perLine);
    row.panels.forEach((panel, at) =>
      panels.push(panelJson(panel, id++, (at % perLine) * w, y + Math.floor(at / perLine) * panelHeight, w)),
    );
    y += Math.ceil(row.panels.length / perLine) * panelHeight;
  }
  const choices = (dashboard.choices ?? []).map(({ name, label, query }) => ({
    name,
    label,
    type: 'query',
    datasource,
    query: { query: inNamespace(query), refId: name },
    definition: inNamespace(query),
    refresh: 2,
    sort: 1,
    includeAll: false,
    multi: false,
  }));
  return {
    uid: dashboard.uid,
    title: dashboard.title,
    description: dashboard.description,
    tags: ['ply'],
    schemaVersion: 39,
    version: 1,
    editable: true,
    timezone: 'browser',
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    templating: { list: [datasourceChoice, namespaceChoice, ...choices] },
    annotations: { list: [] },
    panels,
  };
}

/** The 95th percentile of a histogram by labels, over five minutes. */
export function p95(histogram: string, labels: string, selector = ''): string {
  return `histogram_quantile(0.95, sum by (le${labels === '' ? '' : `, ${labels}`}) (rate(${histogram}_bucket${selector}[5m])))`;
}

/** Events a second of a counter by labels, over five minutes. */
export function rateOf(counter: string, labels: string, selector = ''): string {
  return `sum${labels === '' ? '' : ` by (${labels})`} (rate(${counter}${selector}[5m]))`;
}
