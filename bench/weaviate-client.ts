import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client, credentials } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { weaviateProtocol, type Weaviate } from '../test/servers/weaviate.ts';

/** A text with its vector. */
export interface PeerText {
  text: string;
  vector: Float32Array;
}

/** Weaviate over gRPC, as its official clients use it: one collection of texts with vectors. */
export interface WeaviateClient {
  /** Makes the collection and fills it. @throws if a text is refused */
  fill(texts: readonly PeerText[]): Promise<void>;
  /** The best texts by words and vector together (its hybrid search). @throws if it fails */
  search(query: string, vector: Float32Array, limit: number): Promise<string[]>;
  close(): void;
}

const collection = 'Passage';
/** Texts of one message. */
const together = 200;
/** Milliseconds for which it may not be ready after it listens. */
const readyMilliseconds = 60_000;

interface Result {
  properties: { nonRefProps: { fields: Record<string, { textValue?: string }> } };
}

/** The reply of a search or of a batch; what is empty may be missing. */
interface Reply {
  results?: Result[];
  errors?: { error: string }[];
}

type Ask = (method: 'Search' | 'BatchObjects', message: object) => Promise<Reply>;

/** Bytes of a vector, as the protocol has them: numbers of four bytes, the lowest first. */
function bytesOf(vector: Float32Array): Uint8Array {
  return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
}

/** Calls methods of its service by their descriptions. */
function openService(rpc: string): { ask: Ask; close: () => void } {
  const service = loadSync(join(weaviateProtocol, 'v1', 'weaviate.proto'), {
    includeDirs: [weaviateProtocol],
    enums: String,
  })['weaviate.v1.Weaviate'];
  if (service === undefined || 'format' in service) throw new Error('the protocol of Weaviate has no service');
  const client = new Client(rpc, credentials.createInsecure());
  return {
    ask: (name, message) =>
      new Promise((resolve, reject) => {
        const method = service[name];
        if (method === undefined) throw new Error(`Weaviate has no method ${name}`);
        const { path, requestSerialize, responseDeserialize } = method;
        client.makeUnaryRequest(path, requestSerialize, responseDeserialize, message, (error, reply) =>
          error === null && reply !== undefined ? resolve(reply) : reject(error ?? new Error('there is no reply')),
        );
      }),
    close: () => client.close(),
  };
}

async function makeCollection(url: string): Promise<void> {
  const ready = async (): Promise<boolean> => (await fetch(`${url}/v1/.well-known/ready`)).ok;
  for (const until = performance.now() + readyMilliseconds; !(await ready()); await pause(100))
    if (performance.now() > until) throw new Error('Weaviate does not become ready');
  const response = await fetch(`${url}/v1/schema`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      class: collection,
      vectorizer: 'none',
      vectorIndexConfig: { distance: 'cosine' },
      properties: [{ name: 'text', dataType: ['text'] }],
    }),
  });
  if (!response.ok) throw new Error(`Weaviate refused the collection: ${await response.text()}`);
}

/** Opens a client of a running Weaviate. */
export function openWeaviateClient({ url, rpc }: Pick<Weaviate, 'url' | 'rpc'>): WeaviateClient {
  const { ask, close } = openService(rpc);
  return {
    async fill(texts) {
      await makeCollection(url);
      for (let first = 0; first < texts.length; first += together) {
        const objects = texts.slice(first, first + together).map(({ text, vector }) => ({
          uuid: crypto.randomUUID(),
          collection,
          vectorBytes: bytesOf(vector),
          properties: { nonRefProperties: { fields: { text: { stringValue: text } } } },
        }));
        const { errors = [] } = await ask('BatchObjects', { objects });
        if (errors.length > 0) throw new Error(`Weaviate refused a text: ${errors[0]?.error}`);
      }
    },
    async search(query, vector, limit) {
      const { results = [] } = await ask('Search', {
        collection,
        limit,
        hybridSearch: { query, alpha: 0.5, vectorBytes: bytesOf(vector), fusionType: 'FUSION_TYPE_RELATIVE_SCORE' },
        properties: { nonRefProperties: ['text'] },
        metadata: { uuid: true, score: true },
        uses_127Api: true,
      });
      return results.map(({ properties }) => properties.nonRefProps.fields['text']?.textValue ?? '');
    },
    close,
  };
}
