import {
  AckPolicy,
  DeliverPolicy,
  DiscardPolicy,
  ReplayPolicy,
  RetentionPolicy,
  StorageType,
  connect,
  nanos,
  type ConnectionOptions,
  type ConsumerConfig,
  type NatsConnection,
  type StreamConfig,
} from 'nats';

import { ForeignInstallation, streamNameOf, type Installation } from '../../models/installation.ts';
import type { StageQueue } from './port.ts';
import { pullMessages } from './jetstream-consumer.ts';
import { followLink } from './jetstream-link.ts';
import { encodeMessage } from './message.ts';

/** Options of a queue over NATS JetStream. */
export interface JetStreamQueueOptions {
  /** `nats://` or `tls://`, with user and password or a token if the server requires them. */
  url: string;
  /** Shown in the server's list of connections. */
  name?: string;
  /** Owns the stream `<natsPrefix>_stages`, whose subjects are `<natsPrefix>_stages.<stage>`. */
  installation: Installation;
  /** Milliseconds until redelivery of a message whose handler rejected. */
  redeliverAfterMs?: number;
  /** Milliseconds without acknowledgement or progress after which another worker gets the message. */
  ackWaitMs?: number;
  /** Time limit of the first connection, in milliseconds. */
  connectMs?: number;
  /**
   * Called for each unreadable message of a stage with its size in bytes. It comes from another program or an unknown
   * version.
   */
  unreadable?(stage: string, bytes: number): void;
}

/** The port's window of deduplication. */
const dedupeMs = 120_000;
/** JetStream's error for a stream that exists with another configuration. */
const streamNameInUse = 10058;
/** Key of the owner's id in the stream's metadata. */
const ownerKey = 'ply-installation';

/** Time for handlers to end when the queue is closed. Stop the consumers first to wait longer. */
const closeMs = 5000;

/** Waits for a promise with a time limit. */
async function within(milliseconds: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([work, late]);
  clearTimeout(timer);
}

/** Connection options for an address; credentials are removed from the address. */
function connectionOptions(address: string): ConnectionOptions {
  const url = new URL(address);
  const user = decodeURIComponent(url.username);
  const pass = decodeURIComponent(url.password);
  return {
    servers: [`${url.hostname}:${url.port === '' ? '4222' : url.port}`],
    ...(url.protocol === 'tls:' ? { tls: {} } : {}),
    ...(user === '' ? {} : pass === '' ? { token: user } : { user, pass }),
  };
}

function apiErrorCode(error: unknown): number | null {
  if (typeof error !== 'object' || error === null || !('api_error' in error)) return null;
  const detail = error.api_error;
  return typeof detail === 'object' && detail !== null && 'err_code' in detail && typeof detail.err_code === 'number'
    ? detail.err_code
    : null;
}

