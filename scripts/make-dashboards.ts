import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dashboardJson, type Dashboard } from '../grafana/definitions/panels.ts';
import { organization } from '../grafana/definitions/organization.ts';
import { overview } from '../grafana/definitions/overview.ts';
import { pipeline } from '../grafana/definitions/pipeline.ts';
import { search } from '../grafana/definitions/search.ts';
import { stores } from '../grafana/definitions/stores.ts';

/** All dashboards, in display order. */
export const dashboards: readonly Dashboard[] = [overview, pipeline, search, stores, organization];

/** Name and content of a dashboard's file. */
export function dashboardFile(dashboard: Dashboard): { name: string; content: string } {
  return { name: `${dashboard.uid}.json`, content: `${JSON.stringify(dashboardJson(dashboard), null, 2)}\n` };
}

if (import.meta.main) {
  const folder = join(import.meta.dirname, '../grafana/dashboards');
  mkdirSync(folder, { recursive: true });
  for (const dashboard of dashboards) {
    const { name, content } = dashboardFile(dashboard);
    writeFileSync(join(folder, name), content);
  }
}
