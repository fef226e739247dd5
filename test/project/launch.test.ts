import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from '../../scripts/setup/paths.mjs';

/** A small project with the launcher and an entry that prints what it receives. */
const project = mkdtempSync(join(tmpdir(), 'ply-launch-'));
const entry = `
const words: string[] = process.argv.slice(2);
if (words[0] === 'wait') {
  process.on('SIGTERM', () => process.exit(7));
  setInterval(() => undefined, 1000);
}
console.log(JSON.stringify({ words, node: Number.parseInt(process.versions.node, 10), options: process.execArgv }));
if (words[0] === 'exit') process.exit(Number(words[1]));
`;

beforeAll(() => {
  cpSync(join(projectRoot, 'scripts'), join(project, 'scripts'), { recursive: true });
  mkdirSync(join(project, 'node_modules'));
  for (const file of ['package-lock.json', 'node_modules/.package-lock.json'])
    writeFileSync(join(project, file), '{"packages":{}}');
  writeFileSync(join(project, 'package.json'), '{"type":"module"}');
  writeFileSync(join(project, 'main.ts'), entry);
});
afterAll(() => rmSync(project, { recursive: true }));

function launch(...args: string[]): ChildProcess {
  const environment = {
    PATH: process.env.PATH,
    PLY_EMBEDDING_THREADS: '0',
    PLY_TRANSCRIBER_WORKERS: '0',
    PLY_TEST_SYSTEM_PROGRAMS: 'leave',
  };
  return spawn(process.execPath, [join(project, 'scripts/launch.mjs'), ...args], {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

async function outcome(child: ChildProcess): Promise<{ code: unknown; output: string; errors: string }> {
  const said = { output: '', errors: '' };
  child.stdout?.on('data', (data) => (said.output += String(data)));
  child.stderr?.on('data', (data) => (said.errors += String(data)));
  const [code] = (await once(child, 'close')) as unknown[];
  return { code, ...said };
}

describe('the launcher', () => {
  it('passes arguments, output and exit code with Node 24', async () => {
    const { code, output, errors } = await outcome(launch('start', 'exit', '5'));
    expect({ code, errors }).toEqual({ code: 5, errors: '' });
    expect(JSON.parse(output)).toMatchObject({ words: ['exit', '5'], node: 24 });
  });

  it('starts fewer V8 threads than cores', async () => {
    const { output } = await outcome(launch('start', 'exit', '0'));
    const { options } = JSON.parse(output) as { options: string[] };
    const threads = Number(options.find((option) => option.startsWith('--v8-pool-size='))?.split('=')[1]);
    expect(threads).toBeGreaterThanOrEqual(1);
    expect(threads).toBeLessThan(Math.max(2, availableParallelism()));
  });

  it('bounds the memory of new objects, and of garbage', async () => {
    const { output } = await outcome(launch('start', 'exit', '0'));
    const { options } = JSON.parse(output) as { options: string[] };
    expect(options).toEqual(expect.arrayContaining(['--max-semi-space-size=16', '--heap-growing-percent=100']));
  });

  it('passes signals', async () => {
    const child = launch('start', 'wait');
    child.stdout?.once('data', () => child.kill('SIGTERM'));
    expect(await outcome(child)).toMatchObject({ code: 7 });
  });

  it('lists its verbs', async () => {
    const { code, errors } = await outcome(launch('begin'));
    expect(code).toBe(1);
    expect(errors).toContain('There is no verb begin');
    expect(errors).toContain('start | test | ply');
  });

  it('is fast if everything is installed', async () => {
    const began = performance.now();
    await outcome(launch('start', 'exit', '0'));
    const launched = performance.now() - began;
    const bare = performance.now();
    await outcome(
      spawn(process.execPath, [join(project, 'main.ts'), 'exit', '0'], { stdio: ['ignore', 'pipe', 'pipe'] }),
    );
    // The machine may be busy: the comparison shows that nothing was installed or downloaded.
    expect(launched).toBeLessThan(3 * (performance.now() - bare) + 2000);
  });
});
