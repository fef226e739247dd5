import { createInbox, type Msg, type NatsConnection } from 'nats';
import type { Consumer, Delivery } from './port.ts';
import type { Link } from './jetstream-link.ts';
import { parseMessage } from './message.ts';

/** Options of a stage's worker. */
export interface PullOptions {
  connection: NatsConnection;
  link: Link;
  stream: string;
  durable: string;
  slots: number;
  /** Milliseconds until redelivery of a message whose handler rejected. */
  redeliverAfterMs: number;
  handle(delivery: Delivery): Promise<void>;
  /** Called for each unreadable message with its size in bytes. The message is terminated. */
  unreadable(bytes: number): void;
  /** Creates the stream and the consumer again if they are missing. */
  restore(): Promise<void>;
}

/** How long the server keeps a pull without a message. */
const pullMs = 20_000;
/** Pause after a pull that the server refused (no leader, no stream, too many pulls). */
const pauseMs = 500;
/** Time limit of the server's answer to an unsubscription. */
const drainMs = 2000;

/** Acknowledgements of a message, sent to its reply subject. */
type Reply = '+ACK' | '+WPI' | '+TERM' | '-NAK' | `-NAK {"delay":${number}}`;

/**
 * Pulls one message per free slot, so that no message waits in this process while another worker is free. The
 * protocol is JetStream's `CONSUMER.MSG.NEXT` and its acknowledgements
 * (https://docs.nats.io/reference/reference-protocols/nats_api_reference).
 * All replies arrive at one subscription: a message that arrives after its pull has timed out is handled or returned,
 * and does not wait for its ack timeout.
 */
export function pullMessages(options: PullOptions): Consumer {
  const { connection, slots } = options;
  const inbox = createInbox();
  const request = new TextEncoder().encode(JSON.stringify({ batch: 1, expires: pullMs * 1_000_000 }));
  const running = new Set<Promise<void>>();
  /** Timeouts of the sent pulls, oldest first. */
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
    // If the connection is closed, another worker gets the message after its ack timeout.
    if (message.reply !== undefined && !connection.isClosed()) connection.publish(message.reply, words);
  }

  async function work(message: Msg): Promise<void> {
    const stageMessage = parseMessage(message.data);
    if (stageMessage === null) {
      // Terminated, so that it does not block others. The records hold the work, and a sweeper dispatches it again.
      reply(message, '+TERM');
      options.unreadable(message.data.byteLength);
      return;
    }
    try {
      await options.handle({ message: stageMessage, working: () => reply(message, '+WPI') });
    } catch {
      // The handler reports its failure; the queue only redelivers the message.
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
    // After a failed restoration the next pull is refused.
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
      // Messages that the server sent before the unsubscription still arrive and are returned.
      const late = new Promise<void>((resolve) => setTimeout(resolve, drainMs).unref());
      // If the connection is lost, the server delivers the messages to another consumer.
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
