import { Socket } from 'node:net';
import type { buildConnector } from 'undici';
import { guardedConnector, type Resolve } from './connector.ts';

/** A socket that reports this remote address. */
function socketTo(address: string): Socket {
  return Object.defineProperty(new Socket(), 'remoteAddress', { value: address });
}

interface Tried {
  hostname: string;
  servername: string | undefined;
}

/** Runs one connection through the guard, over a network that is made up. */
async function connectThrough(options: {
  host: string;
  port?: string;
  protocol?: string;
  answers: readonly string[] | Resolve;
  reached?: (address: string) => Socket | Error;
}): Promise<{ error: Error | null; socket: Socket | null; tried: Tried[] }> {
  const tried: Tried[] = [];
  const reached = options.reached ?? socketTo;
  const connect = guardedConnector({
    privateNetworks: 'deny',
    connectMs: 60_000,
    resolve: typeof options.answers === 'function' ? options.answers : async () => [...(options.answers as string[])],
    connect: ({ hostname, servername }, callback) => {
      tried.push({ hostname, servername });
      const outcome = reached(hostname);
      if (outcome instanceof Socket) callback(null, outcome);
      else callback(outcome, null);
    },
  });
  const request: buildConnector.Options = {
    hostname: options.host,
    host: options.host,
    protocol: options.protocol ?? 'https:',
    port: options.port ?? '',
  };
  return new Promise((resolve) => connect(request, (error, socket) => resolve({ error, socket, tried })));
}

describe('the guarded connector', () => {
  it('connects to a checked address, with the host name for TLS', async () => {
    for (const port of ['', '443']) {
      const { error, socket, tried } = await connectThrough({
        host: 'files.example.com',
        port,
        answers: ['93.184.215.14', '2606:4700::1111'],
      });
      expect(error).toBeNull();
      expect(socket?.remoteAddress).toBe('93.184.215.14');
      expect(tried).toEqual([{ hostname: '93.184.215.14', servername: 'files.example.com' }]);
    }
  });

  it('connects to a public literal without a look-up', async () => {
    const { error, tried } = await connectThrough({
      host: '[2606:4700::1111]',
      answers: () => Promise.reject(new Error('looked up')),
    });
    expect(error).toBeNull();
    expect(tried).toEqual([{ hostname: '2606:4700::1111', servername: undefined }]);
  });

  it('closes a connection to another address', async () => {
    for (const actual of ['127.0.0.1', '::ffff:10.0.0.1', '169.254.169.254', 'fe80::1']) {
      const socket = socketTo(actual);
      const { error } = await connectThrough({
        host: 'files.example.com',
        answers: ['93.184.215.14'],
        reached: () => socket,
      });
      expect(error).toMatchObject({ name: 'RequestFailure', reason: 'refused' });
      expect(socket.destroyed).toBe(true);
    }
  });

  it('does not connect if one of several addresses is forbidden', async () => {
    const { error, tried } = await connectThrough({
      host: 'mixed.example.com',
      answers: ['93.184.215.14', '10.0.0.1'],
    });
    expect(error).toMatchObject({ reason: 'refused' });
    expect(tried).toEqual([]);
  });

  it('does not connect to another port or without TLS', async () => {
    for (const request of [{ port: '8443' }, { port: '80' }, { protocol: 'http:' }]) {
      const { error, tried } = await connectThrough({
        host: 'files.example.com',
        answers: ['93.184.215.14'],
        ...request,
      });
      expect(error).toMatchObject({ reason: 'refused' });
      expect(tried).toEqual([]);
    }
  });

  it('tries up to three addresses and reports the last failure', async () => {
    const { error, tried } = await connectThrough({
      host: 'down.example.com',
      answers: ['8.8.8.1', '8.8.8.2', '8.8.8.3', '8.8.8.4'],
      reached: (address) => new Error(`no way to ${address}`),
    });
    expect(error?.message).toBe('no way to 8.8.8.3');
    expect(tried).toHaveLength(3);
  });

  it('reports a name without addresses', async () => {
    expect((await connectThrough({ host: 'none.example.com', answers: [] })).error).toMatchObject({
      reason: 'unresolved',
    });
  });
});
