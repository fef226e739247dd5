import { createServer, type AddressInfo } from 'node:net';
import { createListener, type Listener, type ListenerOptions } from './listener.ts';

/** `starting` until it listens, `stopping` while open requests are completed. */
export type ListenerState = 'starting' | 'listening' | 'stopping' | 'stopped';

/** A listener of the process, as health checks, the startup banner and the program see it. */
export interface ListenerStatus {
  /** Unique within the process, such as `api` or `metrics`. */
  readonly name: string;
  /** `https` for a listener with TLS. */
  readonly scheme: 'http' | 'https';
  readonly host: string;
  /** The configured port (0: any free one) until it listens, then the port it listens on. */
  readonly port: number;
  readonly state: ListenerState;
}

/** The HTTP listeners of a process, by name. */
export class Listeners {
  private readonly entries = new Map<string, { -readonly [K in keyof ListenerStatus]: ListenerStatus[K] }>();

  /** All listeners, in the order in which they were added. */
  get all(): readonly ListenerStatus[] {
    return [...this.entries.values()];
  }

  /**
   * Creates a listener and adds it to the list. It does not listen before it is started.
   * @throws Error if the name is taken
   */
  add({ name, ...options }: ListenerOptions & { name: string }): Listener {
    if (this.entries.has(name)) throw new Error(`two listeners are named ${name}`);
    const listener = createListener(options);
    const { host, port, secureContextOf } = options;
    const scheme = secureContextOf === undefined ? 'http' : 'https';
    const entry: ReturnType<typeof this.entries.get> & object = { name, scheme, host, port, state: 'starting' };
    this.entries.set(name, entry);
    return {
      track: (work) => listener.track(work),
      start: async () => {
        const address = await listener.start();
        Object.assign(entry, { host: hostOf(address), port: address.port, state: 'listening' });
        return address;
      },
      stop: async (timeoutMs) => {
        entry.state = 'stopping';
        await listener.stop(timeoutMs);
        entry.state = 'stopped';
      },
    };
  }

  /** Base URL of a listener without a trailing slash; null if there is none of that name, or it never listened. */
  url(name: string): string | null {
    const entry = this.entries.get(name);
    return entry === undefined || entry.state === 'starting' ? null : `${entry.scheme}://${entry.host}:${entry.port}`;
  }

  /**
   * Checks that every port can be listened on, before the start writes what is shown only once.
   * @throws the error of the socket, such as EADDRINUSE
   */
  async expectFreePorts(): Promise<void> {
    for (const { host, port } of this.entries.values()) await expectFreePort(host, port);
  }
}

/** The host of an address as URLs write it: IPv6 in brackets. */
function hostOf({ address, family }: AddressInfo): string {
  return family === 'IPv6' ? `[${address}]` : address;
}

async function expectFreePort(host: string, port: number): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, exclusive: true }, () => resolve());
  });
  await new Promise<void>((resolve) => server.close(() => resolve()));
}
