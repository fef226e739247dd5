import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { inNamespace } from '../../grafana/definitions/panels.ts';
import { dashboardFile, dashboards, ruleFile } from '../../scripts/make-dashboards.ts';
import { projectRoot } from '../../scripts/setup/paths.mjs';
import { runProgram } from '../../scripts/setup/system.ts';
import { startTestProgram, type TestProgram } from '../api/support/program.ts';
import { skipWithReason } from '../support/servers.ts';
import { promtool } from './support/promtool.ts';

const alertsFolder = join(projectRoot, 'grafana/alerts');
const files = readdirSync(alertsFolder);
const ruleFiles = files.filter((name) => name.endsWith('.rules.yml'));

/** A rule of Prometheus. */
interface Rule {
  alert?: string;
  record?: string;
  expr: string;
  annotations?: { summary?: string; description?: string; runbook_url?: string };
}

const rules = ruleFiles.flatMap((name) => {
  const { groups } = parse(readFileSync(join(alertsFolder, name), 'utf8')) as { groups: { rules: Rule[] }[] };
  return groups.flatMap((group) => group.rules);
});
const alerts = rules.filter(({ alert }) => alert !== undefined);
const tool = await promtool();
const queries = dashboards.flatMap(({ rows, title }) =>
  rows.flatMap(({ panels }) =>
    panels.flatMap((panel) =>
      panel.lines.map(({ expr }) => ({ where: `${title}, ${panel.title}`, expr: inNamespace(expr) })),
    ),
  ),
);

describe('alerts', () => {
  it('have a test, a description and a section of the runbook each', () => {
    const tested = files
      .filter((name) => name.endsWith('.test.yml'))
      .map((name) => readFileSync(join(alertsFolder, name), 'utf8'))
      .join('\n');
    const runbook = readFileSync(join(projectRoot, 'docs/runbook.md'), 'utf8');
    const sections = [...runbook.matchAll(/^## (\w+)$/gm)].map(([, name]) => name);
    expect(alerts.length).toBeGreaterThan(10);
    for (const { alert = '', annotations } of alerts) {
      expect(tested).toContain(`alertname: ${alert}\n`);
      expect(annotations).toMatchObject({
        summary: expect.stringMatching(/\.$/),
        description: expect.stringMatching(/\.$/),
        runbook_url: expect.stringMatching(new RegExp(`/docs/runbook#${alert.toLowerCase()}$`)) as string,
      });
    }
    expect(sections.toSorted()).toEqual(alerts.map(({ alert }) => alert).toSorted());
  });
});

describe('alerts and recording rules', () => {
  it('keep installations in different namespaces apart', () => {
    for (const { expr } of rules) {
      const aggregations = [...expr.matchAll(/\b(?:sum|min|max|count|avg|group)\b\s*(by\s*\(([^)]*)\))?/g)];
      for (const [text, , labels = ''] of aggregations)
        expect({ expr, text, labels: labels.split(/,\s*/) }).toMatchObject({
          labels: expect.arrayContaining(['namespace']) as string[],
        });
    }
  });
});

describe('dashboards', () => {
  it('show one namespace or all, with every metric', () => {
    const metrics = queries.flatMap(({ expr }) => [...expr.matchAll(/ply[_:][\w:]+(\{[^}]*\})?/g)]);
    expect(metrics.length).toBeGreaterThan(50);
    for (const [text, selector] of metrics)
      expect({ text, selector }).toMatchObject({
        selector: expect.stringContaining('namespace=~"$namespace"') as string,
      });
    for (const dashboard of dashboards)
      expect(dashboardFile(dashboard).content).toContain('label_values(ply_role, namespace)');
  });

  it('are generated from the definitions', () => {
    const folder = join(projectRoot, 'grafana/dashboards');
    const made = dashboards.map(dashboardFile);
    expect(readdirSync(folder).toSorted()).toEqual(made.map(({ name }) => name).toSorted());
    for (const { name, content } of made) expect(readFileSync(join(folder, name), 'utf8')).toBe(content);
  });

  it('and the rules for the Prometheus operator are generated from the same sources', () => {
    const { name, content } = ruleFile();
    expect(readFileSync(join(projectRoot, 'grafana/operator', name), 'utf8')).toBe(content);
    const component = readFileSync(join(projectRoot, 'grafana/kustomization.yaml'), 'utf8');
    for (const dashboard of dashboards)
      expect(component).toContain(`files: [dashboards/${dashboardFile(dashboard).name}]`);
  });

  it('take their data source from a choice', () => {
    for (const dashboard of dashboards) {
      const { content } = dashboardFile(dashboard);
      const sources = [...content.matchAll(/"uid": "([^"]+)"/g)]
        .map(([, uid]) => uid)
        .filter((uid) => uid !== dashboard.uid);
      expect(new Set(sources)).toEqual(new Set(['${datasource}']));
    }
  });

  it('have no overlapping panels', () => {
    for (const dashboard of dashboards) {
      const { panels } = JSON.parse(dashboardFile(dashboard).content) as {
        panels: { id: number; gridPos: { x: number; y: number; w: number; h: number } }[];
      };
      const taken = new Set<string>();
      for (const {
        gridPos: { x, y, w, h },
      } of panels) {
        for (let column = x; column < x + w; column++) {
          for (let line = y; line < y + h; line++) {
            expect(column < 24 && !taken.has(`${column},${line}`)).toBe(true);
            taken.add(`${column},${line}`);
          }
        }
      }
      expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    }
  });
});

