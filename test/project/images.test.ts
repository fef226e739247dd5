import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfiguration } from '../../models/configuration/configuration.ts';
import { allocatorEnvironment } from '../../scripts/setup/allocator.mjs';
import { modelFolder, projectRoot } from '../../scripts/setup/paths.mjs';
import { runProgram } from '../../scripts/setup/system.ts';
import { systemPrograms } from '../../scripts/setup/system-programs.mjs';
import { freePort } from '../servers/ports.ts';
import { skipWithReason } from '../support/servers.ts';
import { imageFilter, neededBy, projectFiles, stagesOf } from './support/image.ts';
import { hadolint } from './support/tools.ts';

const dockerfile = readFileSync(join(projectRoot, 'Dockerfile'), 'utf8');
const goesIn = imageFilter(readFileSync(join(projectRoot, '.dockerignore'), 'utf8'));
const stages = stagesOf(dockerfile);
const last = stages.at(-1) ?? [];

/** The instructions of the last stage with this keyword. */
const said = (word: string): string[] =>
  last.filter((instruction) => instruction.word === word).map(({ rest }) => rest);

const linter = await hadolint();
if ('unavailable' in linter) skipWithReason('the Dockerfile by hadolint', linter.unavailable);
else {
  it('the Dockerfile passes hadolint', async () => {
    expect(await runProgram(linter.path, ['--failure-threshold', 'style', join(projectRoot, 'Dockerfile')])).toEqual({
      ok: true,
      output: '',
    });
  });
}

