import { CreateBucketCommand, DeleteObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import type { AssetView } from '../../../models/api.ts';
import type { LibraryHealth } from '../../../models/analytics.ts';
import type { ConnectorView, SyncSummary } from '../../../models/connector.ts';
import { s3TestKey, type S3TestServer } from '../../servers/s3.ts';
import { content, until, type Client } from './client.ts';

/** The path of connectors. */
export const connectorsPath = `${content}/connectors`;

/** A summary with these counts, and 0 for all others. */
export function summary(figures: Partial<SyncSummary>): SyncSummary {
  return { new: 0, changed: 0, unchanged: 0, reauthorized: 0, moved: 0, removed: 0, failed: 0, ...figures };
}

/** A connector and operations on it. */
export class UsedConnector {
  readonly client: Client;
  readonly id: string;

  constructor(client: Client, id: string) {
    this.client = client;
    this.id = id;
  }

  /** Creates a connector. */
  static async create(client: Client, body: object): Promise<UsedConnector> {
    return new UsedConnector(
      client,
      (await client.get<ConnectorView>(201, 'POST', connectorsPath, { body })).connectorId,
    );
  }

  /** Its current state. */
  read(): Promise<ConnectorView> {
    return this.client.get(200, 'GET', `${connectorsPath}/${this.id}`);
  }

  /** Requests a sync. */
  async ask(): Promise<void> {
    await this.client.get(202, 'POST', `${connectorsPath}/${this.id}/sync`);
  }

  /** Waits until a sync has ended that is later than `lastRunAt`, and none is pending. */
  ranAfter(before: string | null, milliseconds = 100_000): Promise<ConnectorView> {
    return until(
      () => this.read(),
      ({ lastRunAt, syncPending }) => lastRunAt !== before && !syncPending,
      milliseconds,
    );
  }

  /** Requests a sync and waits for its end. */
  async sync(milliseconds = 100_000): Promise<ConnectorView> {
    const { lastRunAt } = await this.read();
    await this.ask();
    return this.ranAfter(lastRunAt, milliseconds);
  }

  /** Syncs, and waits until all its files are processed. Returns the summary. @throws the error of the sync */
  async settled(milliseconds = 100_000): Promise<SyncSummary | null> {
    const { lastError, lastSummary } = await this.sync(milliseconds);
    if (lastError !== null) throw new Error(`the sync failed:  ${lastError}`);
    await until(
      () => this.assets(),
      (assets) =>
        assets.every(({ latestJob }) =>
          ['ready', 'failed', 'cancelled', 'awaiting_source_access'].includes(latestJob?.state ?? ''),
        ),
      milliseconds,
    );
    return lastSummary;
  }

  /** Its files. */
  async assets(): Promise<AssetView[]> {
    return (
      await this.client.get<{ items: AssetView[] }>(200, 'GET', `${content}/activity?limit=100&connectorId=${this.id}`)
    ).items;
  }

  /** The file with this name. @throws Error if there is none */
  async asset(filename: string): Promise<AssetView> {
    const asset = (await this.assets()).find((one) => one.filename === filename);
    if (asset === undefined) throw new Error(`there is no ${filename}`);
    return asset;
  }
}

/** The files that a search finds, by name. */
export async function found(client: Client, query: string, more: object = {}): Promise<string[]> {
  return (await client.search({ query, limit: 100, ...more })).items.map(({ filename }) => filename).sort();
}

/** Waits until a search finds exactly these files. */
export async function finds(
  client: Client,
  query: string,
  filenames: readonly string[],
  more: object = {},
): Promise<void> {
  const wanted = JSON.stringify([...filenames].sort());
  await until(
    () => found(client, query, more),
    (names) => JSON.stringify([...new Set(names)]) === wanted,
  );
}

/** Files that are missing in their source. */
export async function missingFiles(client: Client): Promise<LibraryHealth['sourceMissing']> {
  return (await client.get<LibraryHealth>(200, 'GET', `${content}/analytics/library?limit=100`)).sourceMissing;
}

/** A bucket of an S3 server, with direct access to its content. */
export interface TestBucket {
  /** The configuration of a connector to it. */
  body: { kind: 's3'; config: { [name: string]: string }; credential: string };
  put(key: string, content: string | Uint8Array): Promise<void>;
  remove(key: string): Promise<void>;
  close(): void;
}

/** Creates a bucket. */
export async function testBucket(server: S3TestServer, name: string): Promise<TestBucket> {
  const sdk = new S3Client({
    endpoint: `http://${server.host}`,
    region: 'us-east-1',
    credentials: s3TestKey,
    forcePathStyle: true,
    requestChecksumCalculation: 'WHEN_REQUIRED',
  });
  await sdk.send(new CreateBucketCommand({ Bucket: name }));
  return {
    body: {
      kind: 's3',
      config: {
        endpoint: `http://${server.host}`,
        bucket: name,
        region: 'us-east-1',
        prefix: '',
        accessKeyId: s3TestKey.accessKeyId,
      },
      credential: s3TestKey.secretAccessKey,
    },
    put: async (key, content) => {
      await sdk.send(
        new PutObjectCommand({ Bucket: name, Key: key, Body: content, ContentLength: Buffer.byteLength(content) }),
      );
    },
    remove: async (key) => {
      await sdk.send(new DeleteObjectCommand({ Bucket: name, Key: key }));
    },
    close: () => sdk.destroy(),
  };
}
