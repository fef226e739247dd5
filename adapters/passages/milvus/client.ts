import { MilvusClient } from '@zilliz/milvus2-sdk-node';
import { StoreUnavailable } from '../unavailable.ts';

/** Time limit of one call to the server, in milliseconds. */
const callTimeoutMs = 30_000;

/** The server rejected the call. */
export class MilvusRefused extends Error {
  readonly code: string;
  constructor(call: string, code: string, reason: string) {
    super(`Milvus refused ${call}: ${reason} (${code})`);
    this.name = 'MilvusRefused';
    this.code = code;
  }
}

interface Status {
  error_code: string | number;
  code?: number;
  reason: string;
}

/** A connection that checks the status of each response. */
export interface Server {
  /**
   * Makes one call and returns its response.
   * @throws StoreUnavailable when the server does not answer
   * @throws MilvusRefused when its status is not success
   */
  ask<T extends Status | { status: Status }>(call: string, ask: (client: MilvusClient) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/**
 * Status codes of a server that is starting, stopping or overloaded: rate limit, not ready, not serving, node not
 * found.
 */
const transient = new Set([
  'RateLimit',
  'NotReadyServe',
  'NotReadyCoordActivating',
  'DataCoordNA',
  'NotShardLeader',
  'NoReplicaAvailable',
  'TimeTickLongDelay',
  '1',
  '2',
  '8',
]);

/** What the client needs of an address. A user and a password, percent-encoded, may stand in it; https uses TLS. */
export function addressOf(url: string): { address: string; ssl: boolean; username?: string; password?: string } {
  const { protocol, hostname, port, username, password } = new URL(url);
  const isSecure = protocol === 'https:';
  return {
    address: `${hostname}:${port === '' ? (isSecure ? '443' : '80') : port}`,
    ssl: isSecure,
    ...(username === '' ? {} : { username: decodeURIComponent(username), password: decodeURIComponent(password) }),
  };
}

/** Opens a connection; nothing is sent before the first call. */
export function openServer(url: string): Server {
  const client = new MilvusClient({ ...addressOf(url), timeout: callTimeoutMs, maxRetries: 2, logLevel: 'error' });
  // The client connects immediately, and each call awaits the connection and reports its failure. Without this handler
  // a failed connection would be an unhandled rejection and end the process.
  client.connectPromise.catch(() => undefined);
  return {
    async ask(call, ask) {
      let answer;
      try {
        answer = await ask(client);
      } catch (error) {
        throw refusalOf(call, error) ?? new StoreUnavailable(`Milvus does not respond to ${call}`, { cause: error });
      }
      const status: Status = 'status' in answer ? answer.status : answer;
      const { error_code: name, code = 0, reason } = status;
      // Older servers set only the name, newer ones only the number.
      if ((name === 'Success' || name === 0) && code === 0) return answer;
      if (transient.has(String(name)) || transient.has(String(code)))
        throw new StoreUnavailable(`Milvus cannot serve ${call}: ${reason}`);
      throw new MilvusRefused(call, String(code || name), reason);
    },
    async close() {
      await client.closeConnection();
    },
  };
}

/** The client throws some rejections as plain status objects. */
function refusalOf(call: string, error: unknown): MilvusRefused | null {
  if (typeof error !== 'object' || error === null || !('error_code' in error) || !('reason' in error)) return null;
  return new MilvusRefused(call, String(error.error_code), String(error.reason));
}
