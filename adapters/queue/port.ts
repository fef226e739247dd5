import type { Stage, StageMessage } from '../../models/job.ts';

/** One message in a worker's hands. */
export interface Delivery {
  message: StageMessage;
  /** Tells the queue that the work goes on; call it with each renewal of the lease. */
  working(): void;
}

/** A worker's subscription to the messages of a stage. */
export interface Consumer {
  /** Takes no more messages; resolves when those in hand have been dealt with. */
  stop(): Promise<void>;
}

/**
 * The doorbell of the stages. It may ring twice or lose a ring: the asset's document is the truth, and a sweeper
 * rings again.
 */
export interface StageQueue {
  /** Messages with an equal `dedupeId` within two minutes are one. */
  publish(stage: Stage, message: StageMessage, dedupeId: string): Promise<void>;
  /** Hands over at most `slots` messages at a time. A handler that rejects gets the message again after a pause. */
  consume(stage: Stage, slots: number, handle: (delivery: Delivery) => Promise<void>): Promise<Consumer>;
  /** Messages published and not yet dealt with. */
  depth(stage: Stage): Promise<number>;
  /**
   * The messages of a stage that were published and are not yet dealt with; null where the queue does not tell. One that
   * tells lives in the process that publishes and consumes: what it rings for need not be written down as rung for.
   */
  outstanding(stage: Stage): readonly StageMessage[] | null;
  /** True where messages survive the process; false means that a start has to dispatch again at once. */
  readonly durable: boolean;
  ping(): Promise<void>;
  close(): Promise<void>;
}
