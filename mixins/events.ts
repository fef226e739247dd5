import type { ServiceBroker } from 'moleculer';
import type { Stage } from '../models/job.ts';

/** Events between actors. They are best effort: a hint that something may be done sooner, never a fact that is lost with it. */
export interface EventMap {
  /** Runs of this organization (`runs`, or one) wait for a stage, or places of a stage have become free: of these, or of any where they are not named. */
  'runs.changed': { organizationId: string; stages?: readonly Stage[]; runs?: number };
  /** A search met passages of a revision that is not the active one, or a worker lost its revision while it wrote. */
  'index.stale': { organizationId: string; assetId: string; revision: number };
  /** Nobody wants what is still to be transcribed of a recording: its job ended otherwise, or began anew. */
  'recording.abandoned': { recording: string };
  /** Synonyms, boosts or pins of this organization were changed: its next search reads them. */
  'tuning.changed': { organizationId: string };
  /** Passages of this organization are in a language in which there were none of late: its next search understands it. */
  'languages.changed': { organizationId: string };
  /** Sub-organizations were changed: what gateways remember of who may do what is to be asked again. */
  'accounts.changed': Record<string, never>;
}

/** Sends an event to one instance of each service that listens. Does not wait, and never fails its caller. */
export function hint<N extends keyof EventMap>(broker: Pick<ServiceBroker, 'emit' | 'logger'>, name: N, payload: EventMap[N]): void {
  broker.emit(name, payload).catch((error: unknown) => {
    broker.logger.debug(`event ${name} was not delivered: ${error instanceof Error ? error.message : String(error)}`);
  });
}

/** Sends an event to every instance of each service that listens, this process first. Does not wait, and never fails its caller. */
export function tellAll<N extends keyof EventMap>(broker: Pick<ServiceBroker, 'broadcast' | 'logger'>, name: N, payload: EventMap[N]): void {
  broker.broadcast(name, payload).catch((error: unknown) => {
    broker.logger.debug(`event ${name} was not delivered: ${error instanceof Error ? error.message : String(error)}`);
  });
}
