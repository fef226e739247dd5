import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { startProgram, type Program } from '../../app/program.ts';
import { readConfiguration } from '../../models/configuration/configuration.ts';
import { projectRoot } from '../../scripts/setup/paths.mjs';
import { Client } from '../api/support/client.ts';
import { Source } from '../api/support/source.ts';
import { promtool } from '../project/support/promtool.ts';
import { freePort } from '../servers/ports.ts';
import { skipWithReason } from '../support/servers.ts';
import type { Step } from './file.ts';
import { auditor, type Reader } from './readers.ts';
import { openWorlds, permissionDrops } from './stage.ts';
import type { World } from './world.ts';

const alerts = join(projectRoot, 'grafana/alerts');
const rules = readFileSync(join(alerts, 'permissions.rules.yml'), 'utf8');

let folder: string;
let program: Program;
let source: Source;
let world: World;
const readers: Reader[] = [undefined, [], ['Ann'], ['ann'], ['unknown']];

const permit = (...principals: string[]): Step => ({ do: 'permit', open: false, principals });
const runs: Step[][] = [
  [{ do: 'register', principals: null }],
  [{ do: 'register', principals: ['Ann'] }, { do: 'wait' }, permit('ann')],
  [{ do: 'register', principals: ['ann'] }, { do: 'wait' }, { do: 'reindex' }],
  [
    { do: 'register', principals: ['Ann', 'ann'] },
    { do: 'label', label: 1 },
  ],
  [{ do: 'register', principals: ['bob'] }, { do: 'wait' }, permit('Ann'), permit('bob')],
  [{ do: 'register', principals: null }, permit()],
];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ply-broken-'));
  source = new Source();
  await source.start();
  const [adminKey, standardKey, organizationId] = [
    `ply_admin_${randomUUID()}`,
    `ply_standard_${randomUUID()}`,
    randomUUID(),
  ];
  program = await startProgram(
    readConfiguration({
      PLY_DATA_DIR: folder,
      PLY_API_PORT: String(await freePort()),
      PLY_METRICS_PORT: String(await freePort()),
      PLY_DELIVERY_PORT: '0',
      PLY_S3_PORT: '0',
      PLY_BLOB_PORT: '0',
      PLY_UPLOAD_PORT: '0',
      PLY_PRIVATE_NETWORKS: 'allow',
      PLY_EMBEDDING_THREADS: '0',
      PLY_READER_THREADS: '1',
      PLY_BOOTSTRAP_ORGANIZATION_ID: organizationId,
      PLY_BOOTSTRAP_ADMIN_KEY: adminKey,
      PLY_BOOTSTRAP_STANDARD_KEY: standardKey,
    }),
    { log: pino({ level: 'silent' }) },
  );
  const client = (key: string): Client => new Client(program.apiUrl!, organizationId, key);
  [world] = (await openWorlds(
    { admin: client(adminKey), standard: client(standardKey), source },
    () => Promise.resolve([]),
    'numbat',
    1,
  )) as [World];
});

afterAll(async () => {
  await program.stop();
  await source.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Whether the alert's condition, a comparison of one metric with a number, is currently true. */
async function fires(): Promise<boolean> {
  const [, metric, limit] = /^ +expr: (\w+) > (\d+)$/m.exec(rules) ?? [];
  const value = new RegExp(`^${metric} (\\d+)`, 'm').exec(
    await (await fetch(`${program.metricsUrl}/metrics`)).text(),
  )?.[1];
  expect(value).toBeDefined();
  return Number(value) > Number(limit);
}

it('an index that ignores the restriction leaks nothing, and raises the alert', async () => {
  await world.run(runs, readers);
  expect([await permissionDrops(program.metricsUrl), await fires()]).toEqual(['0', false]);

  // Every grant applies to everybody.
  const { passages } = program.app;
  const sound = passages.retrieve;
  let given = 0;
  passages.retrieve = async (scope, retrieval) => {
    const result = await sound(scope, { ...retrieval, principals: [auditor] });
    given += result.candidates.length;
    return result;
  };
  const before = world.checked.atRest;
  await world.run([[permit('bob')], [permit('Ann')], [], [{ do: 'reindex' }], [], []], readers);
  expect([world.checked.atRest - before > 20, given > 0]).toEqual([true, true]);
  expect([Number(await permissionDrops(program.metricsUrl)) > 0, await fires()]).toEqual([true, true]);

  // The counter keeps its value when the index works again.
  passages.retrieve = sound;
  const counted = await permissionDrops(program.metricsUrl);
  await world.run([], readers);
  expect([await permissionDrops(program.metricsUrl), await fires()]).toEqual([counted, true]);
});

const tool = await promtool();
if ('unavailable' in tool) skipWithReason('Prometheus raises the alert', tool.unavailable);
else
  it('Prometheus raises the alert for the counted hits', async () => {
    const counted = Number(await permissionDrops(program.metricsUrl));
    expect(counted).toBeGreaterThan(0);
    const test = {
      rule_files: [join(alerts, 'permissions.rules.yml')],
      evaluation_interval: '1m',
      tests: [
        {
          interval: '1m',
          input_series: [{ series: 'ply_permission_drops_total', values: `0 0 ${counted} ${counted}` }],
          promql_expr_test: [0, 2].map((minute) => ({
            expr: 'ALERTS{alertname="PlyPermissionDrops", alertstate="firing"}',
            eval_time: `${minute}m`,
            exp_samples:
              minute === 0
                ? []
                : [
                    {
                      labels: 'ALERTS{alertname="PlyPermissionDrops", alertstate="firing", severity="critical"}',
                      value: 1,
                    },
                  ],
          })),
        },
      ],
    };
    // JSON is valid YAML.
    writeFileSync(join(folder, 'alert.test.json'), JSON.stringify(test));
    for (const file of [join(folder, 'alert.test.json'), join(alerts, 'permissions.test.yml')]) {
      const { status, stdout, stderr } = spawnSync(tool.path, ['test', 'rules', file], { encoding: 'utf8' });
      expect([status, status === 0 ? '' : `${stdout}${stderr}`]).toEqual([0, '']);
    }
  });
