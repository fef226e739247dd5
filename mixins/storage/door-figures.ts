import type { ServerResponse } from 'node:http';
import type { Counter, Histogram } from 'prom-client';
import type { Metrics } from '../metrics.ts';
import type { Answered } from './gateway-usage.ts';

/** A door, as metrics name it. */
export type DoorName = 's3' | 'blob';

const responseLabels = {
  door: ['s3', 'blob'],
  class: ['2xx', '3xx', '4xx', '5xx', 'limited'],
} as const;
type ResponseLabel = keyof typeof responseLabels;

/** Registered once for both doors of a process. */
const registered = new WeakMap<Metrics, { responses: Counter<ResponseLabel>; seconds: Histogram<'door' | 'method'> }>();

function metersOf(metrics: Metrics): { responses: Counter<ResponseLabel>; seconds: Histogram<'door' | 'method'> } {
  const known = registered.get(metrics);
  if (known !== undefined) return known;
  const meters = {
    responses: metrics.counter(
      'ply_door_responses_total',
      'Responses of the S3 and Blob doors by the first digit of their status; limited: refused by the rate of the plan.',
      responseLabels,
    ),
    seconds: metrics.histogram(
      'ply_door_duration_seconds',
      'Requests of the S3 and Blob doors, from their head to the end of the response, by method.',
      ['door', 'method'],
    ),
  };
  registered.set(metrics, meters);
  return meters;
}

const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'PUT', 'POST', 'DELETE', 'OPTIONS']);

/** Counts what a door answers, and how long it takes. */
export class DoorFigures {
  readonly #door: DoorName;
  readonly #meters: ReturnType<typeof metersOf>;

  constructor(metrics: Metrics, door: DoorName) {
    this.#door = door;
    this.#meters = metersOf(metrics);
  }

  /** Measures a request until its response is over. */
  watch(method: string, response: ServerResponse): void {
    const begun = performance.now();
    response.once('close', () =>
      this.#meters.seconds.observe(
        { door: this.#door, method: methods.has(method) ? method : 'other' },
        (performance.now() - begun) / 1000,
      ),
    );
  }

  /** Counts a response that is over. One without a status was never begun: its client went away. */
  count({ status, isLimited = false }: Answered): void {
    if (status === 0) return;
    const digit = `${Math.floor(status / 100)}xx`;
    this.#meters.responses.inc({ door: this.#door, class: isLimited ? 'limited' : digit });
  }
}
