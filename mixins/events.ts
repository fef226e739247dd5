import type { ServiceBroker } from 'moleculer';

/**
 * Events between actors. They are best effort: they make something happen sooner, and no fact depends on them.
 */
export interface EventMap {
  /**
   * Runs of this organization (`runs`, or one) wait for a stage, or places of a stage have become free: of these, or of
   * any where they are not named.
   */
  'runs.changed': { organizationId: string; stages?: readonly string[]; runs?: number };
  /** A search met passages of a revision that is not the active one, or a worker lost its revision while it wrote. */
  'index.stale': { organizationId: string; assetId: string; revision: number };
  /** What is still to be transcribed of a recording is not needed any more: its job ended otherwise, or restarted. */
  'recording.abandoned': { recording: string };
  /**
   * Passages of this organization are in a language in which there were none of late: its next search understands it.
   */
  'languages.changed': { organizationId: string };
  /** There are changes that edges must apply. */
  'edges.changed': Record<string, never>;
  /** An edge has applied changes: what waits for that may go on. */
  'edges.acknowledged': Record<string, never>;
  /** Sub-organizations were changed: gateways drop what they cached of who may do what. */
  'accounts.changed': Record<string, never>;
  /** A storage credential was made or revoked: doors drop what they cached of it. */
  'credentials.changed': { credentialId: string };
}

/** Emits an event to one instance of each service that listens. Neither waits nor throws. */
export function emitEvent<N extends keyof EventMap>(
  broker: Pick<ServiceBroker, 'emit' | 'logger'>,
  name: N,
  payload: EventMap[N],
): void {
  broker.emit(name, payload).catch((error: unknown) => {
    broker.logger.debug(`event ${name} was not delivered: ${error instanceof Error ? error.message : String(error)}`);
  });
}

/**
 * Broadcasts an event to every instance of each service that listens, this process first. Neither waits nor throws.
 */
export function broadcastEvent<N extends keyof EventMap>(
  broker: Pick<ServiceBroker, 'broadcast' | 'logger'>,
  name: N,
  payload: EventMap[N],
): void {
  broker.broadcast(name, payload).catch((error: unknown) => {
    broker.logger.debug(`event ${name} was not delivered: ${error instanceof Error ? error.message : String(error)}`);
  });
}
