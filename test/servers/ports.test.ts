import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { freePort } from './ports.ts';

const module = pathToFileURL(join(import.meta.dirname, 'ports.ts')).href;

/** Another process that reserves ports, prints them, and runs until its input ends. */
async function otherProcess(count: number): Promise<{ ports: number[]; end(): Promise<void> }> {
  const script = `import { freePort } from ${JSON.stringify(module)}; const ports = []; for (let i = 0; i < ${count}; i += 1) ports.push(await freePort()); console.log(ports.join(' ')); process.stdin.resume();`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exit = once(child, 'exit');
  const [line] = (await once(child.stdout, 'data')) as unknown[];
  return {
    ports: String(line).trim().split(' ').map(Number),
    end: async () => {
      child.stdin.end();
      await Promise.all([exit, text(child.stdout)]);
    },
  };
}

describe('ports of tests', () => {
  it('are unique in this process and others', async () => {
    const others = await Promise.all([otherProcess(150), otherProcess(150)]);
    const own: number[] = [];
    for (let count = 0; count < 150; count += 1) own.push(await freePort());
    const all = [...own, ...others.flatMap(({ ports }) => ports)];
    expect(new Set(all).size).toBe(450);
    await Promise.all(others.map((other) => other.end()));
  });

  it('can be used repeatedly', async () => {
    const port = await freePort();
    for (let time = 0; time < 3; time += 1) {
      const server = createServer().listen(port, '127.0.0.1');
      await once(server, 'listening');
      const closed = once(server, 'close');
      server.close();
      await closed;
    }
    expect(port).toBeGreaterThan(1024);
  });
});
