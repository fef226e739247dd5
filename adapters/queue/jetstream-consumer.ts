import { createInbox, type Msg, type NatsConnection } from 'nats';
import type { Consumer, Delivery } from './port.ts';
import type { Link } from './jetstream-link.ts';
import { parseStageMessage } from './message.ts';

/** What one worker of a stage pulls from, and how. */
export interface PullOptions {
  connection: NatsConnection;
  link: Link;
  stream: string;
  durable: string;
  slots: number;
  /** Milliseconds until a message whose handler rejected is handed over again. */
  redeliverAfterMs: number;
  handle(delivery: Delivery): Promise<void>;
  /** Told of each message that cannot be read, with its size in bytes. It is ended. */
  unreadable(bytes: number): void;
  /** Makes the stream and the consumer again, where they are gone. */
  restore(): Promise<void>;
}

/** How long the server keeps a pull that finds nothing. */
const pullMs = 20_000;
/** Pause after a pull that the server turned down (leader gone, stream gone, too many pulls). */
const pauseMs = 500;
/** Time for the server's answer to an unsubscription. */
const drainMs = 2000;

/** What a worker says to JetStream about a message, by its answer subject. */
type Reply = '+ACK' | '+WPI' | '+TERM' | '-NAK' | `-NAK {"delay":${number}}`;

/**
 * Takes messages one pull a free slot, so that no message waits in this process while another worker is free. The
 * protocol is JetStream's `CONSUMER.MSG.NEXT` and its acknowledgements
 * (https://docs.nats.io/reference/reference-protocols/nats_api_reference).
 * All answers come to one subscription: a message that arrives after its pull was given up is handled or handed back,
 * never left until its ack wait is over.
 */
export function pullMessages(options: PullOptions): Consumer {
  const { connection, slots } = options;
  const inbox = createInbox();
  const request = new TextEncoder().encode(JSON.stringify({ batch: 1, expires: pullMs * 1_000_000 }));
  const running = new Set<Promise<void>>();
  /** When each pull that was sent is given up, oldest first. */
  let pulls: number[] = [];
  let pausedUntil = 0;
  let stopped = false;

  function fill(): void {
    const now = performance.now();
    pulls = pulls.filter((until) => until > now);
    if (stopped || !options.link.connected || now < pausedUntil || connection.isClosed()) return;
    while (pulls.length + running.size < slots) {
      connection.publish(`$JS.API.CONSUMER.MSG.NEXT.${options.stream}.${options.durable}`, request, { reply: inbox });
      pulls.push(now + pullMs + 2000);
    }
  }

  function reply(message: Msg, words: Reply): void {
    // With the connection closed the message comes to another worker when its ack wait is over.
    if (message.reply !== undefined && !connection.isClosed()) connection.publish(message.reply, words);
  }

  async function work(message: Msg): Promise<void> {
    const stageMessage = parseStageMessage(message.data);
    if (stageMessage === null) {
      // Ended, so that it holds nothing up: what it was to ring for stands in the records, and is rung for again.
      reply(message, '+TERM');
      options.unreadable(message.data.byteLength);
      return;
    }
    try {
      await options.handle({ message: stageMessage, working: () => reply(message, '+WPI') });
    } catch {
      // Whoever handles messages tells what went wrong; the queue only brings the message again.
      reply(message, `-NAK {"delay":${options.redeliverAfterMs * 1_000_000}}`);
      return;
    }
    reply(message, '+ACK');
  }

  function receive(message: Msg): void {
    if (stopped || running.size >= slots) {
      reply(message, '-NAK');
      return;
    }
    const done = work(message).finally(() => {
      running.delete(done);
      fill();
    });
    running.add(done);
  }

  function pauseAndRestore(): void {
    pausedUntil = performance.now() + pauseMs;
    // A failed restoration shows as the next pull's refusal.
    options.restore().catch(() => {});
  }

  const subscription = connection.subscribe(inbox, {
    callback: (error: Error | null, message: Msg) => {
      if (error !== null) return;
      pulls.shift();
      const code = message.headers?.code ?? 0;
      if (code === 0) receive(message);
      else if (code !== 408 && code !== 404) pauseAndRestore();
      fill();
    },
  });

  const unwatch = options.link.watch((connected) => {
    // The server forgets pulls with their connection.
    pulls = [];
    if (connected) pausedUntil = 0;
    fill();
  });
  const timer = setInterval(fill, 1000);
  fill();

  async function stop(): Promise<void> {
    clearInterval(timer);
    unwatch();
    if (!connection.isClosed()) {
      // What the server sent before it learnt of the end still comes, and is handed back.
      const late = new Promise<void>((resolve) => setTimeout(resolve, drainMs).unref());
      await Promise.race([subscription.drain().catch(() => {}), late]);
    }
    while (running.size > 0) await Promise.allSettled(running);
  }

  let stopping: Promise<void> | null = null;
  return {
    stop() {
      stopped = true;
      stopping ??= stop();
      return stopping;
    },
  };
}
