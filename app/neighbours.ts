import type { AppContext } from '../mixins/app-context.ts';
import type { ForeignInstallation } from '../models/installation.ts';

/** How often the log reports other installations under the same NATS prefix, in milliseconds. */
const everyMs = 60_000;

/**
 * What a process does about other installations that use its NATS prefix. At its start it gives up, because the others
 * were there first; later it keeps serving its own installation and reports the others. Their packets are dropped by
 * the transporter in both cases.
 */
export class Neighbours {
  private readonly app: Pick<AppContext, 'log' | 'metrics'>;
  private starting = true;
  private met: ForeignInstallation | null = null;
  private reportedAt = -Infinity;

  constructor(app: Pick<AppContext, 'log' | 'metrics'>) {
    this.app = app;
  }

  /** Notes a packet of another installation. */
  readonly foreign = (error: ForeignInstallation): void => {
    this.met ??= error;
    this.app.metrics.foreignPackets.inc();
    const now = performance.now();
    if (this.starting || now - this.reportedAt < everyMs) return;
    this.reportedAt = now;
    this.app.log.error({ reason: error.message }, 'packets of another installation are dropped');
  };

  /** Ends the start, once the broker has discovered the other processes. @throws ForeignInstallation */
  endStart(): void {
    this.starting = false;
    if (this.met !== null) throw this.met;
  }
}
