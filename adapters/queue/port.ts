import type { WorkMessage } from '../../models/work.ts';

/** A message delivered to a worker. */
export interface Delivery {
  message: WorkMessage;
  /** Extends the time to acknowledge; call it with each renewal of the lease. */
  working(): void;
}

/** A worker's subscription to the messages of a stage. */
export interface Consumer {
  /** Stops deliveries; resolves when the messages in progress are handled. */
  stop(): Promise<void>;
}

/**
 * The queues of the stages, by the stage's name. A message may be delivered twice or lost: the document is the source
 * of truth, and a sweeper dispatches again.
 */
export interface StageQueue {
  /** Messages with the same `dedupeId` within two minutes are deduplicated. */
  publish(stage: string, message: WorkMessage, dedupeId: string): Promise<void>;
  /** Delivers at most `slots` messages at a time. If a handler rejects, the message is redelivered after a pause. */
  consume(stage: string, slots: number, handle: (delivery: Delivery) => Promise<void>): Promise<Consumer>;
  /** The number of published and not yet handled messages. */
  depth(stage: string): Promise<number>;
  /**
   * The unhandled messages of a stage; null if the queue does not report them. A queue that reports them is in the
   * process that publishes and consumes, so a dispatch need not be written to the document.
   */
  outstanding(stage: string): readonly WorkMessage[] | null;
  /** Whether messages survive the process. If not, a start dispatches again immediately. */
  readonly durable: boolean;
  ping(): Promise<void>;
  close(): Promise<void>;
}
