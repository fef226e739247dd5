import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { inNamespace } from '../../grafana/definitions/panels.ts';
import { dashboards } from '../../scripts/make-dashboards.ts';
import { projectRoot } from '../../scripts/setup/paths.mjs';
import { content } from '../api/support/client.ts';
import { startTestProgram, type TestProgram } from '../api/support/program.ts';
import { freePort } from '../servers/ports.ts';
import { skipWithReason } from '../support/servers.ts';
import { prometheus } from './support/promtool.ts';

/** What the HTTP API of Prometheus returns (https://prometheus.io/docs/prometheus/latest/querying/api/). */
interface QueryAnswer {
  status: string;
  error?: string;
  data?: { result: { metric: Record<string, string>; value: [number, string] }[] };
}

interface RuleAnswer {
  data: { groups: { rules: { name: string; query: string; health: string; lastError?: string; type: string }[] }[] };
}

const organization = '11111111-1111-4111-8111-111111111111';
const queries = dashboards.flatMap(({ rows, title }) =>
  rows.flatMap(({ panels }) =>
    panels.flatMap((panel) =>
      panel.lines.map(({ expr }) => ({
        where: `${title}, ${panel.title}`,
        expr: inNamespace(expr).replaceAll('$organization', organization).replaceAll('$namespace', '.*'),
      })),
    ),
  ),
);

/**
 * Panels without a line where nothing has happened yet: what is filtered by a bound, needs a model, a recording or a
 * limit of the container, a schedule of backups, requests of S3 or Blob clients, or a failure of a store.
 */
const mayBeEmpty =
  /Age of the last backup|Failures by route|Memory against the limit|Failed|Retries|Failures|Requests|p95$|Query vector|Ply: doors|model|organization|answers|Answers/;

