import { MilvusClient } from '@zilliz/milvus2-sdk-node';
import { StoreUnavailable } from '../unavailable.ts';

/** Milliseconds that one call to the server may take. */
const callTimeout = 30_000;

/** The server answered that it will not do what was asked. */
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

/** A connection in which each answer's status is looked at. */
export interface Server {
  /**
   * Makes one call and answers what it answered.
   * @throws StoreUnavailable when the server does not answer
   * @throws MilvusRefused when its status is not success
   */
  ask<T extends Status | { status: Status }>(call: string, ask: (client: MilvusClient) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Status codes of a server that is starting, stopping or overloaded: rate limit, not ready, not serving, node not found. */
const passing = new Set(['RateLimit', 'NotReadyServe', 'NotReadyCoordActivating', 'DataCoordNA', 'NotShardLeader', 'NoReplicaAvailable', 'TimeTickLongDelay', '1', '2', '8']);

/** Opens a connection; nothing is sent before the first call. */
export function openServer(url: string): Server {
  const client = new MilvusClient({ address: url, timeout: callTimeout, maxRetries: 2, logLevel: 'error' });
  // The client connects at once and each call waits for it and hears of its failure; alone it would end the program.
  client.connectPromise.catch(() => undefined);
  return {
    async ask(call, ask) {
      let answer;
      try {
        answer = await ask(client);
      } catch (error) {
        throw refusalOf(call, error) ?? new StoreUnavailable(`Milvus does not answer to ${call}`, { cause: error });
      }
      const status: Status = 'status' in answer ? answer.status : answer;
      const { error_code: name, code = 0, reason } = status;
      // Older servers set only the name, newer ones only the number.
      if ((name === 'Success' || name === 0) && code === 0) return answer;
      if (passing.has(String(name)) || passing.has(String(code))) throw new StoreUnavailable(`Milvus cannot serve ${call}: ${reason}`);
      throw new MilvusRefused(call, String(code || name), reason);
    },
    async close() {
      await client.closeConnection();
    },
  };
}

/** The client throws some refusals as bare status objects. */
function refusalOf(call: string, error: unknown): MilvusRefused | null {
  if (typeof error !== 'object' || error === null || !('error_code' in error) || !('reason' in error)) return null;
  return new MilvusRefused(call, String(error.error_code), String(error.reason));
}
