import type { Counter, Gauge } from 'prom-client';
import type { Metrics } from '../../mixins/metrics.ts';
import type { Delivery } from './exchange.ts';

const classes = ['1xx', '2xx', '3xx', '4xx', '5xx'];
const results = ['hit', 'miss', 'none'];

/** The metrics of an edge. Sums are kept as plain numbers and handed over when they are asked for. */
export class EdgeFigures {
  readonly #responses: Counter<'class' | 'cache'>;
  readonly #bytes: Counter;
  readonly #memory: Gauge;
  readonly #counts = new Map<string, number>();
  #sentBytes = 0;

  constructor(metrics: Metrics) {
    this.#responses = metrics.counter(
      'ply_delivery_responses_total',
      'Responses of the edge by the first digit of their status, and whether it had a copy.',
      { class: classes, cache: results },
    );
    this.#bytes = metrics.counter('ply_delivery_bytes_total', 'Bytes of bodies that the edge has sent.', {});
    this.#memory = metrics.gauge('ply_delivery_cache_bytes', 'Memory of the copies of the edge.', []);
  }

  /** Counts a response that is over. */
  count({ status, cache, bytes }: Delivery): void {
    const name = `${Math.floor(status / 100)}xx ${cache ?? 'none'}`;
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
    this.#sentBytes += bytes;
  }

  /** Hands over what was counted, and the memory in use. */
  report(memoryBytes: number): void {
    for (const [name, count] of this.#counts) {
      const [of = '', cache = ''] = name.split(' ');
      // Clients that went away before an answer have no status.
      if (classes.includes(of)) this.#responses.inc({ class: of, cache }, count);
    }
    this.#counts.clear();
    this.#bytes.inc(this.#sentBytes);
    this.#sentBytes = 0;
    this.#memory.set(memoryBytes);
  }
}