const found = await prometheus();
if ('unavailable' in found) skipWithReason('alerts and dashboards over a running Prometheus', found.unavailable);
else {
  const folder = mkdtempSync(join(tmpdir(), 'ply-prometheus-'));
  let server: ChildProcess;
  let url: string;
  let program: TestProgram;

  async function ask<T>(path: string): Promise<T> {
    return (await (await fetch(`${url}/api/v1/${path}`)).json()) as T;
  }
  const query = (expr: string): Promise<QueryAnswer> => ask(`query?query=${encodeURIComponent(expr)}`);
  const until = async (holds: () => Promise<boolean>): Promise<void> => {
    while (!(await holds().catch(() => false))) await pause(250);
  };

  beforeAll(async () => {
    program = await startTestProgram({ PLY_METRICS_ORGANIZATIONS: organization });
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    writeFileSync(
      join(folder, 'prometheus.yml'),
      // JSON is valid YAML.
      JSON.stringify({
        global: { scrape_interval: '1s', evaluation_interval: '1s' },
        rule_files: [join(projectRoot, 'grafana/alerts/*.rules.yml')],
        scrape_configs: [{ job_name: 'ply', static_configs: [{ targets: [new URL(program.metricsUrl).host] }] }],
      }),
    );
    server = spawn(
      found.path,
      [
        `--config.file=${join(folder, 'prometheus.yml')}`,
        `--storage.tsdb.path=${join(folder, 'data')}`,
        `--web.listen-address=127.0.0.1:${port}`,
        '--log.level=error',
      ],
      { stdio: 'ignore' },
    );
    await until(async () => (await query('up == 1')).data?.result.length === 1);
    await traffic();
    // A rate needs two scrapes of a series.
    await until(async () => Number((await query('count_over_time(up[1m])')).data?.result[0]?.value[1]) > 4);
    await pause(3000);
  });
  afterAll(async () => {
    server.kill('SIGKILL');
    await program.end();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Files that become ready and one that fails, searches, and requests that are refused. */
  async function traffic(): Promise<void> {
    for (let number = 0; number < 5; number++) {
      const text = `The harbour light number ${number} is green.`;
      const file = program.source.put(`${number}.txt`, text, { status: number === 4 ? 404 : 200 });
      const { jobId } = await program.standard.register(file);
      if (number < 4) await program.standard.reaches(jobId, 'ready');
    }
    for (let number = 0; number < 10; number++) {
      expect((await program.standard.search({ query: 'harbour light' })).items).not.toEqual([]);
      await program.standard.ask('GET', `${content}/assets/none`);
      await pause(200);
    }
  }

  describe('a Prometheus that scraped the running program', () => {
    it('finds a value for the panels of the dashboards', async () => {
      const empty: string[] = [];
      for (const { where, expr } of queries) {
        const answer = await query(expr);
        expect({ where, expr, status: answer.status, error: answer.error }).toEqual({ where, expr, status: 'success' });
        if (answer.data?.result.length === 0) empty.push(where);
      }
      expect(empty.filter((where) => !mayBeEmpty.test(where))).toEqual([]);
      expect(empty.length).toBeLessThan(queries.length / 2);
    });

    it('evaluates every rule without an error, and no alert fires', async () => {
      const rules = async (): Promise<RuleAnswer['data']['groups'][number]['rules']> =>
        (await ask<RuleAnswer>('rules')).data.groups.flatMap((group) => group.rules);
      await until(async () => (await rules()).every(({ health }) => health !== 'unknown'));
      const all = await rules();
      expect(all.length).toBeGreaterThan(20);
      expect(all.filter(({ health, lastError }) => health !== 'ok' || (lastError ?? '') !== '')).toEqual([]);
      expect((await query('ALERTS{alertstate="firing"}')).data?.result).toEqual([]);
    });

    it('finds the labels that alerts and dashboards name on their metrics', async () => {
      const { data } = await ask<RuleAnswer>('rules');
      const expressions = [
        ...queries,
        ...data.groups.flatMap(({ rules }) => rules.map(({ query: expr }) => ({ expr }))),
      ];
      const hasSeries = async (expr: string): Promise<boolean> => ((await query(expr)).data?.result.length ?? 0) > 0;
      const [wrong, absent] = [new Set<string>(), new Set<string>()];
      let found = 0;
      for (const { expr } of expressions) {
        const selectors = [...expr.matchAll(/(?<![\w:])(?<name>ply_\w+)(?:\{(?<matchers>[^}]*)\})?/g)];
        const grouped = [...expr.matchAll(/\bby\s*\((?<labels>[^)]*)\)/g)]
          .flatMap(({ groups }) => groups?.['labels']?.split(/,\s*/) ?? [])
          .filter((label) => !['namespace', 'instance'].includes(label));
        const present: string[] = [];
        for (const { groups: { name = '', matchers = '' } = {} } of selectors) {
          if (!(await hasSeries(name))) {
            absent.add(name);
            continue;
          }
          present.push(name);
          for (const matcher of matchers.match(/\w+\s*(=~|!=|=)\s*"[^"]*"/g) ?? []) {
            const label = /^\w+/.exec(matcher)?.[0] ?? '';
            if (label === 'namespace') continue;
            // Counters and gauges have all of their values from the start; a histogram has those that happened.
            const wanted = /_(bucket|count|sum)$/.test(name) ? `${label}!=""` : matcher;
            if (await hasSeries(`${name}{${wanted}}`)) found += 1;
            else wrong.add(`${name}{${matcher}}`);
          }
        }
        for (const label of present.length === 0 ? [] : grouped) {
          const having = await Promise.all(present.map((name) => hasSeries(`${name}{${label}!=""}`)));
          if (having.includes(true)) found += 1;
          else wrong.add(`${label} of ${present.join(', ')}`);
        }
      }
      // This part is there only while the index has lost something.
      expect([...wrong]).toEqual(['ply_part_up{part="index"}']);
      expect(found).toBeGreaterThan(100);
      // Without a model, a webhook, a backup or a client of a door there are no series of theirs.
      expect([...absent].filter((name) => !/model|source|webhook|organization|backup|door/.test(name))).toEqual([]);
    });

    it('knows the version, the address of the runbook there, and serves it', async () => {
      const address = await query('ply_public_url_info');
      expect(address.data?.result[0]?.metric['url']).toBe(program.url);
      expect((await query('ply_build_info')).data?.result[0]?.metric['version']).toMatch(/^\d+\.\d+\.\d+$/);
      const page = await fetch(`${program.url}/docs/runbook`);
      const html = await page.text();
      expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
      const { data } = await ask<RuleAnswer>('rules');
      const alerts = data.groups.flatMap((group) => group.rules).filter(({ type }) => type === 'alerting');
      expect(alerts.length).toBeGreaterThan(15);
      for (const { name } of alerts) expect(html).toContain(`<h2 id="${name.toLowerCase()}">${name}</h2>`);
    });

    it('notices that the program has failed', async () => {
      await program.process.kill();
      await until(async () => (await query('up == 0')).data?.result.length === 1);
      const { data } = await ask<RuleAnswer>('rules');
      const rule = data.groups.flatMap((group) => group.rules).find(({ name }) => name === 'PlyGone');
      expect((await query(rule?.query ?? '')).data?.result).toHaveLength(1);
    });
  });
}
