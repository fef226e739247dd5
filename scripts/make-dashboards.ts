import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { dashboardJson, type Dashboard } from '../grafana/definitions/panels.ts';
import { delivery } from '../grafana/definitions/delivery.ts';
import { doors } from '../grafana/definitions/doors.ts';
import { metering } from '../grafana/definitions/metering.ts';
import { organization } from '../grafana/definitions/organization.ts';
import { overview } from '../grafana/definitions/overview.ts';
import { pipeline } from '../grafana/definitions/pipeline.ts';
import { search } from '../grafana/definitions/search.ts';
import { stores } from '../grafana/definitions/stores.ts';

const grafanaFolder = join(import.meta.dirname, '../grafana');

/** All dashboards, in display order. */
export const dashboards: readonly Dashboard[] = [
  overview,
  pipeline,
  search,
  delivery,
  doors,
  metering,
  stores,
  organization,
];

/** Name and content of a generated file. */
export interface MadeFile {
  name: string;
  content: string;
}

/** Name and content of a dashboard's file. */
export function dashboardFile(dashboard: Dashboard): MadeFile {
  return { name: `${dashboard.uid}.json`, content: `${JSON.stringify(dashboardJson(dashboard), null, 2)}\n` };
}

/** The groups of all alert files, in the order of their names. */
export function alertGroups(): unknown[] {
  const folder = join(grafanaFolder, 'alerts');
  return readdirSync(folder)
    .filter((name) => name.endsWith('.rules.yml'))
    .toSorted()
    .flatMap((name) => (parse(readFileSync(join(folder, name), 'utf8')) as { groups: unknown[] }).groups);
}

/** The alerts as a PrometheusRule of the Prometheus operator. */
export function ruleFile(): MadeFile {
  const rule = {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'PrometheusRule',
    metadata: { name: 'ply' },
    spec: { groups: alertGroups() },
  };
  return {
    name: 'rules.yaml',
    content: `# Generated from grafana/alerts by node scripts/make-dashboards.ts.\n${stringify(rule, { lineWidth: 0 })}`,
  };
}

if (import.meta.main) {
  for (const [folder, files] of [
    ['dashboards', dashboards.map(dashboardFile)],
    ['operator', [ruleFile()]],
  ] as const) {
    mkdirSync(join(grafanaFolder, folder), { recursive: true });
    for (const { name, content } of files) writeFileSync(join(grafanaFolder, folder, name), content);
  }
}