describe('the image', () => {
  it('runs as an unprivileged user, and has a health check', () => {
    expect(said('USER')).toEqual(['10001:10001']);
    expect(said('HEALTHCHECK').join()).toContain('"scripts/setup/health-check.mjs", "live"');
    expect(said('CMD')).toEqual(['["node", "--heap-growing-percent=100", "main.ts"]']);
    expect(goesIn('scripts/setup/health-check.mjs')).toBe(true);
  });

  it("has the launcher's memory settings", () => {
    for (const [name, value] of Object.entries(allocatorEnvironment))
      expect(said('ENV').join(' ')).toContain(`${name}=${value}`);
  });

  it('bounds the memory of new objects', () => {
    expect(said('ENV').join(' ')).toContain('--max-semi-space-size=16');
  });

  it('has fewer threads for garbage collection than the default', () => {
    expect(said('ENV').join(' ')).toContain('--v8-pool-size=1');
  });

  it('has one ffprobe, a list of its packages, and mirrors as arguments', () => {
    expect(dockerfile).toContain('rm -rf node_modules/@ffprobe-installer/linux-*');
    expect(dockerfile).toContain('npm sbom --sbom-format cyclonedx --omit dev --package-lock-only > sbom.json');
    expect(said('COPY').join('\n')).toContain('/ply/sbom.json sbom.json');
    for (const name of ['NPM_CONFIG_REGISTRY', 'PIP_INDEX_URL', 'DEBIAN_MIRROR', 'NODE_IMAGE', 'DEBIAN_IMAGE'])
      expect(dockerfile).toMatch(new RegExp(`^ARG ${name}\\b`, 'm'));
  });

  it('has the programs for recordings', () => {
    const installed = said('RUN').find((command) => command.includes('apt-get install')) ?? '';
    expect(
      systemPrograms.flatMap(({ packages }) => packages).filter((name) => !installed.split(/\s+/).includes(name)),
    ).toEqual([]);
  });

  it('has a valid environment, and exposes its ports', () => {
    const pairs = said('ENV')
      .flatMap((words) => words.split(/\s+/))
      .map((pair) => pair.split('='));
    const configuration = readConfiguration(Object.fromEntries(pairs.map(([name = '', value]) => [name, value])));
    expect(configuration).toMatchObject({ PLY_HOST: '0.0.0.0', PLY_DATA_DIR: '/data' });
    expect(said('EXPOSE')).toEqual([
      `${configuration.PLY_API_PORT} ${configuration.PLY_DELIVERY_PORT} ${configuration.PLY_UPLOAD_PORT} ${configuration.PLY_S3_PORT} ${configuration.PLY_BLOB_PORT} ${configuration.PLY_METRICS_PORT}`,
    ]);
    expect(said('VOLUME')).toEqual([`["${configuration.PLY_DATA_DIR}"]`]);
  });

  it.each(['main.ts', 'cli/ply.ts', 'scripts/setup/model.ts', 'scripts/setup/speech-model.ts'])(
    'contains every file that %s needs',
    (entry) => {
      const needed = [...neededBy(entry)];
      expect(needed.length).toBeGreaterThan(5);
      expect(needed.filter((path) => !goesIn(path))).toEqual([]);
    },
  );

  it.each(['model.ts', 'speech-model.ts'])('copies the folders that %s builds a model from', (name) => {
    const copied = (stages.find(([from]) => from?.rest.endsWith('AS model')) ?? [])
      .filter(({ word }) => word === 'COPY')
      .map(({ rest }) => `${rest.split(' ')[0]}/`);
    expect(
      [...neededBy(`scripts/setup/${name}`)].filter((path) => !copied.some((folder) => path.startsWith(folder))),
    ).toEqual([]);
  });

  it('contains the plans, and the pages for operators that the gateway serves', () => {
    expect(projectFiles().filter((path) => goesIn(path) && /^(docs|plans)\//.test(path))).toEqual(
      expect.arrayContaining([
        'docs/configuration.md',
        'docs/errors.md',
        'docs/operations.md',
        'docs/runbook.md',
        'plans/examples.json',
      ]),
    );
  });

  it('contains no tests, other documents or version control', () => {
    expect(
      projectFiles()
        .filter(goesIn)
        .filter((path) =>
          /\.test\.|(^|\/)testing\/|^(test|docs\/(?!configuration|errors|operations|runbook)|bench|k8s|grafana|\.git)/.test(
            path,
          ),
        ),
    ).toEqual([]);
  });
});

describe('the health check', () => {
  let server: Server;
  let status = 200;
  beforeAll(async () => {
    server = createServer((request, response) =>
      response.writeHead(request.url === '/health/live' ? 200 : status).end('{}'),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  });
  afterAll(() => {
    server.close();
  });

  async function ask(question: string, port: number): Promise<boolean> {
    const outcome = await runProgram(
      process.execPath,
      [join(projectRoot, 'scripts/setup/health-check.mjs'), question],
      { environment: { PLY_HOST: '0.0.0.0', PLY_METRICS_PORT: String(port) } },
    );
    return outcome.ok;
  }

  it('has an exit code for the state of the process', async () => {
    const { port } = server.address() as AddressInfo;
    expect([await ask('live', port), await ask('ready', port)]).toEqual([true, true]);
    status = 503;
    expect([await ask('live', port), await ask('ready', port)]).toEqual([true, false]);
    expect(await ask('live', await freePort())).toBe(false);
  });
});

describe('the program with the files of the image', () => {
  const work = mkdtempSync(join(tmpdir(), 'ply-image-'));
  const program = join(work, 'ply');
  const data = join(work, 'data');
  const isRoot = process.getuid?.() === 0;
  afterAll(() => rmSync(work, { recursive: true, force: true }));

  it('starts, serves and stops as another user with read-only files', async () => {
    for (const path of projectFiles().filter(goesIn)) cpSync(join(projectRoot, path), join(program, path));
    symlinkSync(join(projectRoot, 'node_modules'), join(program, 'node_modules'));
    mkdirSync(join(program, '.cache/models'), { recursive: true });
    if (existsSync(modelFolder))
      cpSync(modelFolder, join(program, '.cache/models', 'all-MiniLM-L6-v2'), { recursive: true });
    mkdirSync(data);
    if (isRoot) chownSync(data, 10001, 10001);
    chmodSync(work, 0o755);
    if (!isRoot) await runProgram('chmod', ['-R', 'a-w', program]);
    const environment = {
      PATH: process.env.PATH,
      PLY_DATA_DIR: data,
      PLY_API_PORT: '0',
      PLY_METRICS_PORT: String(await freePort()),
      PLY_DELIVERY_PORT: '0',
      PLY_S3_PORT: '0',
      PLY_BLOB_PORT: '0',
      PLY_UPLOAD_PORT: '0',
      PLY_EMBEDDING_THREADS: '1',
    };
    const child = spawn(process.execPath, ['scripts/setup/try-start.mjs'], {
      cwd: program,
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(isRoot ? { uid: 10001, gid: 10001 } : {}),
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (output += String(part)));
    const [code] = (await once(child, 'close')) as unknown[];
    expect({ code, output }).toEqual({
      code: 0,
      output: expect.stringMatching(/Ply is ready[\s\S]*SIGTERM: stopping/),
    });
    if (!isRoot) await runProgram('chmod', ['-R', 'u+w', program]);
  });
});