describe('the metrics of the running program', () => {
  let program: TestProgram;
  let text: string;
  beforeAll(async () => {
    program = await startTestProgram({ PLY_METRICS_ORGANIZATIONS: '11111111-1111-4111-8111-111111111111' });
    await program.standard.ask('GET', '/api/content/v1/assets');
    text = await (await fetch(`${program.metricsUrl}/metrics`)).text();
  });
  afterAll(() => program.end());

  it('include every metric of alerts and dashboards', () => {
    const exported = new Set(
      [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name = '', type]) =>
        type === 'histogram' ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name],
      ),
    );
    const asked = [...queries.map(({ expr }) => expr), ...rules.map(({ expr }) => expr)].flatMap((expr) =>
      [...expr.matchAll(/(?<![\w:])ply_\w+/g)].map(([name]) => name),
    );
    expect(asked.length).toBeGreaterThan(50);
    expect([...new Set(asked)].filter((name) => !exported.has(name))).toEqual([]);
  });

  it('include each series of a counter from the start, because the first event of a new series is no increase', () => {
    const counters = [...text.matchAll(/^# TYPE (ply_\S+) counter$/gm)].map(([, name = '']) => name);
    expect(counters.length).toBeGreaterThan(15);
    expect(counters.filter((name) => !new RegExp(`^${name}(\\{|\\s)`, 'm').test(text))).toEqual([]);
    const stages = ['extracting', 'transcribing', 'embedding', 'deleting', 'cleanup'];
    for (const stage of stages) expect(text).toContain(`ply_leases_lost_total{stage="${stage}"} 0\n`);
    const dying = /code=~"(?<codes>[\w|]+)"/.exec(alerts.find(({ alert }) => alert === 'PlyJobsDie')?.expr ?? '');
    const codes = dying?.groups?.['codes']?.split('|') ?? [];
    expect(codes).toContain('worker_lost');
    for (const code of codes) expect(text).toContain(`ply_jobs_ended_total{state="failed",code="${code}"} 0\n`);
    expect(text).toContain('ply_jobs_ended_total{state="ready",code="none"} 0\n');
    expect(text).toMatch(/^ply_http_responses_total\{class="5xx"\} \d/m);
    expect(text).toMatch(/^ply_http_responses_total\{class="2xx"\} [1-9]/m);
    for (const metric of ['ply_permission_drops', 'ply_search_usage_lost', 'ply_audit_failures', 'ply_foreign_packets'])
      expect(text).toContain(`\n${metric}_total 0\n`);
  });

  it('have no label with unbounded values', () => {
    expect(text).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-(?!111111111111)[0-9a-f]{12}/);
  });

  if (!('unavailable' in tool)) {
    it('pass the checks of Prometheus', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'ply-metrics-'));
      try {
        writeFileSync(join(folder, 'metrics'), text);
        expect(await runProgram('sh', ['-c', '"$0" check metrics < "$1"', tool.path, join(folder, 'metrics')])).toEqual(
          { ok: true, output: '' },
        );
      } finally {
        rmSync(folder, { recursive: true });
      }
    });
  }
});

if ('unavailable' in tool) skipWithReason('alerts and dashboards by promtool', tool.unavailable);
else {
  describe('Prometheus', () => {
    it.each(files.filter((name) => name.endsWith('.test.yml')))(
      'finds that the alerts come when they should: %s',
      async (name) => {
        expect(await runProgram(tool.path, ['test', 'rules', join(alertsFolder, name)])).toMatchObject({ ok: true });
      },
    );

    it('accepts every rule and every query of the dashboards', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'ply-queries-'));
      try {
        // The expression of a rule; a choice of a dashboard becomes a value.
        const asRules = queries.map(({ expr }, at) => ({
          record: `query:${at}`,
          expr: expr.replaceAll('$organization', 'x').replaceAll('$namespace', '.*'),
        }));
        // JSON is valid YAML.
        writeFileSync(join(folder, 'queries.yml'), JSON.stringify({ groups: [{ name: 'queries', rules: asRules }] }));
        const checked = await runProgram(tool.path, [
          'check',
          'rules',
          join(folder, 'queries.yml'),
          ...ruleFiles.map((name) => join(alertsFolder, name)),
        ]);
        expect(checked).toMatchObject({ ok: true, output: expect.stringContaining(`${queries.length} rules found`) });
      } finally {
        rmSync(folder, { recursive: true });
      }
    });
  });
}
