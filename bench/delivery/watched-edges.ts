import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'undici';

/** Milliseconds between the requests to an edge that is watched. */
const pollMs = 5;
/** Milliseconds after which a change is taken for lost. */
const lostMs = 30_000;

/** What an edge answered. */
export interface EdgeAnswer {
  status: number;
  body: string;
  /** The header `Cache-Control`; empty without one. */
  cacheControl: string;
  /** The header `X-Cache`, such as HIT; empty without one. */
  cache: string;
}

/** Edges that are asked for files over a kept connection each. */
export class WatchedEdges {
  readonly #clients: readonly Client[];

  /** @param ports of the edges on this machine */
  constructor(ports: readonly number[]) {
    this.#clients = ports.map((port) => new Client(`http://127.0.0.1:${port}`));
  }

  /**
   * Asks every edge, again and again, until each has answered as expected.
   * @returns milliseconds from the call until the last edge did. @throws if one does not within half a minute
   */
  async until(host: string, path: string, isExpected: (answer: EdgeAnswer) => boolean): Promise<number> {
    const since = performance.now();
    await Promise.all(
      this.#clients.map(async (client) => {
        for (;;) {
          const answer = await answerOf(client, host, path);
          if (isExpected(answer)) return;
          if (performance.now() - since > lostMs)
            throw new Error(`an edge still answers ${path} with ${JSON.stringify(answer)}`);
          await pause(pollMs);
        }
      }),
    );
    return performance.now() - since;
  }

  async close(): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.close()));
  }
}

async function answerOf(client: Client, host: string, path: string): Promise<EdgeAnswer> {
  const { statusCode, headers, body } = await client.request({ method: 'GET', path, headers: { host } });
  const header = (name: string): string => String(headers[name] ?? '');
  return {
    status: statusCode,
    body: await body.text(),
    cacheControl: header('cache-control'),
    cache: header('x-cache'),
  };
}