async function connectWithRetries(options: JetStreamQueueOptions): Promise<NatsConnection> {
  const deadline = performance.now() + (options.connectMs ?? 60_000);
  for (;;) {
    try {
      return await connect({
        ...connectionOptions(options.url),
        name: options.name ?? 'ply stage queue',
        // A process that starts on a busy machine may handle a reply seconds late; an unavailable server refuses
        // immediately.
        timeout: 20_000,
        maxReconnectAttempts: -1,
        // With jitter, so that processes do not reconnect all at once.
        reconnectTimeWait: 500,
        reconnectJitter: 500,
        reconnectJitterTLS: 500,
        pingInterval: 10_000,
        ignoreAuthErrorAbort: true,
      });
    } catch (error) {
      if (performance.now() > deadline) throw new Error('NATS does not answer', { cause: error });
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }
}

/**
 * The stages' queue as one JetStream stream of work-queue retention with a subject and a durable pull consumer for
 * each stage. The installation's id is in the stream's metadata, and the stream of another installation is refused.
 * Deliveries are never limited in number (retries are counted in the records), the stream is kept on disk
 * by the server, and a lost connection is retried without limit. An operator may create the stream beforehand, for
 * example with replicas: only the id is added to it.
 * @throws ForeignInstallation
 */
export async function openJetStreamQueue(options: JetStreamQueueOptions): Promise<StageQueue> {
  const { installation, redeliverAfterMs = 1000, ackWaitMs = 60_000 } = options;
  const stream = streamNameOf(installation.natsPrefix);
  const connection = await connectWithRetries(options);
  const link = followLink(connection);
  const manager = await connection.jetstreamManager({ checkAPI: false, timeout: 5000 });
  const client = connection.jetstream({ timeout: 5000 });

  async function makeStream(): Promise<void> {
    try {
      await manager.streams.add({
        name: stream,
        subjects: [`${stream}.*`],
        retention: RetentionPolicy.Workqueue,
        storage: StorageType.File,
        discard: DiscardPolicy.New,
        duplicate_window: nanos(dedupeMs),
        metadata: { [ownerKey]: installation.id },
      });
    } catch (error) {
      if (apiErrorCode(error) !== streamNameInUse) throw error;
      const { config } = await manager.streams.info(stream);
      if (config.retention !== RetentionPolicy.Workqueue)
        throw new Error(`the stream ${stream} exists but is not a work queue`, { cause: error });
      if (config.metadata?.[ownerKey] === undefined)
        await manager.streams.update(stream, { metadata: { ...config.metadata, [ownerKey]: installation.id } });
    }
    // Read again: of two installations that claimed an existing stream at the same time one has it.
    checkOwner((await manager.streams.info(stream)).config);
  }

  /** Servers before NATS 2.10 keep no metadata. */
  function checkOwner({ metadata }: StreamConfig): void {
    const owner = metadata?.[ownerKey];
    if (owner !== undefined && owner !== installation.id)
      throw new ForeignInstallation(`the stream ${stream}`, owner, installation);
  }

  async function makeConsumer(stage: string): Promise<void> {
    const config: ConsumerConfig = {
      durable_name: stage,
      filter_subject: `${stream}.${stage}`,
      ack_policy: AckPolicy.Explicit,
      deliver_policy: DeliverPolicy.All,
      replay_policy: ReplayPolicy.Instant,
      ack_wait: nanos(ackWaitMs),
      max_deliver: -1,
      max_ack_pending: 20_000,
      max_waiting: 10_000,
    };
    await manager.consumers.add(stream, config);
  }

  try {
    await makeStream();
  } catch (error) {
    await connection.close();
    throw error;
  }

  const consumers = new Set<{ stop(): Promise<void> }>();
  return {
    durable: true,
    async publish(stage, message, dedupeId) {
      await client.publish(`${stream}.${stage}`, encodeMessage(message), { msgID: dedupeId });
    },
    async consume(stage, slots, handle) {
      await makeConsumer(stage);
      const restore = async () => {
        await makeStream();
        await makeConsumer(stage);
      };
      const consumer = pullMessages({
        connection,
        link,
        stream,
        durable: stage,
        slots,
        redeliverAfterMs,
        handle,
        restore,
        unreadable: (bytes) => options.unreadable?.(stage, bytes),
      });
      consumers.add(consumer);
      return {
        async stop() {
          await consumer.stop();
          consumers.delete(consumer);
        },
      };
    },
    outstanding: () => null,
    async depth(stage) {
      // A work queue keeps a message until it is acknowledged, so its size is the number of unhandled messages.
      const subject = `${stream}.${stage}`;
      const { state } = await manager.streams.info(stream, { subjects_filter: subject });
      return state.subjects?.[subject] ?? 0;
    },
    async ping() {
      if (!link.connected) throw new Error('NATS does not answer');
      checkOwner((await manager.streams.info(stream)).config);
    },
    async close() {
      // Neither a hanging handler nor an unavailable server delays the end: messages are redelivered elsewhere.
      await within(closeMs, Promise.all([...consumers].map((consumer) => consumer.stop())));
      // The flush sends acknowledgements that were just written.
      await within(
        1000,
        // The server sends unacknowledged messages again.
        connection.flush().catch(() => {}),
      );
      await connection.close();
    },
  };
}
