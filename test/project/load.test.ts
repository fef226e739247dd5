import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../scripts/setup/paths.mjs';
import { inspectScript, k6, scriptNames, scriptsFolder } from '../../scripts/load/k6.ts';
import { routeTable } from '../../services/gateway/table.ts';
import { skipWithReason } from '../support/servers.ts';

const calls = JSON.parse(readFileSync(join(scriptsFolder, 'common/calls.json'), 'utf8')) as {
  [operation: string]: [string, string];
};
const files = readdirSync(scriptsFolder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.js'));
const codeOf = (name: string): string => readFileSync(join(scriptsFolder, name), 'utf8');
const scripts = scriptNames.map((name) => `${name}.js`);

describe('the load scripts', () => {
  it('use the methods and paths of the table of routes', () => {
    const rows = new Map(routeTable.map(({ operation, method, path }) => [operation, [method, path]]));
    expect(
      Object.entries(calls).filter(([operation, call]) => rows.get(operation)?.join(' ') !== call.join(' ')),
    ).toEqual([]);
  });

  it('call each of these operations, and no others', () => {
    const called = files.flatMap((name) =>
      [...codeOf(name).matchAll(/\bcall\('(\w+)'/g)].map(([, operation = '']) => operation),
    );
    expect([...new Set(called)].toSorted()).toEqual(Object.keys(calls).toSorted());
  });

  it('send requests by one function', () => {
    expect(files.filter((name) => codeOf(name).includes("'k6/http'"))).toEqual([join('common', 'ply.js')]);
  });

  it('are all run and documented', () => {
    expect(files.filter((name) => !name.startsWith('common')).toSorted()).toEqual(scripts.toSorted());
    const page = readFileSync(join(projectRoot, 'docs/capacity.md'), 'utf8');
    expect(scriptNames.filter((name) => !page.includes(`| \`${name}\` |`))).toEqual([]);
  });

  it('give themselves time where they wait for files in the end, which k6 cuts off after a minute', () => {
    const waiting = scripts.filter((name) => / teardown\(\) \{[^}]*waitUntilIdle/.test(codeOf(name)));
    expect(waiting.length).toBeGreaterThan(1);
    expect(waiting.filter((name) => !codeOf(name).includes('teardownTimeout: '))).toEqual([]);
  });

  it.each(scripts)('%s has a reason for each bound', (name) => {
    const thresholds = /\n {2}thresholds: \{\n([^]*?)\n {2}\},/.exec(codeOf(name))?.[1] ?? '';
    const reasons = thresholds.split('\n').filter((line) => line.trim().startsWith('//'));
    expect(reasons.length).toBeGreaterThanOrEqual(3);
    expect(thresholds).toContain("http_req_failed: ['rate==0']");
    expect(thresholds).toContain("checks: ['rate==1']");
  });
});

const tool = await k6();
if ('unavailable' in tool) {
  skipWithReason('load scripts by k6', tool.unavailable);
} else {
  describe('load scripts by k6', () => {
    it.each(scriptNames)('%s', async (name) => {
      const outcome = await inspectScript(tool.path, name);
      if (!outcome.ok) throw new Error(outcome.reason);
      const { scenarios, thresholds } = JSON.parse(outcome.output) as { scenarios: object; thresholds: object };
      expect(Object.keys(scenarios).length).toBeGreaterThan(0);
      expect(Object.keys(thresholds).length).toBeGreaterThan(2);
    });
  });
}
