import { call, type ActionCaller } from '../actions/call.ts';
import type { Bucket } from '../../models/bucket.ts';
import type { NewUsageEvent } from '../../models/usage-event.ts';
import type { UsageMetric } from '../../models/usage-metric.ts';
import type { SpooledBatch } from '../spool/sender.ts';
import { Spooling, type SpoolingContext } from '../spool/spooling.ts';

/** A response of a door that is over. */
export interface Answered {
  method: string;
  /** Null where the client is not known. */
  organization: { accountId: string; organizationId: string } | null;
  /** Null for a request about no bucket. */
  bucket: Pick<Bucket, '_id' | 'region'> | null;
  status: number;
  /** Whether it was refused by the rate of the plan. */
  isLimited?: boolean;
  /** Bytes of objects that were handed to the connection. */
  bytes: number;
}

const MiB = 2 ** 20;
const dayMs = 86_400_000;
/** Events of one call. */
const atOnce = 500;

const metricOfMethod: { readonly [method: string]: UsageMetric | undefined } = {
  PUT: 'gateway_write_requests_millions',
  POST: 'gateway_write_requests_millions',
  GET: 'gateway_read_requests_millions',
  HEAD: 'gateway_read_requests_millions',
};

/** Whether a response counts as a request: what the client was not let in for, and what we failed at, does not. */
function isCounted(status: number): boolean {
  return status > 0 && status !== 401 && status !== 403 && status < 500;
}

/** What a response is counted as. */
type Counted = Omit<NewUsageEvent, '_id' | 'metric'> & { metric: UsageMetric };

/** The sums of a batch by organization, bucket, metric and UTC day, with ids that are the same however often it is read. */
export function sumsOf({ writer, number, lines }: SpooledBatch): NewUsageEvent[] {
  const sums = new Map<string, NewUsageEvent>();
  for (const line of lines.trimEnd().split('\n')) {
    // Lines are those of `GatewayUsage`, whole: the sender drops one that was cut off.
    const counted = JSON.parse(line) as Counted;
    const key = `${counted.organizationId} ${counted.resourceId ?? ''} ${counted.metric} ${Math.floor(counted.at / dayMs)}`;
    const sum = sums.get(key);
    if (sum === undefined) sums.set(key, { ...counted, _id: `gateway:${writer}:${number}:${sums.size}` });
    else sum.quantity += counted.quantity;
  }
  return [...sums.values()];
}

/**
 * Counts the requests of a door and the bytes of objects that it sends. Each is spooled within milliseconds, and the ledger
 * gets the sums of a batch every few seconds; a killed process loses next to nothing.
 */
export class GatewayUsage {
  readonly #app: SpoolingContext;
  /** Region of requests about no bucket. */
  readonly #region: string;
  readonly #spooling: Spooling<Counted>;

  /**
   * @param name of the door
   * @param region of requests about no bucket
   */
  constructor(app: SpoolingContext, actions: ActionCaller, name: string, region: string) {
    this.#app = app;
    this.#region = region;
    this.#spooling = new Spooling(app, {
      name: `usage-${name}`,
      lineOf: (counted) => `${JSON.stringify(counted)}\n`,
      lossOf: () => null,
      maxDiskBytes: app.configuration.PLY_TRAFFIC_SPOOL_MB * MiB,
      send: async (batch) => {
        const events = sumsOf(batch);
        for (let from = 0; from < events.length; from += atOnce)
          await call(actions, 'ledger.record', { events: events.slice(from, from + atOnce) });
      },
      lost: (count) => app.log.error({ count }, 'the usage of a door was lost: neither disk nor memory has room'),
      measured: () => undefined,
    });
  }

  /** Starts to hand over what is counted. */
  start(): void {
    this.#spooling.start();
  }

  /** Hands over the rest. To be called when the door's listener has stopped. */
  stop(milliseconds: number): Promise<void> {
    return this.#spooling.stop(milliseconds);
  }

  /** Hands over what was counted. Returns false if some of it waits on disk. */
  flush(): Promise<boolean> {
    return this.#spooling.flush();
  }

  /** Counts a response. It never throws. */
  count({ method, organization, bucket, status, bytes }: Answered): void {
    if (organization === null || !isCounted(status)) return;
    const metric = metricOfMethod[method];
    if (metric !== undefined) this.#add(organization, bucket, metric, 1);
    if (bytes > 0) this.#add(organization, bucket, 'gateway_egress_gb', bytes);
  }

  #add(
    { accountId, organizationId }: NonNullable<Answered['organization']>,
    bucket: Answered['bucket'],
    metric: UsageMetric,
    quantity: number,
  ): void {
    this.#spooling.record({
      accountId,
      organizationId,
      assetId: null,
      // A request about no bucket is one about the organization.
      resourceId: bucket?._id ?? organizationId,
      metric,
      dimension: bucket?.region ?? this.#region,
      quantity,
      at: this.#app.runtime.now(),
    });
  }
}
