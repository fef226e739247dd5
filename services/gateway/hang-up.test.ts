import { connect, type Socket } from 'node:net';
import { headersWith, played, startStage, type Stage } from './testing/stage.ts';

const api = '/api/content/v1';

/** Sends the head of a request whose body does not come, and returns the open connection. */
async function sendHead(stage: Stage, headers: { [name: string]: string }): Promise<Socket> {
  const { hostname, port } = new URL(stage.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  const lines = Object.entries({ host: 'x', ...headers }).map(([name, value]) => `${name}: ${value}`);
  await new Promise<void>((resolve) => {
    socket.write(`POST ${api}/assets HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`, () => resolve());
  });
  return socket;
}

/** A promise that is resolved from outside. */
function gate(): { opened: Promise<void>; open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe('a client that hangs up before its body is read', () => {
  it.each([
    ['a body of known length', { 'content-type': 'application/json', 'content-length': '100' }],
    ['a body in chunks without a type', { 'transfer-encoding': 'chunked' }],
  ])('leaves nothing in flight while its key is looked up: %s', async (_, framing) => {
    const stage = await startStage();
    const lookup = gate();
    stage.acts.set('accounts.keyAccess', async () => {
      await lookup.opened;
      return {
        accountId: '99999999-9999-4999-8999-999999999999',
        ownOrganizationId: played.organization,
        keyId: '88888888-8888-4888-8888-888888888888',
        prefix: 'ply_standard',
        label: 'test',
        scope: 'standard',
        limits: { requests: 100, search: 100, registrations: 100 },
        features: null,
      };
    });
    const client = await sendHead(stage, { ...headersWith(played.standard), ...framing });
    await until(() => stage.calls.some(({ action }) => action === 'accounts.keyAccess'));
    client.destroy();
    await new Promise((resolve) => setTimeout(resolve, 50));
    lookup.open();
    const began = performance.now();
    await stage.lifecycle.stop(4000);
    expect(performance.now() - began).toBeLessThan(2000);
    expect(stage.calls.map(({ action }) => action)).not.toContain('registrar.register');
    await stage.stop();
  });

  it('leaves nothing in flight while its rate limit is counted', async () => {
    const counting = gate();
    let asked = false;
    const stage = await startStage({
      counters: {
        take: async (_, limit) => {
          asked = true;
          await counting.opened;
          return { allowed: true, limit, remaining: limit - 1, resetMs: 1000 };
        },
        shareAmong: () => undefined,
        ping: () => Promise.resolve(),
        close: () => Promise.resolve(),
      },
    });
    const client = await sendHead(stage, {
      ...headersWith(played.standard),
      'content-type': 'application/json',
      'content-length': '100',
    });
    await until(() => asked);
    client.destroy();
    await new Promise((resolve) => setTimeout(resolve, 50));
    counting.open();
    const began = performance.now();
    await stage.lifecycle.stop(4000);
    expect(performance.now() - began).toBeLessThan(2000);
    await stage.stop();
  });
});
