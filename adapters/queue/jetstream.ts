import { AckPolicy, DeliverPolicy, DiscardPolicy, ReplayPolicy, RetentionPolicy, StorageType, connect, nanos, type ConnectionOptions, type ConsumerConfig, type NatsConnection } from 'nats';
import type { Stage } from '../../models/job.ts';
import type { StageQueue } from './port.ts';
import { pullMessages } from './jetstream-consumer.ts';
import { followLink } from './jetstream-link.ts';
import { encodeStageMessage } from './message.ts';

/** What a queue over NATS JetStream is made from. */
export interface JetStreamQueueOptions {
  /** `nats://` or `tls://`, with user and password or a token where the server wants them. */
  url: string;
  /** Shown in the server's list of connections. */
  name?: string;
  /** Name of the stream; its subjects are `<stream>.<stage>`. */
  stream?: string;
  /** Milliseconds until a message whose handler rejected is handed over again. */
  redeliverAfterMs?: number;
  /** A message without acknowledgement or sign of work for this long (milliseconds) is handed to another worker. */
  ackWaitMs?: number;
  /** Milliseconds for which the first connection is tried. */
  connectMs?: number;
  /** Told of each message of a stage that cannot be read, with its size in bytes: it is somebody else's, or of a version whose form is not known. */
  unreadable?(stage: Stage, bytes: number): void;
}

/** The window of the port's promise that equal ids are one message. */
const dedupeMs = 120_000;
/** JetStream's error for a stream that exists with another configuration. */
const streamNameInUse = 10058;

/** Time that handlers get to end when the queue is closed; who wants to wait longer stops the consumers first. */
const closeMs = 5000;

/** Waits for something, but only so long. */
async function within(milliseconds: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([work, late]);
  clearTimeout(timer);
}

/** Connection options for an address; credentials in it are taken out of it. */
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
  return typeof detail === 'object' && detail !== null && 'err_code' in detail && typeof detail.err_code === 'number' ? detail.err_code : null;
}

async function connectPatiently(options: JetStreamQueueOptions): Promise<NatsConnection> {
  const deadline = performance.now() + (options.connectMs ?? 60_000);
  for (;;) {
    try {
      return await connect({
        ...connectionOptions(options.url),
        name: options.name ?? 'ply stage queue',
        // A process that starts on a busy machine may not look at an answer for seconds; a server that is away refuses at once.
        timeout: 20_000,
        maxReconnectAttempts: -1,
        // Spread, so that all processes do not come back at once.
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
 * each stage. Deliveries are never limited in number (retries are counted in the records), the stream is kept on disk
 * by the server, and the connection is tried for ever once it stood. An operator may make the stream beforehand, for
 * example with replicas: it is taken as it is.
 */
export async function openJetStreamQueue(options: JetStreamQueueOptions): Promise<StageQueue> {
  const { stream = 'ply_stages', redeliverAfterMs = 1000, ackWaitMs = 60_000 } = options;
  const connection = await connectPatiently(options);
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
      });
    } catch (error) {
      if (apiErrorCode(error) !== streamNameInUse) throw error;
      const { config } = await manager.streams.info(stream);
      if (config.retention !== RetentionPolicy.Workqueue) throw new Error(`the stream ${stream} exists and is no work queue`, { cause: error });
    }
  }

  async function makeConsumer(stage: Stage): Promise<void> {
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
      await client.publish(`${stream}.${stage}`, encodeStageMessage(message), { msgID: dedupeId });
    },
    async consume(stage, slots, handle) {
      await makeConsumer(stage);
      const restore = async () => {
        await makeStream();
        await makeConsumer(stage);
      };
      const consumer = pullMessages({ connection, link, stream, durable: stage, slots, redeliverAfterMs, handle, restore, unreadable: (bytes) => options.unreadable?.(stage, bytes) });
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
      // A work queue keeps a message until it is acknowledged, so what it keeps is what is not dealt with.
      const subject = `${stream}.${stage}`;
      const { state } = await manager.streams.info(stream, { subjects_filter: subject });
      return state.subjects?.[subject] ?? 0;
    },
    async ping() {
      if (!link.connected) throw new Error('NATS does not answer');
      await manager.streams.info(stream);
    },
    async close() {
      // Neither a handler that hangs nor a server that is away holds the end up: messages come again elsewhere.
      await within(closeMs, Promise.all([...consumers].map((consumer) => consumer.stop())));
      // Acknowledgements that were just written leave with the flush.
      await within(1000, connection.flush().catch(() => {}));
      await connection.close();
    },
  };
}
