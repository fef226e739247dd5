import type { ServiceBroker } from 'moleculer';
import { BurstSlots } from '../../models/burst-slots.ts';

/** How long the sum over the registry is kept, in milliseconds. */
const freshMs = 1000;

/**
 * The searches that this gateway may have in progress: its share of the slots of all searchers. What exceeds it would be
 * refused by a searcher anyway; refusing it here costs neither a look at the key nor a call.
 */
export class SearchShare {
  private readonly broker: Pick<ServiceBroker, 'registry'>;
  private readonly now: () => number;
  private readAt = -Infinity;
  private share = Infinity;
  private readonly slots: BurstSlots;

  /** @param now a monotonic clock in milliseconds */
  constructor(broker: Pick<ServiceBroker, 'registry'>, now: () => number = () => performance.now()) {
    this.broker = broker;
    this.now = now;
    this.slots = new BurstSlots(now);
  }

  /** Begins a search; false if there are too many. Each that began has to end. */
  begin(): boolean {
    if (this.now() - this.readAt > freshMs) this.read();
    return this.slots.begin(this.share);
  }

  /** Ends a search that has begun. */
  end(): void {
    this.slots.end(this.share);
  }

  /** Without a known searcher nothing is refused here: a call tells better what is missing. */
  private read(): void {
    this.readAt = this.now();
    const services: { name?: unknown; metadata?: Record<string, unknown> }[] = this.broker.registry.getServiceList({
      onlyAvailable: true,
      withActions: false,
      withEvents: false,
      skipInternal: true,
    });
    const gateways = services.filter(({ name }) => name === 'gateway').length;
    const slots = services.reduce((sum, { name, metadata }) => {
      const own = name === 'searcher' ? metadata?.['searchSlots'] : 0;
      return sum + (typeof own === 'number' ? own : Infinity);
    }, 0);
    this.share = slots === 0 ? Infinity : Math.ceil(slots / Math.max(1, gateways));
  }
}
