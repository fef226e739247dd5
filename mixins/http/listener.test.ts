import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { createListener } from './listener.ts';

/** Opens a connection, writes, and resolves with the received text when it ends. */
function open(port: number, sent: string): { ended: Promise<string> } {
  const socket = connect(port, '127.0.0.1');
  let received = '';
  socket.on('data', (chunk) => (received += chunk.toString()));
  socket.on('error', () => undefined); // A reset also ends the connection.
  socket.write(sent);
  return { ended: new Promise((resolve) => socket.on('close', () => resolve(received))) };
}

describe('a listener', () => {
  it('stops immediately with idle connections, and after a grace period with busy ones', async () => {
    const asked: (string | undefined)[] = [];
    const listener = createListener({
      host: '127.0.0.1',
      port: 0,
      handle: (request, response) => {
        asked.push(request.url);
        if (request.url === '/quick') response.end('done');
      },
    });
    const { port } = await listener.start();
    const idle = open(port, 'GET /quick HTTP/1.1\r\nHost: x\r\n\r\n');
    const busy = open(port, 'GET /never HTTP/1.1\r\nHost: x\r\n\r\n');
    while (asked.length < 2) await new Promise((resolve) => setTimeout(resolve, 10));
    const ended: string[] = [];
    const [grace, before] = [1000, performance.now()];
    void idle.ended.then(() => ended.push('idle'));
    void busy.ended.then(() => ended.push('busy'));
    const stopping = listener.stop(grace);
    expect(await idle.ended).toContain('done');
    await stopping;
    expect(await busy.ended).toBe('');
    expect(performance.now() - before).toBeGreaterThanOrEqual(grace - 50);
    expect(ended).toEqual(['idle', 'busy']);
  });

  it('closes connections with slow headers and refuses large ones', async () => {
    const handle = (_: unknown, response: ServerResponse): unknown => response.end();
    const shortTimeout = createListener({ host: '127.0.0.1', port: 0, headersTimeout: 500, handle });
    const listener = createListener({ host: '127.0.0.1', port: 0, handle });
    const { port } = await listener.start();
    try {
      expect(await open((await shortTimeout.start()).port, 'GET / HTTP/1.1\r\n').ended).toContain('408');
      expect(await open(port, `GET / HTTP/1.1\r\nX: ${'x'.repeat(70_000)}\r\n\r\n`).ended).toContain('431');
    } finally {
      await Promise.all([listener.stop(0), shortTimeout.stop(0)]);
    }
  });

  it('fails to start on a used port', async () => {
    const first = createListener({ host: '127.0.0.1', port: 0, handle: () => undefined });
    const { port } = await first.start();
    await expect(createListener({ host: '127.0.0.1', port, handle: () => undefined }).start()).rejects.toMatchObject({
      code: 'EADDRINUSE',
    });
    await first.stop(0);
  });
});
