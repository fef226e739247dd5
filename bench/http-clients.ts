import { Client } from 'undici';

/** One request of a bench. */
export interface BenchRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  body?: string;
  headers?: Readonly<Record<string, string>>;
}

/** Several clients with a persistent connection each, which send the next request after each response. */
export class HttpClients {
  private readonly clients: readonly Client[];
  private readonly headers: Record<string, string>;

  constructor(url: string, headers: Record<string, string>, count: number) {
    this.clients = Array.from({ length: count }, () => new Client(url, { pipelining: 1, headersTimeout: 120_000 }));
    this.headers = headers;
  }

  /** Sends one request by the first client. Returns the body. @throws if the status is not 2xx */
  async ask(request: BenchRequest): Promise<string> {
    const [client] = this.clients;
    if (client === undefined) throw new Error('there is no client');
    return this.send(client, request);
  }

  /** Sends `count` requests in total. Returns the milliseconds of each and the elapsed seconds. */
  async run(count: number, requestOf: (index: number) => BenchRequest): Promise<{ times: number[]; seconds: number }> {
    const times: number[] = [];
    let next = 0;
    const began = performance.now();
    await Promise.all(
      this.clients.map(async (client) => {
        for (let index = next++; index < count; index = next++) {
          const asked = performance.now();
          await this.send(client, requestOf(index));
          times.push(performance.now() - asked);
        }
      }),
    );
    return { times, seconds: (performance.now() - began) / 1000 };
  }

  async close(): Promise<void> {
    await Promise.all(this.clients.map((client) => client.close()));
  }

  private async send(client: Client, { method, path, body, headers }: BenchRequest): Promise<string> {
    const answer = await client.request({
      method,
      path,
      headers: { ...this.headers, ...headers },
      ...(body === undefined ? {} : { body }),
    });
    const text = await answer.body.text();
    if (answer.statusCode >= 300)
      throw new Error(`${method} ${path} was answered ${answer.statusCode}: ${text.slice(0, 300)}`);
    return text;
  }
}
